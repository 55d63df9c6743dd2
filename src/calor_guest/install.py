"""Installs the guest tools: copies the archive that runs, and links the names of the tools to it."""

import argparse
import os
import shutil
import sys
from typing import List

from calor_guest.collect.options import CONFIG_FILE
from calor_guest.common import files
from calor_guest.programs import PROGRAMS

ARCHIVE = "/usr/lib/calor-guest/calor-guest.pyz"
_FIRST_SETTINGS = "[DEFAULT]\ncommand = os-refresh-config\n"


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="calor-guest install", description="Installs the tools for software deployment on this server."
    )
    parser.add_argument("command", choices=["install"])
    parser.add_argument("--root", default="/", help="the folder of the root file system")
    parser.add_argument("--force", action="store_true", help="replace programs of the same names")
    given = parser.parse_args(arguments)
    install(sys.argv[0], given.root, force=given.force)
    return 0


def install(archive: str, root: str = "/", force: bool = False) -> None:
    """Existing programs of the same names stay, unless `force` is given."""
    target = _below(root, ARCHIVE)
    if os.path.realpath(archive) != os.path.realpath(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        # Agents may be running from the old one.
        shutil.copyfile(archive, target + ".new")
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
