"""Seeds the default volume type."""

from __future__ import annotations

from uuid import uuid4

from calor.localcloud.seeding import SeedAccounts, is_first_time
from calor.localcloud.volume.records import VolumeType
from calor.localcloud.volume.service import DEFAULT_TYPE, VolumeService


def seed_volume_types(service: VolumeService, accounts: SeedAccounts) -> None:
    records = service.records
    with records.store.transaction():
        if is_first_time(records.store, "volume types furnished"):
            specs = {"volume_backend_name": DEFAULT_TYPE}
            records.types.add(VolumeType(str(uuid4()), DEFAULT_TYPE, extra_specs=specs))
