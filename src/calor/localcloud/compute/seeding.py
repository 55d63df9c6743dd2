"""Seeds flavors, the services of the host, and a keypair of the user `demo`."""

from __future__ import annotations

import os
from pathlib import Path

from calor.localcloud.compute.keys import fingerprint_of, generate_ed25519_key
from calor.localcloud.compute.records import Flavor, HostService, Keypair, new_id
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.seeding import SeedAccounts, is_first_time

KEY_NAME = "dxl-key"
# Id, name, memory in MiB, processors, disk in GiB.
_FLAVORS = (
    ("42", "m1.nano", 128, 1, 1),
    ("84", "m1.micro", 256, 1, 1),
    ("1", "m1.tiny", 512, 1, 1),
    ("2", "m1.small", 2048, 1, 20),
    ("3", "m1.medium", 4096, 2, 40),
    ("4", "m1.large", 8192, 4, 80),
    ("5", "m1.xlarge", 16384, 8, 160),
)
_SERVICES = ("nova-scheduler", "nova-conductor", "nova-compute")


def seed_compute(service: ComputeService, accounts: SeedAccounts) -> None:
    """Writes the private key to the folder of the cloud, where the user finds it."""
    if accounts.demo_user is None:
        return
    records = service.records
    with records.store.transaction():
        if not is_first_time(records.store, "compute furnished"):
            return
        for id, name, ram, vcpus, disk in _FLAVORS:
            records.flavors.add(Flavor(id, name, ram, vcpus, disk))
        for number, binary in enumerate(_SERVICES, start=1):
            records.services.add(HostService(new_id(), binary, number))
        key = generate_ed25519_key(KEY_NAME)
        records.keypairs.add(
            Keypair(
                id=new_id(),
                user_id=accounts.demo_user,
                name=KEY_NAME,
                type="ssh",
                public_key=key.public,
                fingerprint=fingerprint_of("ssh", key.public),
                created=service.stamp(),
            )
        )
        _write_private(service.context.folder / "keys" / f"{KEY_NAME}.pem", key.private)


def _write_private(path: Path, key: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(key)
