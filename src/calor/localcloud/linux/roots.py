"""The disks of servers that boot from volumes: kept for the volume, so that the next server finds what was written.

They lie beside the volumes and not within: what is in a volume belongs to the servers it is attached to, and no layer
of a root file system may be where a server could put a link in its place.
"""

from __future__ import annotations

from pathlib import Path

from calor.localcloud.linux.beneath import remove
from calor.localcloud.linux.removal import remove_later
from calor.localcloud.machinery import VolumePlan

_MARK = "of"
"""Names the volume's file: when that is gone, so is the volume."""


def root_of(folder: Path, volume: VolumePlan) -> Path:
    place = folder / volume.id
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark(place, volume.file)
    return place / "disk"


def mark(place: Path, file: Path) -> None:
    (place / _MARK).write_text(str(file))


def drop_volume(folder: Path, volume_id: str) -> None:
    """Removes what is kept for a volume, if anything is."""
    if (folder / volume_id / _MARK).exists():
        remove_later(folder / volume_id)


def forget_gone(folder: Path, used: frozenset[str] = frozenset()) -> None:
    """Removes what is kept for volumes that are gone, but for those still in use."""
    for found in folder.glob(f"*/{_MARK}"):
        if not Path(found.read_text()).exists() and found.parent.name not in used:
            remove(found.parent)
