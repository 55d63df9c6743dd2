"""Loop devices: block devices whose data is in files."""

from __future__ import annotations

import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

from calor.localcloud.backend import BackendError

_LOOP_CONTROL, _GET_FREE, _CONFIGURE = "/dev/loop-control", 0x4C82, 0x4C0A
_CLEAR_WHEN_CLOSED = 4


class Loop:
    """A loop device, which exists as long as it is open or mounted."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fd = os.open(f"/dev/{name}", os.O_RDWR | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self.fd)


def device_of(file: Path) -> Loop | None:
    """The loop device of a file. The kernel removes unused ones with some delay."""
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):
            if backing.read_text().strip() == str(file):
                return Loop(backing.parts[3])
    return None


def new_device(file: int, path: Path) -> Loop:
    """A new loop device for an open file, with its path as the name."""
    with open(_LOOP_CONTROL, "r+b", buffering=0) as control:
        for _ in range(16):
            device = Loop(f"loop{fcntl.ioctl(control, _GET_FREE)}")
            name = str(path).encode()[:63]
            information = struct.pack(
                "=QQQQQIIII64s64s32s16s", 0, 0, 0, 0, 0, 0, 0, 0, _CLEAR_WHEN_CLOSED, name, b"", b"", b""
            )
            config = struct.pack("=II", file, 0) + information + bytes(64)
            try:
                fcntl.ioctl(device.fd, _CONFIGURE, config)
            except OSError:
                # Another process took it.
                device.close()
                continue
            return device
    raise BackendError("no loop device is available for the volume")
