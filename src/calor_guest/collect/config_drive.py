"""The config drive: a disk of the cloud with the metadata of the server."""

import os
import subprocess
import tempfile
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from calor_guest.collect.source import log
from calor_guest.common import files

MOUNTS = "/proc/mounts"
_METADATA = os.path.join("ec2", "latest", "meta-data.json")
_TAKES = 30
"""Seconds that looking at disks may take."""


class Device(NamedTuple):
    name: Optional[str]
    type: Optional[str]
    label: Optional[str]

    @property
    def is_config_drive(self) -> bool:
        return self.label == "config-2" and self.type in ("vfat", "iso9660")


def metadata() -> Dict[str, Any]:
    """Empty if there is no config drive, or none that can be read."""
    try:
        drive = next((device for device in devices() if device.is_config_drive), None)
        return read(drive) if drive is not None else {}
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        log.debug("The config drive cannot be read: %s", error)
        return {}


def devices() -> List[Device]:
    """Raises OSError and SubprocessError."""
    output = subprocess.check_output(
        ["blkid", "-o", "export"], stderr=subprocess.DEVNULL, universal_newlines=True, timeout=_TAKES
    )
    return [parsed(text) for text in output.split("\n\n")]


def parsed(text: str) -> Device:
    """A device from lines of NAME=VALUE, in which spaces are escaped."""
    found = dict(line.replace("\\ ", " ").partition("=")[::2] for line in text.splitlines() if "=" in line)
    return Device(found.get("DEVNAME"), found.get("TYPE"), found.get("LABEL"))


def read(device: Device) -> Dict[str, Any]:
    """Raises OSError, ValueError and SubprocessError."""
    with mounted(device) as folder:
        found = files.read_json(os.path.join(folder, _METADATA))
    return found if isinstance(found, dict) else {}


@contextmanager
def mounted(device: Device) -> Iterator[str]:
    """The folder where the device is, or is meanwhile mounted. Raises OSError and SubprocessError."""
    already = _mount_point(device)
    if already is not None:
        yield already
        return
    with tempfile.TemporaryDirectory(prefix="config-2-") as folder:
        subprocess.check_output(["mount", str(device.name), folder, "-o", "ro"], timeout=_TAKES)
        try:
            yield folder
        finally:
            subprocess.check_output(["umount", "-l", folder], timeout=_TAKES)


def _mount_point(device: Device) -> Optional[str]:
    for line in (files.read_text(MOUNTS) or "").splitlines():
        fields = line.split()
        if fields and fields[0] == device.name:
            return fields[1].replace("\\040", " ")
    return None
