"""Writes JSON files: the config has their content by path."""

import os
from typing import Any, List

from calor_guest.common import files
from calor_guest.config.configs import Config
from calor_guest.config.hook import CannotApply, create_folders, pretty, run_as_hook
from calor_guest.config.results import Result, result


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    wanted = config.get("config")
    if not isinstance(wanted, dict):
        raise CannotApply("The config is not a map of paths to contents.")
    for path, content in wanted.items():
        _write(path, content)
    return result("", "", 0)


def _write(path: str, content: Any) -> None:
    """An existing file keeps its owner and mode."""
    target = os.path.realpath(path)
    create_folders(os.path.dirname(target))
    before = os.stat(target) if os.path.exists(target) else None
    mode = before.st_mode & 0o777 if before else 0o644
    owner = files.Owner(before.st_uid, before.st_gid) if before else None
    files.write(target, pretty(content), mode, owner=owner)
