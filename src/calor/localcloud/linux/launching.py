"""Processes in servers: the first one, which makes the server, and further ones that are let in.

A server's user namespace is entered last of all. Its networks, mounts and processes then belong to a namespace above
it, over which its root has no power whatever it is able to do in its own.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import stat
import struct
import termios
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from calor.localcloud.linux import beneath, syscalls
from calor.localcloud.linux.confinement import ENVIRONMENT, Ids, confine
from calor.localcloud.linux.rootfs import Root
from calor.localcloud.linux.syscalls import (
    MS_PRIVATE,
    MS_REC,
    NEWCGROUP,
    NEWIPC,
    NEWNET,
    NEWNS,
    NEWPID,
    NEWUSER,
    NEWUTS,
)


@dataclass(frozen=True)
class Launch:
    root: Root
    host_name: str
    network: int
    """A descriptor of its network namespace."""
    groups: Sequence[int]
    """Descriptors of files to be joined by writing to them."""
    console: str
    program: tuple[str, ...]


@dataclass(frozen=True)
class Launching:
    """A first process on its way. It asks for its ids, and is silent from the moment at which it runs."""

    process: int
    """A child of this one that dies with it."""
    connection: socket.socket
    ids: Ids

    def outcome(self) -> str | None:
        """Takes what the process has said: nothing while it is on its way, an empty text once it runs, or what went
        wrong. What goes wrong is the last that it does."""
        said = self.connection.recv(4096)
        if said != b"mapped?":
            return said.decode(errors="replace")
        try:
            for kind in ("gid_map", "uid_map"):
                with open(f"/proc/{self.process}/{kind}", "w") as file:
                    file.write(self.ids.mapping())
            self.connection.sendall(b"yes")
        except OSError as error:
            return str(error)
        return None


def launch(order: Launch) -> Launching:
    ours, theirs = socket.socketpair()
    with open("/proc/self/ns/pid") as home:
        syscalls.unshare(NEWPID)
        try:
            child = os.fork()
            if child == 0:
                ours.close()
                _as_child(theirs, lambda: _become_first(order, theirs))
        finally:
            syscalls.setns(home.fileno(), NEWPID)
    theirs.close()
    return Launching(child, ours, order.root.ids)


def _become_first(order: Launch, parent: socket.socket) -> NoReturn:
    os.setsid()
    for group in order.groups:
        os.write(group, b"0")
    syscalls.setns(order.network, NEWNET)
    syscalls.unshare(NEWNS | NEWUTS | NEWIPC | NEWCGROUP)
    syscalls.mount("none", "/", None, MS_REC | MS_PRIVATE)
    console = os.open(order.console, os.O_RDWR | os.O_NOCTTY)
    for number in range(3):
        os.dup2(console, number)
    order.root.enter(order.console)
    syscalls.set_host_name(order.host_name)
    syscalls.unshare(NEWUSER)
    parent.sendall(b"mapped?")
    if parent.recv(16) != b"yes":
        os._exit(1)
    confine()
    _execute(order.program, ENVIRONMENT)


_JOINED = (
    ("net", NEWNET),
    ("uts", NEWUTS),
    ("ipc", NEWIPC),
    ("cgroup", NEWCGROUP),
    ("pid", NEWPID),
    ("mnt", NEWNS),
)


def let_in(
    first: int,
    groups: Sequence[int],
    program: Sequence[str],
    environment: Mapping[str, str],
    standard: Callable[[], Sequence[int]],
) -> int:
    """Runs a program in the server of a first process, and returns how it ended. `standard` is asked within the
    server for its input and output, of which a terminal will be the program's own. Only for a process that does
    nothing else: it is in the server afterwards."""
    for group in groups:
        os.write(group, b"0")
    opened = [(os.open(f"/proc/{first}/ns/{name}", os.O_RDONLY), kind) for name, kind in _JOINED]
    user = os.open(f"/proc/{first}/ns/user", os.O_RDONLY)
    for fd, kind in opened:
        syscalls.setns(fd, kind)
    streams = standard()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            if os.isatty(streams[0]):
                fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            syscalls.setns(user, NEWUSER)
            confine()
            os.chdir("/root")
            _execute(program, {**ENVIRONMENT, **environment})
        except BaseException as error:
            os.write(2, f"{error}\n".encode())
        finally:
            os._exit(127)
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


_LOCK, _PEER = 0x40045431, 0x5441
"""What is asked of a new terminal: to be unlocked, and for its other end."""


def open_terminal() -> tuple[int, int]:
    """Both ends of a new terminal of the server in whose namespaces the process is. All that is trusted of its /dev is
    what was mounted there."""
    top = beneath.open_folder(Path("/"))
    try:
        with beneath.found(top, "dev/pts") as terminals:
            if terminals is None:
                raise OSError("the server has no terminals")
            master = os.open("ptmx", os.O_RDWR | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=terminals)
    finally:
        os.close(top)
    fcntl.ioctl(master, _LOCK, struct.pack("=i", 0))
    return master, fcntl.ioctl(master, _PEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)


def _execute(program: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.umask(stat.S_IWGRP | stat.S_IWOTH)
    os.execve(program[0], list(program), dict(environment))


def _as_child(parent: socket.socket, work: Callable[[], NoReturn]) -> NoReturn:
    """Whatever goes wrong is told to the parent."""
    try:
        work()
    except BaseException as error:
        parent.sendall((str(error) or traceback.format_exc()).encode())
    finally:
        os._exit(127)
