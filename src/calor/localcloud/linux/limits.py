"""Resource limits and usage of servers: by control groups if available, else usage by /proc only.

Groups are created below the group of this process, so that its own limits apply. With version 2, where that is mostly
impossible, they may also be below the root group.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.backend import Usage

_PERIOD = 100_000
_FEWEST_PROCESSES, _MOST_PROCESSES = 64, 4096
_FEWEST_FILES, _MOST_FILES = 1024, 16_384
_CONTROLLERS = ("cpu", "cpuacct", "memory", "pids", "devices", "freezer")
_DEVICES = ("c 1:3", "c 1:5", "c 1:7", "c 1:8", "c 1:9", "c 5:0", "c 5:2", "c 136:*")
_REMOVE_SECONDS = 5.0


@dataclass(frozen=True)
class ControlGroups:
    """The parent folders of the groups: one for each controller of version 1, or one for all."""

    folders: dict[str, Path]

    @property
    def is_unified(self) -> bool:
        return "" in self.folders

    def of(self, server: str) -> dict[str, Path]:
        return {controller: folder / server for controller, folder in self.folders.items()}


def create_groups(name: str, mounted: Path = Path("/sys/fs/cgroup")) -> ControlGroups:
    """Makes a group of that name wherever it is allowed."""
    if (mounted / "cgroup.controllers").exists():
        own = _own_groups().get("", "/").lstrip("/")
        for parent in dict.fromkeys((mounted / own, mounted)):
            folder = parent / name
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                for place in (parent, folder):
                    (place / "cgroup.subtree_control").write_text("+cpu +memory +pids")
                return ControlGroups({"": folder})
            with suppress(OSError):
                folder.rmdir()
        return ControlGroups({})
    folders = {}
    for controller, own in _own_groups().items():
        folder = mounted / controller / own.lstrip("/") / name
        if controller in _CONTROLLERS:
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                folders[controller] = folder
    return ControlGroups(folders)


def _own_groups() -> dict[str, str]:
    """The groups of this process by controller; that of version 2 is empty."""
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


@dataclass(frozen=True)
class FileLimits:
    """The limits of processes (threads included) of a server, and of open files of each process."""

    processes: int
    files: int


def compute_file_limits(machine: int) -> FileLimits:
    """Limits a server to an eighth of the open files of the machine, but never below 1024 files and 64 processes, which
    ordinary programs need."""
    share = machine // 8
    files = min(max(share // _MOST_PROCESSES, _FEWEST_FILES), _MOST_FILES)
    return FileLimits(min(max(share // files, _FEWEST_PROCESSES), _MOST_PROCESSES), files)


def tcp_memory(memory: int) -> int:
    """Bytes that the TCP connections of a server with this memory may use: at most an eighth of what the machine has
    for all of them, where that is known."""
    try:
        most = int(Path("/proc/sys/net/ipv4/tcp_mem").read_text().split()[2])
    except FileNotFoundError:
        # Network namespaces do not show it, and without root the holder is in one.
        return memory
    return min(memory, most * os.sysconf("SC_PAGE_SIZE") // 8)


def limits_here() -> FileLimits:
    return compute_file_limits(int(Path("/proc/sys/fs/file-max").read_text()))


def create_limits(groups: ControlGroups, server: str, vcpus: int, memory_mb: int) -> list[int]:
    """Creates the groups of a server; returns the same as `open_join_files`."""
    folders = groups.of(server)
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    processes = limits_here().processes
    quota, memory = vcpus * _PERIOD, memory_mb << 20
    if groups.is_unified:
        wanted = [
            ("", "cpu.max", f"{quota} {_PERIOD}"),
            ("", "memory.max", str(memory)),
            ("", "pids.max", str(processes)),
        ]
    else:
        wanted = [
            ("cpu", "cpu.cfs_period_us", str(_PERIOD)),
            ("cpu", "cpu.cfs_quota_us", str(quota)),
            ("memory", "memory.limit_in_bytes", str(memory)),
            # Unlike in version 2, socket buffers are not included in the other limit.
            ("memory", "memory.kmem.tcp.limit_in_bytes", str(tcp_memory(memory))),
            ("pids", "pids.max", str(processes)),
            ("devices", "devices.deny", "a"),
            *(("devices", "devices.allow", f"{device} rwm") for device in _DEVICES),
        ]
    for controller, file, value in wanted:
        if controller in folders:
            # The kernel may not support all limits.
            with suppress(OSError):
                (folders[controller] / file).write_text(value)
    return open_join_files(groups, server)


def open_join_files(groups: ControlGroups, server: str) -> list[int]:
    """Descriptors to which a process writes to join the groups of a server; the caller closes them."""
    return [
        os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in groups.of(server).values()
    ]


def remove_limits(groups: ControlGroups, server: str) -> None:
    """Its processes must have been killed. Waits until the kernel allows the removal."""
    deadline = time.monotonic() + _REMOVE_SECONDS
    for folder in groups.of(server).values():
        while folder.exists():
            try:
                folder.rmdir()
            except OSError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.002)


def remove_groups(groups: ControlGroups) -> None:
    """Removes all groups that a dead holder has left, and kills the processes in them."""
    for folder in groups.folders.values():
        for group in [*(one for one in folder.glob("*") if one.is_dir()), folder]:
            for process in (group / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
    for folder in groups.folders.values():
        for group in [*(one for one in folder.glob("*") if one.is_dir()), folder]:
            deadline = time.monotonic() + _REMOVE_SECONDS
            while group.exists() and time.monotonic() < deadline:
                try:
                    group.rmdir()
                except OSError:
                    time.sleep(0.01)


def freeze(groups: ControlGroups, server: str, process: int, frozen: bool) -> None:
    folders = groups.of(server)
    if "" in folders:
        (folders[""] / "cgroup.freeze").write_text("1" if frozen else "0")
    elif "freezer" in folders:
        (folders["freezer"] / "freezer.state").write_text("FROZEN" if frozen else "THAWED")
    else:
        for each in _all_processes(process):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGSTOP if frozen else signal.SIGCONT)


def usage(groups: ControlGroups, server: str, process: int) -> Usage:
    folders = groups.of(server)
    with suppress(OSError, ValueError, KeyError):
        if "" in folders:
            spent = dict(line.split() for line in (folders[""] / "cpu.stat").read_text().splitlines())
            held = int((folders[""] / "memory.current").read_text())
            return Usage(int(spent["usage_usec"]) / 1e6, held / (1 << 20))
        spent_ns = int((folders["cpuacct"] / "cpuacct.usage").read_text())
        held = int((folders["memory"] / "memory.usage_in_bytes").read_text())
        return Usage(spent_ns / 1e9, held / (1 << 20))
    ticks = pages = 0
    for each in _all_processes(process):
        with suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
            pages += int(fields[21])
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20))


def _all_processes(first: int) -> list[int]:
    """All processes in the namespace of the first process of a server."""
    found = []
    wanted = os.readlink(f"/proc/{first}/ns/pid")
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.readlink(f"/proc/{name}/ns/pid") == wanted:
                    found.append(int(name))
    return found
