"""The section files: writes files with content from the metadata or from a URL."""

import base64
import errno
import grp
import json
import os
import pwd
import shutil
import stat
import tempfile
from typing import Any, BinaryIO, Mapping, Optional

from calor_guest.cfn.host import Host
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.values import properties

_KEEP = -1


def apply(section: Mapping[str, Any], host: Host) -> None:
    """In the order of the metadata. Raises Problem."""
    for name, value in section.items():
        given = properties(value)
        if "content" not in given and "source" not in given:
            log.error("%s is not written: it has neither content nor source", name)
            continue
        try:
            _write(os.path.join("/", name), given, host)
        except (OSError, ValueError) as error:
            raise Problem(f"{name} cannot be written: {error}") from None


def _write(path: str, given: Mapping[str, Any], host: Host) -> None:
    """Replaces the file as a whole; through a link, the file it leads to."""
    path = os.path.realpath(path)
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    existing = _status_of(path)
    if existing is not None and not stat.S_ISREG(existing.st_mode):
        # Devices and what is in /proc cannot be replaced.
        with open(path, "wb") as file:
            _fill(file, given, host)
        return
    handle, partial = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(path)}.")
    try:
        with os.fdopen(handle, "wb") as file:
            _fill(file, given, host)
            _set_owner(file, given, existing)
            os.fchmod(file.fileno(), _mode(given, existing))
        _replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def _replace(new: str, path: str) -> None:
    try:
        os.rename(new, path)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # A mounted file, as /etc/hosts of containers is, can only be written into.
        shutil.copyfile(new, path)
        os.unlink(new)


def _fill(file: BinaryIO, given: Mapping[str, Any], host: Host) -> None:
    if "content" in given:
        file.write(_content(given["content"], given.get("encoding")))
    else:
        host.download(str(given["source"]), file)


def _content(content: Any, encoding: Optional[str]) -> bytes:
    if not isinstance(content, str):
        return json.dumps(content, indent=4).encode("utf-8")
    if encoding == "base64":
        return base64.b64decode(content)
    return content.encode("utf-8", "surrogateescape")


def _set_owner(file: BinaryIO, given: Mapping[str, Any], existing: Optional[os.stat_result]) -> None:
    uid = _id_of(given.get("owner"), lambda name: pwd.getpwnam(name).pw_uid)
    gid = _id_of(given.get("group"), lambda name: grp.getgrnam(name).gr_gid)
    if existing is not None:
        uid = existing.st_uid if uid == _KEEP else uid
        gid = existing.st_gid if gid == _KEEP else gid
    found = os.fstat(file.fileno())
    if uid not in (_KEEP, found.st_uid) or gid not in (_KEEP, found.st_gid):
        os.fchown(file.fileno(), uid, gid)


def _id_of(name: Any, look_up: Any) -> int:
    if name is None:
        return _KEEP
    try:
        return int(look_up(str(name)))
    except KeyError:
        log.warning("there is no user or group %s", name)
        return _KEEP


def _mode(given: Mapping[str, Any], existing: Optional[os.stat_result]) -> int:
    if "mode" in given:
        return int(str(given["mode"]), 8) & 0o7777
    if existing is not None:
        return stat.S_IMODE(existing.st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _status_of(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
