"""Privileges of the holder: if it is not root, it becomes root of a user namespace of its own."""

from __future__ import annotations

import os
import pwd
import resource
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from calor.localcloud.linux import syscalls
from calor.localcloud.linux.confinement import FILES_ONLY, Ids, confine
from calor.localcloud.linux.syscalls import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_REC,
    MS_SLAVE,
    NEWNET,
    NEWNS,
    NEWPID,
    NEWUSER,
)

_FIRST_SHIFTED, _COUNT = 1_500_000_000, 65_536
_MOST_MEMORY = 1 << 30


def enter() -> Ids:
    """Enters a mount namespace, and without root a user namespace, in which the process can create others. Returns the
    ids of servers. Without root, it returns in a child process, and the calling process exits."""
    if os.geteuid() == 0:
        syscalls.unshare(NEWNS)
        syscalls.mount("none", "/", None, MS_REC | MS_SLAVE)
        return ids_here()
    _become_root()
    syscalls.unshare(NEWNS | NEWNET | NEWPID)
    if os.fork():
        os._exit(0)
    syscalls.mount("none", "/", None, MS_REC | MS_SLAVE)
    syscalls.mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    _limit_inotify()
    return ids_here()


def _limit_inotify() -> None:
    """inotify instances of servers count as those of the user, so servers together get half of them."""
    for kind in ("instances", "watches"):
        with suppress(OSError):
            allowed = int(Path(f"/proc/sys/fs/inotify/max_user_{kind}").read_text())
            Path(f"/proc/sys/user/max_inotify_{kind}").write_text(str(allowed // 2))


def ids_here() -> Ids:
    """The ids of servers: shifted if all ids are available, so that root of a server has no privileges on the host."""
    with open("/proc/self/uid_map") as file:
        first, _, count = (int(field) for field in file.readline().split())
    if first == 0 and count > _FIRST_SHIFTED + _COUNT:
        return Ids(_FIRST_SHIFTED, _COUNT)
    return Ids(0, count)


def _become_root() -> None:
    user, group = os.getuid(), os.getgid()
    ready_reading, ready_writing = os.pipe()
    done_reading, done_writing = os.pipe()
    helper = os.fork()
    if helper == 0:
        # Only a process outside the namespace can map more than one id.
        os.close(ready_writing)
        os.read(ready_reading, 1)
        os.write(done_writing, b"1" if _map_many(os.getppid(), user, group) else b"0")
        os._exit(0)
    os.close(done_writing)
    syscalls.unshare(NEWUSER)
    os.write(ready_writing, b"1")
    has_many = os.read(done_reading, 1) == b"1"
    os.waitpid(helper, 0)
    for fd in (ready_reading, ready_writing, done_reading):
        os.close(fd)
    if not has_many:
        for name, value in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {group} 1"),
        ):
            Path(f"/proc/self/{name}").write_text(value)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


def _map_many(process: int, user: int, group: int) -> bool:
    users, groups = _subordinate("/etc/subuid", user), _subordinate("/etc/subgid", user)
    if users is None or groups is None or not (shutil.which("newuidmap") and shutil.which("newgidmap")):
        return False
    count = min(users[1], groups[1], _COUNT - 1)
    for command, own, more in (("newuidmap", user, users[0]), ("newgidmap", group, groups[0])):
        mapping = ["0", str(own), "1", "1", str(more), str(count)]
        if subprocess.run([command, str(process), *mapping], stderr=subprocess.DEVNULL).returncode:
            return False
    return True


def _subordinate(file: str, user: int) -> tuple[int, int] | None:
    """The first range of subordinate ids of a user."""
    names = {str(user)}
    with suppress(KeyError):
        names.add(pwd.getpwuid(user).pw_name)
    with suppress(OSError):
        for line in Path(file).read_text().splitlines():
            name, _, numbers = line.partition(":")
            first, _, count = numbers.partition(":")
            if name in names and first.isdigit() and count.isdigit():
                return int(first), int(count)
    return None


def user_namespace(ids: Ids) -> int:
    """A descriptor of a user namespace with the id mapping of servers."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            syscalls.unshare(NEWUSER)
            os.write(writing, b"1")
            signal.pause()
        finally:
            os._exit(1)
    os.close(writing)
    try:
        if os.read(reading, 1) != b"1":
            raise OSError("a user namespace cannot be created")
        for kind in ("gid_map", "uid_map"):
            Path(f"/proc/{child}/{kind}").write_text(ids.mapping())
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def confine_to(place: Path, namespace: int) -> None:
    """Makes a folder the root of the process, and drops all privileges but those over files that root has in the given
    user namespace. For a child process that only reads and writes there."""
    syscalls.disable_imports()
    syscalls.unshare(NEWNS)
    syscalls.mount("none", "/", None, MS_REC | MS_PRIVATE)
    syscalls.bind(str(place), str(place))
    syscalls.pivot_root(str(place))
    syscalls.setns(namespace, NEWUSER)
    os.close(namespace)
    # Hostile archives may need much memory.
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    confine(FILES_ONLY)


def mount_shifted_usr(place: Path, ids: Ids) -> Path:
    """The /usr of the host for servers: mounted with mapped owners, if the kernel supports it."""
    if not ids.are_shifted:
        return Path("/usr")
    try:
        namespace = user_namespace(ids)
        try:
            place.mkdir(parents=True, exist_ok=True)
            syscalls.bind_shifted("/usr", str(place), namespace)
        finally:
            os.close(namespace)
    except OSError:
        # It is readable then, but owned by nobody.
        return Path("/usr")
    return place
