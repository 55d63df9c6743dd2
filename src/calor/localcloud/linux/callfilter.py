"""The seccomp filter of servers: a classic BPF program for x86-64.

A server shares the kernel with the host. Calls that it does not need are refused: namespaces and mounts, parts of the
kernel with a history of vulnerabilities, and resources with a limit for the whole machine.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable

_EPERM, _ENOENT, _ENOMEM, _EINVAL, _ENOSYS, _ENOPROTOOPT = 1, 2, 12, 22, 38, 92
_EPROTONOSUPPORT, _EAFNOSUPPORT = 93, 97

_REFUSED = {
    "ptrace": 101,
    "syslog": 103,
    "uselib": 134,
    "sysfs": 139,
    "modify_ldt": 154,
    "pivot_root": 155,
    "_sysctl": 156,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "iopl": 172,
    "ioperm": 173,
    "create_module": 174,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "nfsservctl": 180,
    "lookup_dcookie": 212,
    "clock_settime": 227,
    "mbind": 237,
    "set_mempolicy": 238,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "unshare": 272,
    "vmsplice": 278,
    "move_pages": 279,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
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
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "set_mempolicy_home_node": 450,
    "open_tree_attr": 467,
}
"""System calls by their numbers."""

_UNKNOWN = {
    # The number of contexts is limited for the whole machine.
    "io_setup": 206,
    # The memory for filters is limited for the whole machine.
    "seccomp": 317,
    # The C library then falls back on clone, whose flags can be seen.
    "clone3": 435,
    "statmount": 457,
    "listmount": 458,
}
"""Calls that fail with ENOSYS: programs then use another one."""
_FIRST_UNKNOWN = 470
"""Calls from here on are newer than this list, or of another ABI."""

_CLONE = 56
_NEW_NAMESPACES = 0x7E020000
_SOCKETS = (41, 53)
"""socket and socketpair."""
_UNIX, _IPV4, _IPV6, _NETLINK = 1, 2, 10, 16
"""The permitted address families. Most others have no namespaces: a vsock of a server would be one of the host."""
_IP_TYPES, _TYPE_BITS = (1, 2, 3), 0xF
"""Streams, datagrams and raw sockets. Other types mean further protocols, whatever the protocol number; the other bits
are flags."""
_IP_PROTOCOLS = (0, 1, 6, 17, 58, 255)
"""The default, ICMP, TCP, UDP, ICMPv6 and raw, which fails for lack of a capability. For others, the kernel would load
modules."""
_NETLINK_PROTOCOLS = (0, 4)
"""Routing and socket diagnostics. In others, servers could queue messages that no memory limit counts."""

_SETSOCKOPT, _OF_SOCKETS, _OF_TCP, _OF_IPV6 = 54, 1, 6, 41
_BUFFER_SIZES = (7, 8)
"""Options that are accepted and ignored: no memory limit counts the queue of a netlink socket, so that it must stay
small. For other sockets, the sizes are a hint."""
_FILTERS = (26, 50, 51, 52)
"""Options that fail with ENOPROTOOPT: the memory for compiled filters is limited for the whole machine."""
_UPPER_LAYER, _FLOW_LABELS = 31, 32
"""Options of TCP and IPv6. In-kernel protocols on top of TCP have had vulnerabilities, and the flow labels
of the whole machine are limited."""
_PRCTL, _SET_SECCOMP = 157, 22
"""Fails as in a kernel without seccomp, whose filters use the same memory."""

_SETRLIMIT, _PRLIMIT, _CORE = 160, 302, 4
"""With any other limit than the one that a server has, less included, the host's program for core dumps would be run.
Changes are taken and do nothing."""
_IOCTL, _LINE_DISCIPLINE = 16, 0x5423
"""The kernel would load a module for a terminal, some of which have a history of holes."""
_MMAP, _MAP_HUGE = 9, 0x40000
_MEMFD, _MEMFD_HUGE = 319, 4
"""Huge pages are set aside for programs of the host, and not part of the memory of a control group."""

_NUMBER, _ARCHITECTURE = 0, 4
_FIRST_ARGUMENT, _SECOND_ARGUMENT, _THIRD_ARGUMENT, _FOURTH_ARGUMENT = 16, 24, 32, 40
"""Offsets in `struct seccomp_data`, for arguments those of the lower halves."""
_UPPER_HALF = 4
_X86_64 = 0xC000003E
_ALLOWED, _KILLED, _FAILS = 0x7FFF0000, 0x80000000, 0x00050000
_NO_ERROR = 0

Block = list[bytes]
"""Instructions that end with a return."""


def has_filter() -> bool:
    """Whether the filter supports the architecture of this machine."""
    return platform.machine() == "x86_64"


def call_filter() -> bytes:
    program = [*_load(_ARCHITECTURE), *_unless_equal(_X86_64, _answer(_KILLED)), *_load(_NUMBER)]
    program += _if_at_least(_FIRST_UNKNOWN, _fail(_ENOSYS))
    for number in _REFUSED.values():
        program += _if_equal(number, _fail(_EPERM))
    for number in _UNKNOWN.values():
        program += _if_equal(number, _fail(_ENOSYS))
    for number in _SOCKETS:
        program += _if_equal(number, _sockets())
    program += _if_equal(_SETSOCKOPT, _options())
    own_filter = [*_load(_FIRST_ARGUMENT), *_if_equal(_SET_SECCOMP, _fail(_EINVAL)), *_answer(_ALLOWED)]
    program += _if_equal(_PRCTL, own_filter)
    own_limits = [*_load(_FIRST_ARGUMENT), *_if_equal(_CORE, _fail(_NO_ERROR)), *_answer(_ALLOWED)]
    program += _if_equal(_SETRLIMIT, own_limits) + _if_equal(_PRLIMIT, _process_limits())
    control = [*_load(_SECOND_ARGUMENT), *_if_equal(_LINE_DISCIPLINE, _fail(_EINVAL)), *_answer(_ALLOWED)]
    program += _if_equal(_IOCTL, control)
    for number, argument, bit in (
        (_MMAP, _FOURTH_ARGUMENT, _MAP_HUGE),
        (_MEMFD, _SECOND_ARGUMENT, _MEMFD_HUGE),
    ):
        huge = [*_load(argument), *_if_any_bit(bit, _fail(_ENOMEM)), *_answer(_ALLOWED)]
        program += _if_equal(number, huge)
    with_flags = [*_load(_FIRST_ARGUMENT), *_if_any_bit(_NEW_NAMESPACES, _fail(_EPERM)), *_answer(_ALLOWED)]
    program += _if_equal(_CLONE, with_flags)
    program += _answer(_ALLOWED)
    return b"".join(program)


def _sockets() -> Block:
    block = _load(_FIRST_ARGUMENT)
    block += _if_equal(_UNIX, _answer(_ALLOWED))
    for family in (_IPV4, _IPV6):
        block += _if_equal(family, _of_ip())
    block += _if_equal(_NETLINK, _among(_NETLINK_PROTOCOLS))
    return block + _fail(_EAFNOSUPPORT)


def _of_ip() -> Block:
    block = [*_load(_SECOND_ARGUMENT), *_only_bits(_TYPE_BITS)]
    for kind in _IP_TYPES:
        block += _if_equal(kind, _among(_IP_PROTOCOLS))
    return block + _fail(_EPROTONOSUPPORT)


def _options() -> Block:
    block: Block = _load(_THIRD_ARGUMENT)
    for option in _BUFFER_SIZES:
        block += _if_equal(option, _fail(_NO_ERROR))
    for option in _FILTERS:
        block += _if_equal(option, _fail(_ENOPROTOOPT))
    program = [*_load(_SECOND_ARGUMENT), *_if_equal(_OF_SOCKETS, block + _answer(_ALLOWED))]
    for level, option, code in ((_OF_TCP, _UPPER_LAYER, _ENOENT), (_OF_IPV6, _FLOW_LABELS, _ENOPROTOOPT)):
        other = [*_load(_THIRD_ARGUMENT), *_if_equal(option, _fail(code)), *_answer(_ALLOWED)]
        program += _if_equal(level, other)
    return program + _answer(_ALLOWED)


def _process_limits() -> Block:
    """Without a place where new ones are, a process only asks for its limits."""
    upper = [*_load(_THIRD_ARGUMENT + _UPPER_HALF), *_if_equal(0, _answer(_ALLOWED)), *_fail(_NO_ERROR)]
    of_core = [*_load(_THIRD_ARGUMENT), *_if_equal(0, upper), *_fail(_NO_ERROR)]
    return [*_load(_SECOND_ARGUMENT), *_if_equal(_CORE, of_core), *_answer(_ALLOWED)]


def _among(protocols: Iterable[int]) -> Block:
    block = _load(_THIRD_ARGUMENT)
    for protocol in protocols:
        block += _if_equal(protocol, _answer(_ALLOWED))
    return block + _fail(_EPROTONOSUPPORT)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _load(place: int) -> Block:
    return [_step(0x20, place)]


def _only_bits(bits: int) -> Block:
    return [_step(0x54, bits)]


def _answer(value: int) -> Block:
    return [_step(0x06, value)]


def _fail(code: int) -> Block:
    return _answer(_FAILS | code)


def _if_equal(value: int, block: Block) -> Block:
    return [_step(0x15, value, 0, len(block)), *block]


def _unless_equal(value: int, block: Block) -> Block:
    return [_step(0x15, value, len(block), 0), *block]


def _if_at_least(value: int, block: Block) -> Block:
    return [_step(0x35, value, 0, len(block)), *block]


def _if_any_bit(bits: int, block: Block) -> Block:
    return [_step(0x45, bits, 0, len(block)), *block]
