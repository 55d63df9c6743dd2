"""An image with the unmodified agents of OpenStack, for servers of the embedded cloud.

Ways into a server: a tarball that is uploaded as an image is the root of a server, and /usr of a tarball with the mark
HOST_USR_MARK is layered above that of the host, as in snapshots. Such a tarball is made here: the root of a built-in
image, without Calor's own tools, and with the agents where an image of diskimage-builder has them. They run on the
Python of the host's /usr, so their packages are installed for that one, not for the Python that runs the tests.
(A volume, or a download by user data from a service that servers reach, would do as well, but with another command in
every server.) It can be used in two places:

    machine.boot(id, image=agents_image(folder), image_name="agents", memory_mb=512)      # tests.support.linux
    openstack image create --disk-format raw --container-format bare --file agents.tar.gz agents

There is no init system in a server: user data starts os-collect-config. The original cfn tools need Python 3.11 or
older, because boto does; the other agents do not.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NoReturn

from calor.localcloud.linux.images import Images
from calor.localcloud.linux.unpacking import HOST_USR_MARK
from calor_guest.install import ARCHIVE
from calor_guest.programs import PROGRAMS
from tests.conformance.originals import unpacked_source

PYTHON = "/usr/bin/python3"
"""The one that servers have."""
PACKAGES = (
    "os-collect-config==14.1.0",
    "os-refresh-config==14.1.0",
    "os-apply-config==14.1.0",
    "heat-cfntools==2.0.0",
    "boto==2.49.0",
    "python-keystoneclient",
    "python-zaqarclient",
)
"""The last two are what the scripts of heat-agents import."""
HEAT_AGENTS = ("heat-agents", "13.0.0")
_CACHE = Path(__file__).parents[2] / ".venv" / "originals"
_SETTINGS = "[DEFAULT]\ncommand = os-refresh-config\n"
_SETTINGS_TEMPLATE = """#!/usr/bin/env python3
import json, sys
settings = json.load(sys.stdin).get("os-collect-config", {})
print("[DEFAULT]", "command = os-refresh-config", sep="\\n")
for name in settings.get("collectors", ()):
    print("collectors =", name)
if "polling_interval" in settings:
    print("polling_interval =", settings["polling_interval"])
for section, values in settings.items():
    if isinstance(values, dict):
        print(f"[{section}]")
        for name, value in values.items():
            if value is not None:
                print(name, "=", value)
"""
"""Images bring their own template for the settings that the metadata of the server has."""


def agents_image(folder: Path) -> Path:
    """Writes the tarball into a folder, in seconds; the packages are fetched once. Needs the index of pip then."""
    packages = installed_packages()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        root, usr = _built_image(Path(scratch))
        _remove_own_tools(root, usr)
        _add_heat_agents(root, usr)
        (root / "etc/os-collect-config.conf").write_text(_SETTINGS)
        template = usr / "libexec/os-apply-config/templates/etc/os-collect-config.conf"
        template.parent.mkdir(parents=True, exist_ok=True)
        template.write_text(_SETTINGS_TEMPLATE)
        template.chmod(0o755)
        target = folder / "agents.tar.gz"
        with tarfile.open(target, "w:gz", compresslevel=1) as image:
            image.add(root, ".", filter=_owned)
            image.add(usr, "usr", filter=_owned)
            image.add(packages / "lib", _site_packages().lstrip("/"), filter=_owned)
            for program in sorted((packages / "bin").iterdir()):
                image.add(program, f"usr/bin/{program.name}", filter=_owned)
            image.addfile(tarfile.TarInfo("/".join(HOST_USR_MARK)), io.BytesIO())
    return target


def installed_packages() -> Path:
    """A folder with lib, for the servers' Python, and bin, with the programs of the agents."""
    version = subprocess.run([PYTHON, "-V"], check=True, capture_output=True, text=True).stdout.split()[1]
    target = _CACHE / f"agents-{version}"
    if target.is_dir():
        return target
    _CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_CACHE) as scratch:
        partial = Path(scratch, "agents")
        command = [sys.executable, "-m", "pip", "--python", PYTHON, "install", "--quiet", "--no-compile"]
        command += ["--disable-pip-version-check", "--target", str(partial / "lib"), *PACKAGES]
        subprocess.run(command, check=True)
        (partial / "bin").mkdir()
        for program in (partial / "lib/bin").iterdir():
            if program.name.startswith(("os-", "cfn-", "dib-")):
                program.rename(partial / "bin" / program.name)
        shutil.rmtree(partial / "lib/bin")
        try:
            partial.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    return target


def _site_packages() -> str:
    """Where the servers' Python looks for packages that are not of the distribution."""
    code = "import json, site; print(json.dumps(site.getsitepackages()))"
    found = subprocess.run([PYTHON, "-c", code], check=True, capture_output=True, text=True).stdout
    paths: list[str] = json.loads(found)
    return paths[0]


def _built_image(scratch: Path) -> tuple[Path, Path]:
    async def unpack(archive: Path, target: Path) -> NoReturn:
        raise AssertionError("built-in images are not unpacked")

    image = asyncio.run(Images(scratch, 0, unpack).image("debian-12", None))
    return image.layers[0], image.usr_layers[0]


def _remove_own_tools(root: Path, usr: Path) -> None:
    for path in (ARCHIVE, *(program.path for program in PROGRAMS)):
        _inside(root, usr, path).unlink(missing_ok=True)


def _add_heat_agents(root: Path, usr: Path) -> None:
    """As the elements of heat-agents install it."""
    source = unpacked_source(*HEAT_AGENTS)
    libexec = usr / "libexec"
    shutil.copytree(
        source / "heat-config/os-refresh-config", libexec / "os-refresh-config", dirs_exist_ok=True
    )
    shutil.copytree(
        source / "heat-config/os-apply-config", libexec / "os-apply-config/templates", dirs_exist_ok=True
    )
    programs = [(path, usr / "bin" / path.name) for path in (source / "heat-config/bin").iterdir()]
    programs += [
        (path, root / "var/lib/heat-config/hooks" / path.stem.removeprefix("hook-"))
        for path in source.glob("heat-config-*/install.d/hook-*.py")
    ]
    for path, target in programs:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        target.chmod(0o755)
    for step in (libexec / "os-refresh-config").glob("*.d/*"):
        step.chmod(0o755)


def _inside(root: Path, usr: Path, path: str) -> Path:
    return usr / path.removeprefix("/usr/") if path.startswith("/usr/") else root / path.lstrip("/")


def _owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uname = entry.gname = ""
    entry.uid = entry.gid = 1000 if os.path.dirname(entry.name) in ("home", "./home") else 0
    return entry
