"""Images for servers of the embedded cloud, as users upload them."""

from __future__ import annotations

import tarfile
from pathlib import Path

from calor.localcloud.linux.unpacking import HOST_USR_MARK


def image_without_tools(folder: Path, *, has_python: bool) -> Path:
    """With the programs of the host's /usr, as in snapshots, but not with the tools."""
    root = folder / "root"
    for name in ("etc", "tmp", "root", "var/lib", "usr/bin", "usr/lib", "usr/libexec"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    if not has_python:
        (root / "usr/bin/python3").write_text("#!/bin/sh\nexit 127\n")
        (root / "usr/bin/python3").chmod(0o755)
    (root / Path(*HOST_USR_MARK)).parent.mkdir(parents=True, exist_ok=True)
    (root / Path(*HOST_USR_MARK)).touch()
    image = folder / "image.tar"
    with tarfile.open(image, "w") as archive:
        archive.add(root, ".")
    return image
