"""The disks of servers that boot from volumes: kept with the volume for the next server that boots from it.

They are not within the volumes: a server to which a volume is attached could replace a layer of the root file system by
a link.
"""

from __future__ import annotations

from pathlib import Path

from calor.localcloud.backend import VolumePlan
from calor.localcloud.linux.removal import remove_later
from calor.localcloud.linux.safe_paths import remove_tree

_MARK = "of"
"""The name of a file with the path of the volume's file. The volume exists as long as that does."""


def root_of(folder: Path, volume: VolumePlan) -> Path:
    place = folder / volume.id
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark(place, volume.file)
    return place / "disk"


def mark(place: Path, file: Path) -> None:
    (place / _MARK).write_text(str(file))


def drop_volume(folder: Path, volume_id: str) -> None:
    """Removes the disk or folder of a volume, if it has one."""
    if (folder / volume_id / _MARK).exists():
        remove_later(folder / volume_id)


def remove_orphaned(folder: Path, used: frozenset[str] = frozenset()) -> None:
    """Removes the disks or folders of volumes that no longer exist, except those in use."""
    for found in folder.glob(f"*/{_MARK}"):
        if not Path(found.read_text()).exists() and found.parent.name not in used:
            remove_tree(found.parent)
