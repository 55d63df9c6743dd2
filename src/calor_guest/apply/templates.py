"""Templates: a tree of files, each for the file of the same path. Those that can be executed print the content."""

import json
import logging
import os
import subprocess
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from calor_guest.apply import control, mustache
from calor_guest.apply.control import Control
from calor_guest.apply.errors import ApplyError
from calor_guest.common import files

DEFAULT_ROOT = "/usr/libexec/os-apply-config/templates"
_OLD_ROOTS = ("/opt/stack/os-apply-config/templates", "/opt/stack/os-config-applier/templates")

log = logging.getLogger("os-apply-config")


class Rendered(NamedTuple):
    body: str
    control: Control = Control()


def root(environment: Mapping[str, str]) -> str:
    given = environment.get("OS_CONFIG_APPLIER_TEMPLATES")
    if given is not None:
        return given
    if not os.path.isdir(DEFAULT_ROOT):
        for old in _OLD_ROOTS:
            if os.path.isdir(old):
                log.warning("templates in %s are deprecated; their place is %s", old, DEFAULT_ROOT)
                return old
    return DEFAULT_ROOT


def paths(folder: str) -> List[Tuple[str, str]]:
    """Each template, and the path of the file that it is for."""
    found = []
    for current, folders, names in os.walk(folder):
        folders.sort()
        inner = current[len(folder) :]
        found += [
            (os.path.join(current, name), os.path.join(inner, name))
            for name in sorted(names)
            if not name.endswith(control.SUFFIX)
        ]
    return found


def rendered(templates: List[Tuple[str, str]], metadata: Dict[str, Any]) -> Dict[str, Rendered]:
    """What belongs into the files, by path. Raises ApplyError."""
    return {path: _one(template, metadata) for template, path in templates}


def _one(template: str, metadata: Dict[str, Any]) -> Rendered:
    body = render(template, metadata)
    beside = template + control.SUFFIX
    if not os.path.isfile(beside):
        return Rendered(body)
    try:
        with open(beside, encoding="utf-8") as file:
            return Rendered(body, control.read(file.read()))
    except ApplyError as error:
        raise ApplyError(f"{beside}: {error}") from error


def render(template: str, metadata: Dict[str, Any]) -> str:
    """Raises ApplyError."""
    if os.path.isfile(template) and os.access(template, os.X_OK):
        return execute(template, metadata)
    try:
        with open(template, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return mustache.render(file.read(), metadata)
    except (OSError, mustache.TemplateError) as error:
        log.error("%s", error)
        raise ApplyError(f"could not render moustache template {template}: {error}") from error


def execute(program: str, metadata: Dict[str, Any]) -> str:
    """What a program prints that is given the metadata. Raises ApplyError."""
    try:
        process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise ApplyError(f"{program} cannot be executed: {error}") from error
    output, errors = process.communicate(json.dumps(metadata).encode("utf-8"))
    if process.returncode != 0:
        printed = (output + errors).decode("utf-8", "replace")
        raise ApplyError(f"{program} exited with code {process.returncode}, with this output:\n{printed}")
    return output.decode("utf-8", "surrogateescape")


def write(path: str, file: Rendered, new_mode: int = 0o644) -> None:
    """Replaces a file; mode and owner stay, unless the control file sets them."""
    if not file.body and not file.control.allow_empty:
        if os.path.exists(path):
            log.info("deleting %s", path)
            os.unlink(path)
        else:
            log.info("not creating empty %s", path)
        return
    log.info("writing %s", path)
    old = _status(path)
    mode = file.control.mode if file.control.mode is not None else old.st_mode & 0o7777 if old else new_mode
    uid = file.control.owner if file.control.owner is not None else old.st_uid if old else -1
    gid = file.control.group if file.control.group is not None else old.st_gid if old else -1
    files.write(path, file.body, mode, owner=files.Owner(uid, gid))


def _status(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
