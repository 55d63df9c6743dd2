"""The types of volumes a new cloud begins with."""

from __future__ import annotations

from uuid import uuid4

from calor.localcloud.once import is_first_time
from calor.localcloud.volume.records import Records, VolumeType
from calor.localcloud.volume.state import DEFAULT_TYPE


def furnish_types(records: Records) -> None:
    """Once: what was deleted since then stays away."""
    with records.store.transaction():
        if is_first_time(records.store, "volume types furnished"):
            specs = {"volume_backend_name": DEFAULT_TYPE}
            records.types.add(VolumeType(str(uuid4()), DEFAULT_TYPE, extra_specs=specs))
