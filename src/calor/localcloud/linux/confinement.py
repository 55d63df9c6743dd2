"""What a process in a server may do: little enough that its root has no power over the machine."""

from __future__ import annotations

import os
import platform
import struct
from contextlib import suppress
from dataclasses import dataclass

from calor.localcloud.linux import syscalls

# chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, sys_chroot, audit_write,
# setfcap; all of them only over what belongs to the server's own user namespace. Its network does not: net_raw gives
# it nothing, but without it a ping that has that capability as a file could not even be started.
_KEPT = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31})
FILES_ONLY = frozenset({0, 1, 2, 3, 4})
"""What it takes to read and write all files of a server, and no more."""

_REFUSED = {
    "ptrace": 101,
    "syslog": 103,
    "pivot_root": 155,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "iopl": 172,
    "ioperm": 173,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "clock_settime": 227,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "unshare": 272,
    "vmsplice": 278,
    "perf_event_open": 298,
    "open_by_handle_at": 304,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "mount_setattr": 442,
}
"""System calls by their numbers on x86-64."""

_SOCKET, _SOCKETPAIR = 41, 53
_FAMILIES = (1, 2, 10, 16)
"""Sockets that a server may have: of Unix, IPv4, IPv6 and netlink. Most others know no namespaces: a vsock of a server
would be the host's, and so would what it talks to."""
_CLONE, _CLONE3 = 56, 435
_NEW_NAMESPACES = 0x7E020000
_X86_64, _X32 = 0xC000003E, 0x40000000
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97


@dataclass(frozen=True)
class Ids:
    """Which of the ids here are a server's, from its 0 on."""

    first: int
    count: int

    @property
    def are_shifted(self) -> bool:
        return self.first > 0

    def mapping(self) -> str:
        return f"0 {self.first} {self.count}"


def has_filter() -> bool:
    """Whether system calls can be filtered on this machine; their numbers are known for one architecture."""
    return platform.machine() == "x86_64"


def call_filter() -> bytes:
    load, equal, at_least, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06

    def step(code: int, if_true: int, if_false: int, value: int) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    program = [
        step(load, 0, 0, 4),
        step(equal, 1, 0, _X86_64),
        step(answer, 0, 0, _KILL),
        step(load, 0, 0, 0),
        step(at_least, 0, 1, _X32),
        step(answer, 0, 0, _REFUSE | _EPERM),
    ]
    for number in _REFUSED.values():
        program += [step(equal, 0, 1, number), step(answer, 0, 0, _REFUSE | _EPERM)]
    last = len(_FAMILIES) - 1
    for number in (_SOCKET, _SOCKETPAIR):
        program += [
            step(equal, 0, len(_FAMILIES) + 3, number),
            step(load, 0, 0, 16),
            *(step(equal, last - place + 1, 0, family) for place, family in enumerate(_FAMILIES)),
            step(answer, 0, 0, _REFUSE | _EAFNOSUPPORT),
            step(answer, 0, 0, _ALLOW),
        ]
    program += [
        # The C library then falls back on clone, whose flags can be seen.
        step(equal, 0, 1, _CLONE3),
        step(answer, 0, 0, _REFUSE | _ENOSYS),
        step(equal, 0, 3, _CLONE),
        step(load, 0, 0, 16),
        step(any_bit, 0, 1, _NEW_NAMESPACES),
        step(answer, 0, 0, _REFUSE | _EPERM),
        step(answer, 0, 0, _ALLOW),
    ]
    return b"".join(program)


def confine(kept: frozenset[int] = _KEPT) -> None:
    """Becomes root of the user namespace that the process has entered, and gives up everything else."""
    # It may still have files of the holder open, which its exec will close.
    syscalls.hide_from_others()
    # Refused where the namespace has no groups but one.
    with suppress(PermissionError):
        os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    syscalls.keep_capabilities(kept)
    syscalls.gain_nothing_by_exec()
    # Changing who one is clears it.
    syscalls.die_with_parent()
    if has_filter():
        syscalls.filter_calls(call_filter())


ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TERM": "linux",
    "container": "calor",
    # By this, cloud-init sees that it is in a cloud of this kind.
    "product_name": "OpenStack Nova",
}
