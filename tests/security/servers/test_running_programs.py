"""Whoever enters a server starts a program there that its root has chosen: nothing of the host is lent to it."""

from __future__ import annotations

import os
import sys

import pytest

from calor.localcloud.backend import BackendError
from calor.localcloud.linux.syscalls import disable_imports, run_in_child
from tests.support.linux import Machine

BORROWING = """
mkdir /root/bin; printf '#!/proc/self/exe\\n' >/root/bin/sh; chmod 755 /root/bin/sh
rm /bin && /usr/bin/mv /root/bin /bin
"""
"""Whatever starts a shell executes itself."""


def test_the_interpreter_of_the_host_cannot_be_started_by_a_server(machine: Machine) -> None:
    """A script may name whatever runs already as its interpreter. What runs could then be changed: without root, it
    belongs to the root of the server."""
    machine.boot("one")
    machine.finished("one")
    machine.out("one", BORROWING)
    done = machine.run("one", "true")
    assert done.returncode == 127
    assert "Permission denied: '/bin/sh'" in done.stderr


def test_a_server_cannot_boot_with_the_interpreter_of_the_host(machine: Machine) -> None:
    machine.boot("one")
    machine.finished("one")
    machine.out("one", BORROWING)
    machine.do(machine.linux.halt("one"))
    with pytest.raises(BackendError, match="Permission denied: '/bin/sh'"):
        machine.boot("one")


def test_the_interpreter_of_the_holder_cannot_be_written_or_started(machine: Machine) -> None:
    flags = os.statvfs(f"/proc/{machine.holder()}/exe").f_flag
    assert flags & os.ST_RDONLY
    assert flags & os.ST_NOEXEC
    assert not os.statvfs(sys.executable).f_flag & os.ST_NOEXEC


def test_modules_are_not_imported_in_a_server() -> None:
    def work() -> None:
        disable_imports()
        import this  # noqa: F401

    problem = run_in_child(work)
    assert problem is not None
    assert "this" in problem
