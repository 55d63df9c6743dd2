"""Installs the guest tools: copies the archive that runs, and links the names of the tools to it."""

import argparse
import os
import subprocess
import sys
from typing import List

from calor_guest.collect.options import CONFIG_FILE
from calor_guest.common import files
from calor_guest.compiled import with_compiled_modules
from calor_guest.programs import PROGRAMS

ARCHIVE = "/usr/lib/calor-guest/calor-guest.pyz"
_FIRST_SETTINGS = "[DEFAULT]\ncommand = os-refresh-config\n"
_UNITS = "/etc/systemd/system"
_UNIT = "os-collect-config.service"
_SERVICE = """[Unit]
Description=Agent for software deployments (os-collect-config)
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/os-collect-config
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
"""


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="calor-guest install", description="Installs the tools for software deployment on this server."
    )
    parser.add_argument("command", choices=["install"])
    parser.add_argument("--root", default="/", help="the folder of the root file system")
    parser.add_argument("--force", action="store_true", help="replace programs of the same names")
    parser.add_argument(
        "--service",
        action="store_true",
        help="run os-collect-config as a service of systemd, now and at boot",
    )
    given = parser.parse_args(arguments)
    install(sys.argv[0], given.root, force=given.force)
    if given.service:
        add_service(given.root)
        if given.root == "/" and os.path.isdir("/run/systemd/system"):
            _start_service()
    return 0


def add_service(root: str = "/") -> None:
    """An existing service of that name stays, for example that of a package."""
    wanted = _below(root, f"{_UNITS}/multi-user.target.wants/{_UNIT}")
    if os.path.lexists(wanted):
        return
    files.write(_below(root, f"{_UNITS}/{_UNIT}"), _SERVICE)
    os.makedirs(os.path.dirname(wanted), exist_ok=True)
    os.symlink(f"{_UNITS}/{_UNIT}", wanted)


def _start_service() -> None:
    """Does not wait: user data may run before the services that this one waits for."""
    for command in (["daemon-reload"], ["start", "--no-block", _UNIT]):
        subprocess.run(["systemctl", *command], check=True)


def install(archive: str, root: str = "/", force: bool = False) -> None:
    """Existing programs of the same names stay, unless `force` is given."""
    target = _below(root, ARCHIVE)
    if os.path.realpath(archive) != os.path.realpath(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(archive, "rb") as file:
            content = with_compiled_modules(file.read(), ARCHIVE)
        # Agents may be running from the old one.
        with open(target + ".new", "wb") as file:
            file.write(content)
        os.chmod(target + ".new", 0o755)
        os.rename(target + ".new", target)
    for program in PROGRAMS:
        _link(_below(root, program.path), force)
    settings = _below(root, CONFIG_FILE)
    if not os.path.exists(settings):
        files.write(settings, _FIRST_SETTINGS)


def _link(path: str, force: bool) -> None:
    if os.path.lexists(path):
        if not force:
            return
        os.unlink(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(ARCHIVE, path)


def _below(root: str, path: str) -> str:
    return os.path.join(root, path.lstrip("/"))
