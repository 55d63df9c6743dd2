"""What the kernel offers and the standard library does not: namespaces, mounts, capabilities, system call filters."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE, MS_SLAVE = 4096, 16384, 1 << 18, 1 << 19
MNT_DETACH = 2

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 22, 24, 38
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
    """Shows a file or folder in another place. `flags` further narrow what can be done there."""
    mount(source, target, None, MS_BIND)
    if read_only or flags:
        wanted = flags | (MS_RDONLY if read_only else 0)
        mount("none", target, None, MS_REMOUNT | MS_BIND | wanted | _locked_flags(target))


def _locked_flags(target: str) -> int:
    """Flags of a mount that a user namespace may not take away: they have to be repeated."""
    found = os.statvfs(target).f_flag
    return found & (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)


def umount(target: str) -> None:
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def sync_file_system(fd: int) -> None:
    _checked(_libc.syncfs(fd), "syncfs")


def enter_root(root: str) -> None:
    """Makes a mounted folder the root of the mount namespace, with nothing left of the old one."""
    os.chdir(root)
    _checked(_libc.pivot_root(b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", MNT_DETACH), "umount of the old root")
    os.chdir("/")


def bind_shifted(source: str, target: str, user_namespace: int) -> None:
    """Shows a folder with its owners shifted as a user namespace does. Needs Linux 5.12, and to be really root."""
    tree = open_copy(source)
    try:
        attributes = struct.pack("=QQQQ", 0x00100000, 0, 0, user_namespace)
        _checked(
            _libc.syscall(_MOUNT_SETATTR, tree, b"", 0x1000, attributes, len(attributes)), "mount_setattr"
        )
        move_in(tree, target)
    finally:
        os.close(tree)


def open_copy(folder: str) -> int:
    """A descriptor of a mount that shows a folder, and is nowhere yet."""
    return _checked(_libc.syscall(_OPEN_TREE, -100, folder.encode(), 1 | 0o2000000), "open_tree")


def move_in(tree: int, target: str) -> None:
    """Puts such a mount where it can be seen."""
    _checked(_libc.syscall(_MOVE_MOUNT, tree, b"", -100, target.encode(), 4), "move_mount")


def set_host_name(name: str) -> None:
    encoded = name.encode()
    _checked(_libc.sethostname(encoded, len(encoded)), "sethostname")


def die_with_parent() -> None:
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl")


def gain_nothing_by_exec() -> None:
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def keep_capabilities(kept: frozenset[int]) -> None:
    """Gives up all others for good."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for number in range(last + 1):
        if number not in kept:
            _checked(_libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0), "prctl")
    mask = sum(1 << number for number in kept)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    sets = struct.pack("=6I", low, low, 0, high, high, 0)
    _checked(_libc.capset(struct.pack("=Ii", 0x20080522, 0), sets), "capset")


def filter_calls(program: bytes) -> None:
    """Installs a filter in the form of classic BPF."""
    code = ctypes.create_string_buffer(program)
    head = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, head, 0, 0), "seccomp")


@contextmanager
def inside_network(fd: int) -> Iterator[None]:
    """The network namespace of the process is another one for a while. Not for processes with several threads."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        setns(fd, NEWNET)
        try:
            yield
        finally:
            setns(home, NEWNET)
    finally:
        os.close(home)


def in_child(work: Work) -> str | None:
    """Does something in a forked process; returns why it failed, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = b""
        try:
            os.close(reading)
            work()
        except BaseException as error:
            said = (str(error) or type(error).__name__).encode()[:2000]
        finally:
            try:
                os.write(writing, said)
            finally:
                os._exit(0)
    os.close(writing)
    said = b""
    while chunk := os.read(reading, 4096):
        said += chunk
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if status:
        return "it was killed"
    return said.decode(errors="replace") or None
