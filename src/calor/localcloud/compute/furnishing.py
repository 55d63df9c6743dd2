"""What a new cloud begins with: flavors, the services of its host, and a key for the user `demo`."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from calor.localcloud.compute.keys import fingerprint_of, make_modern_ssh_key
from calor.localcloud.compute.records import Flavor, HostService, Keypair, Records, new_id
from calor.localcloud.compute.state import stamped
from calor.localcloud.once import is_first_time

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


def furnish_compute(records: Records, folder: Path, user_id: str, at: datetime) -> None:
    """Once: what was removed since then stays away. The private key is left in the folder, for the user to take."""
    with records.store.transaction():
        if not is_first_time(records.store, "compute furnished"):
            return
        for id, name, ram, vcpus, disk in _FLAVORS:
            records.flavors.add(Flavor(id, name, ram, vcpus, disk))
        for number, binary in enumerate(_SERVICES, start=1):
            records.services.add(HostService(new_id(), binary, number))
        key = make_modern_ssh_key(KEY_NAME)
        records.keypairs.add(
            Keypair(
                id=new_id(),
                user_id=user_id,
                name=KEY_NAME,
                type="ssh",
                public_key=key.public,
                fingerprint=fingerprint_of("ssh", key.public),
                created=stamped(at),
            )
        )
        _leave(folder / "keys" / f"{KEY_NAME}.pem", key.private)


def _leave(path: Path, private: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(private)
