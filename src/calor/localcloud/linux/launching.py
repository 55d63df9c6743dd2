"""Processes in servers: the first one, and programs that are run later.

The user namespace is entered last: the networks, mounts and processes of a server belong to the parent user namespace,
in which its root has no capabilities.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import stat
import struct
import termios
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from calor.localcloud.linux import safe_paths, syscalls
from calor.localcloud.linux.confinement import ENVIRONMENT, Ids, confine, limit_resources
from calor.localcloud.linux.limits import limits_here
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

EXITED_EARLY = "its first process exited during the start"


@dataclass(frozen=True)
class Launch:
    root: Root
    host_name: str
    network: int
    """A descriptor of its network namespace."""
    groups: Sequence[int]
    """Descriptors to which the process writes to join its control groups."""
    console: str
    program: tuple[str, ...]
    owner: int | None = None
    """The user who creates its user namespace, if not that of the holder: the kernel counts some resources, such as
    inotify instances, for this user."""


@dataclass(frozen=True)
class Launching:
    """A first process that is being started. It sends a message when it needs its id mapping, or when it fails."""

    process: int
    """A child that dies with this process."""
    connection: socket.socket
    ids: Ids

    def outcome(self) -> str | None:
        """Reads the next message: None if the process waits for its id mapping, an empty string if it runs, or the
        error with which it has failed."""
        try:
            message = self.connection.recv(4096)
        except OSError:
            # It was killed before it read its input.
            return EXITED_EARLY
        return None if message == b"mapped?" else message.decode(errors="replace")

    def proceed(self) -> str | None:
        """Sets the id mapping, so that the process goes on. Returns an error, if there is one."""
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
    most_files = limits_here().files
    for group in order.groups:
        os.write(group, b"0")
    syscalls.setns(order.network, NEWNET)
    syscalls.unshare(NEWNS | NEWUTS | NEWIPC | NEWCGROUP)
    syscalls.mount("none", "/", None, MS_REC | MS_PRIVATE)
    console = os.open(order.console, os.O_RDWR | os.O_NOCTTY)
    for number in range(3):
        os.dup2(console, number)
    syscalls.disable_imports()
    order.root.enter(order.console)
    syscalls.set_host_name(order.host_name)
    limit_resources(most_files)
    if order.owner is not None:
        syscalls.act_as_user(order.owner)
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


def run_in_server(
    first: int,
    groups: Sequence[int],
    program: Sequence[str],
    environment: Mapping[str, str],
    open_streams: Callable[[], Sequence[int]],
) -> int:
    """Runs a program in a server and returns its exit code. `open_streams` is called in the namespaces of the server
    and returns stdin, stdout and stderr. Only for a child process: it stays in the server."""
    most_files = limits_here().files
    for group in groups:
        os.write(group, b"0")
    opened = [(os.open(f"/proc/{first}/ns/{name}", os.O_RDONLY), kind) for name, kind in _JOINED]
    user = os.open(f"/proc/{first}/ns/user", os.O_RDONLY)
    syscalls.disable_imports()
    for fd, kind in opened:
        syscalls.setns(fd, kind)
    streams = open_streams()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            if os.isatty(streams[0]):
                fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            limit_resources(most_files)
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
"""TIOCSPTLCK and TIOCGPTPEER."""


def open_terminal() -> tuple[int, int]:
    """Opens a new terminal in the server whose namespaces the process is in. Only its devpts mount is trusted, nothing
    else in its /dev."""
    top = safe_paths.open_folder(Path("/"))
    try:
        with safe_paths.open_existing(top, "dev/pts") as terminals:
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
    """Sends errors to the parent."""
    try:
        work()
    except BaseException as error:
        parent.sendall((str(error) or type(error).__name__).encode())
    finally:
        os._exit(127)
