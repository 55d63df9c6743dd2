"""What a server may use up, and what it has: by control groups where they are to be had, else by looking at /proc.

Groups are made below the one this process is in, so that no limit that it lives under is ever left. Only version 2,
where that is mostly impossible, also has them below the root of all groups.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.machinery import Usage

_PERIOD = 100_000
_MOST_PROCESSES = 4096
_CONTROLLERS = ("cpu", "cpuacct", "memory", "pids", "devices", "freezer")
_DEVICES = ("c 1:3", "c 1:5", "c 1:7", "c 1:8", "c 1:9", "c 5:0", "c 5:2", "c 136:*")
_PATIENCE = 5.0


@dataclass(frozen=True)
class Groups:
    """Where groups are made: a folder for each controller of version 1, or one for all."""

    folders: dict[str, Path]

    @property
    def is_unified(self) -> bool:
        return "" in self.folders

    def of(self, server: str) -> dict[str, Path]:
        return {controller: folder / server for controller, folder in self.folders.items()}


def found_groups(name: str, mounted: Path = Path("/sys/fs/cgroup")) -> Groups:
    """Makes a group of that name wherever it is allowed."""
    if (mounted / "cgroup.controllers").exists():
        own = _own_groups().get("", "/").lstrip("/")
        for parent in dict.fromkeys((mounted / own, mounted)):
            folder = parent / name
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                for place in (parent, folder):
                    (place / "cgroup.subtree_control").write_text("+cpu +memory +pids")
                return Groups({"": folder})
            with suppress(OSError):
                folder.rmdir()
        return Groups({})
    folders = {}
    for controller, own in _own_groups().items():
        folder = mounted / controller / own.lstrip("/") / name
        if controller in _CONTROLLERS:
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                folders[controller] = folder
    return Groups(folders)


def _own_groups() -> dict[str, str]:
    """The group this process is in, by controller; version 2 has no name."""
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


def make_limits(groups: Groups, server: str, vcpus: int, memory_mb: int) -> list[int]:
    """Makes a server's groups; returns what `joins` does."""
    folders = groups.of(server)
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    quota, memory = vcpus * _PERIOD, memory_mb << 20
    if groups.is_unified:
        wanted = [
            ("", "cpu.max", f"{quota} {_PERIOD}"),
            ("", "memory.max", str(memory)),
            ("", "pids.max", str(_MOST_PROCESSES)),
        ]
    else:
        wanted = [
            ("cpu", "cpu.cfs_period_us", str(_PERIOD)),
            ("cpu", "cpu.cfs_quota_us", str(quota)),
            ("memory", "memory.limit_in_bytes", str(memory)),
            ("pids", "pids.max", str(_MOST_PROCESSES)),
            ("devices", "devices.deny", "a"),
            *(("devices", "devices.allow", f"{device} rwm") for device in _DEVICES),
        ]
    for controller, file, value in wanted:
        if controller in folders:
            # A kernel without the one limit may have the others.
            with suppress(OSError):
                (folders[controller] / file).write_text(value)
    return joins(groups, server)


def joins(groups: Groups, server: str) -> list[int]:
    """Descriptors of files into which a process writes to join a server's groups; each is to be closed."""
    return [
        os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in groups.of(server).values()
    ]


def remove_limits(groups: Groups, server: str) -> None:
    """The processes of a group are dying or dead; the kernel takes its time to see it."""
    deadline = time.monotonic() + _PATIENCE
    for folder in groups.of(server).values():
        while folder.exists():
            try:
                folder.rmdir()
            except OSError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.002)


def remove_groups(groups: Groups) -> None:
    """All of them, with what is still in them killed: what a holder that has died left over."""
    for folder in groups.folders.values():
        for group in [*(one for one in folder.glob("*") if one.is_dir()), folder]:
            for process in (group / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
    for folder in groups.folders.values():
        for group in [*(one for one in folder.glob("*") if one.is_dir()), folder]:
            deadline = time.monotonic() + _PATIENCE
            while group.exists() and time.monotonic() < deadline:
                try:
                    group.rmdir()
                except OSError:
                    time.sleep(0.01)


def freeze(groups: Groups, server: str, process: int, frozen: bool) -> None:
    folders = groups.of(server)
    if "" in folders:
        (folders[""] / "cgroup.freeze").write_text("1" if frozen else "0")
    elif "freezer" in folders:
        (folders["freezer"] / "freezer.state").write_text("FROZEN" if frozen else "THAWED")
    else:
        for each in _all_processes(process):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGSTOP if frozen else signal.SIGCONT)


def usage(groups: Groups, server: str, process: int) -> Usage:
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
    """Those that live in the namespace of a server's first process."""
    found = []
    wanted = os.readlink(f"/proc/{first}/ns/pid")
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.readlink(f"/proc/{name}/ns/pid") == wanted:
                    found.append(int(name))
    return found
