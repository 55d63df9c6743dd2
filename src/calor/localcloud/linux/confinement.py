"""Confines the processes of a server: capabilities, resource limits and the system call filter."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from dataclasses import dataclass

from calor.localcloud.linux import syscalls
from calor.localcloud.linux.callfilter import call_filter, has_filter

# chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, sys_chroot, audit_write,
# setfcap; all of them only over what belongs to the server's own user namespace. Its network does not: net_raw gives
# it nothing, but without it a ping that has that capability as a file could not even be started.
_KEPT = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31})
FILES_ONLY = frozenset({0, 1, 2, 3, 4})
"""The capabilities to read and write all files of a server."""

_LIMITS = {
    resource.RLIMIT_SIGPENDING: (4096, 4096),
    resource.RLIMIT_MSGQUEUE: (819_200, 819_200),
    resource.RLIMIT_MEMLOCK: (8 << 20, 8 << 20),
    # Any other value would let the host's core dump handler run for processes of a server.
    resource.RLIMIT_CORE: (1, 1),
}
"""By process or by user. Each server has a user of its own."""


@dataclass(frozen=True)
class Ids:
    """The range of host ids that is mapped to the ids of a server from 0 on."""

    first: int
    count: int

    @property
    def are_shifted(self) -> bool:
        return self.first > 0

    def mapping(self) -> str:
        return f"0 {self.first} {self.count}"


def limit_resources(most_files: int) -> None:
    """To be called before the user namespace is created: the limits of its creator hold for all its users together."""
    for kind, (usual, most) in {**_LIMITS, resource.RLIMIT_NOFILE: (1024, most_files)}.items():
        _, allowed = resource.getrlimit(kind)
        if allowed != resource.RLIM_INFINITY:
            usual, most = min(usual, allowed), min(most, allowed)
        resource.setrlimit(kind, (usual, most))


def confine(kept: frozenset[int] = _KEPT) -> None:
    """Becomes root of the present user namespace, and drops all other privileges."""
    # Until it executes another program, it may have open files of the holder.
    syscalls.set_undumpable()
    # Not permitted if only one group is mapped.
    with suppress(PermissionError):
        os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    syscalls.keep_capabilities(kept)
    syscalls.set_no_new_privs()
    # setresuid has cleared it.
    syscalls.die_with_parent()
    if has_filter():
        syscalls.install_call_filter(call_filter())


ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TERM": "linux",
    "container": "calor",
    # cloud-init detects OpenStack by this.
    "product_name": "OpenStack Nova",
}
