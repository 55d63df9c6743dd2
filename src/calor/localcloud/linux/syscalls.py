"""System calls that the standard library lacks: namespaces, mounts, capabilities, seccomp."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import struct
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE, MS_SLAVE = 4096, 16384, 1 << 18, 1 << 19
MNT_DETACH, _UMOUNT_NOFOLLOW = 2, 8

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

Work = Callable[[], None]


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    _checked(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str = "") -> None:
    _checked(
        _libc.mount(
            source.encode(),
            target.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            options.encode() if options else None,
        ),
        f"mount {kind or source} at {target}",
    )


def bind(source: str, target: str, *, read_only: bool = False, flags: int = 0) -> None:
    """Bind-mounts a file or folder. `flags` are further mount flags."""
    mount(source, target, None, MS_BIND)
    if read_only or flags:
        restrict_mount(target, flags | (MS_RDONLY if read_only else 0))


def restrict_mount(target: str, flags: int) -> None:
    """Adds flags to a mount."""
    mount("none", target, None, MS_REMOUNT | MS_BIND | flags | _locked_flags(target))


def _locked_flags(target: str) -> int:
    """The flags that a user namespace must not clear, and so has to repeat."""
    found = os.statvfs(target).f_flag
    return found & (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)


def umount(target: str) -> None:
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def umount_tree(tree: int) -> None:
    """Unmounts an open mount, wherever it is. Changes the working directory."""
    os.fchdir(tree)
    umount(".")
    os.chdir("/")


def umount_at(folder: int, name: str) -> None:
    """Unmounts what is mounted directly below an open folder. Changes the working directory."""
    os.fchdir(folder)
    _checked(_libc.umount2(name.encode(), MNT_DETACH | _UMOUNT_NOFOLLOW), f"umount {name}")
    os.chdir("/")


def sync_file_system(fd: int) -> None:
    _checked(_libc.syncfs(fd), "syncfs")


def pivot_root(root: str) -> None:
    """Makes a mount the root of the mount namespace, and unmounts the old root."""
    os.chdir(root)
    _checked(_libc.pivot_root(b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", MNT_DETACH), "umount of the old root")
    os.chdir("/")


def bind_shifted(source: str, target: str, user_namespace: int) -> None:
    """Bind-mounts a folder with owners mapped as in a user namespace. Needs Linux 5.12 and root on the host."""
    tree = open_tree(source)
    try:
        attributes = struct.pack("=QQQQ", 0x00100000, 0, 0, user_namespace)
        _checked(
            _libc.syscall(_MOUNT_SETATTR, tree, b"", 0x1000, attributes, len(attributes)), "mount_setattr"
        )
        place = os.open(target, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            move_mount(tree, place)
        finally:
            os.close(place)
    finally:
        os.close(tree)


def open_tree(path: str) -> int:
    """A descriptor of a detached bind mount of a file or folder."""
    return _checked(_libc.syscall(_OPEN_TREE, -100, path.encode(), 1 | 0o2000000), "open_tree")


def move_mount(tree: int, target: int) -> None:
    """Attaches a detached mount at an open file or folder."""
    _checked(_libc.syscall(_MOVE_MOUNT, tree, b"", target, b"", 0x44), "move_mount")


def set_host_name(name: str) -> None:
    encoded = name.encode()
    _checked(_libc.sethostname(encoded, len(encoded)), "sethostname")


def die_with_parent() -> None:
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl")


def set_undumpable() -> None:
    """Keeps processes of the same user from tracing this one, until it executes another program."""
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl")


def set_no_new_privs() -> None:
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def disable_imports() -> None:
    """For a process that enters a server, where modules would be loaded from its files."""
    sys.meta_path.clear()


def keep_capabilities(kept: frozenset[int]) -> None:
    """Drops all other capabilities for good."""
    # Not read from /proc, which may be under the control of a server.
    for number in itertools.takewhile(
        lambda one: _libc.prctl(_PR_CAPBSET_READ, one, 0, 0, 0) >= 0, range(64)
    ):
        if number not in kept:
            _checked(_libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0), "prctl")
    mask = sum(1 << number for number in kept)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    sets = struct.pack("=6I", low, low, 0, high, high, 0)
    _checked(_libc.capset(struct.pack("=Ii", 0x20080522, 0), sets), "capset")


def act_as_user(user: int) -> None:
    """Changes the effective user of root, and keeps its capabilities."""
    head = struct.pack("=Ii", 0x20080522, 0)
    sets = ctypes.create_string_buffer(24)
    _checked(_libc.capget(head, sets), "capget")
    os.seteuid(user)
    # seteuid has cleared the effective set.
    _checked(_libc.capset(head, sets), "capset")


def install_call_filter(program: bytes) -> None:
    """Installs a seccomp filter, a classic BPF program."""
    code = ctypes.create_string_buffer(program)
    head = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, head, 0, 0), "seccomp")


@contextmanager
def in_network_namespace(fd: int) -> Iterator[None]:
    """Enters another network namespace for the duration of the context. Not for processes with several threads."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        setns(fd, NEWNET)
        try:
            yield
        finally:
            setns(home, NEWNET)
    finally:
        os.close(home)


def run_in_child(work: Work, keep: Collection[int] | None = None, seconds: int = 0) -> str | None:
    """Does the work in a forked process; returns the error, or None. With `keep`, the process closes all other
    descriptors; with `seconds`, it is killed when it takes longer."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        output = b""
        try:
            os.close(reading)
            if keep is not None:
                _close_all_but({0, 1, 2, writing, *keep})
            signal.alarm(seconds)
            work()
        except BaseException as error:
            output = (str(error) or type(error).__name__).encode()[:2000]
        finally:
            try:
                os.write(writing, output)
            finally:
                os._exit(0)
    os.close(writing)
    output = b""
    while chunk := os.read(reading, 4096):
        output += chunk
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return f"it took longer than {seconds} seconds"
    if status:
        return "it was killed"
    return output.decode(errors="replace") or None


def start_child(work: Work) -> int:
    """Does the work in a forked process, and returns its id. Errors are dropped."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def _close_all_but(kept: Collection[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            with suppress(OSError):
                os.close(int(name))
