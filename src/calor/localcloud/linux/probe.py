"""Whether servers can run on this machine: every feature is tried, in a process of its own, and nothing is guessed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from calor.localcloud.linux import syscalls
from calor.localcloud.linux.confinement import call_filter, has_filter
from calor.localcloud.linux.entry import enter, shifted_usr, user_namespace
from calor.localcloud.linux.limits import found_groups, remove_groups
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import Door, guards, translations
from calor.localcloud.linux.syscalls import in_child, mount, umount
from calor.localcloud.machinery import Address, Permission, PortPlan, RouterPlan


@dataclass(frozen=True)
class Finding:
    feature: str
    purpose: str
    needed: bool
    """Whether there can be no servers without it."""
    problem: str | None = None
    """Why it cannot be had."""

    @property
    def works(self) -> bool:
        return self.problem is None


@dataclass(frozen=True)
class Verdict:
    findings: tuple[Finding, ...]
    is_root: bool

    @property
    def backend(self) -> str:
        return "simulated" if self.reasons else "linux"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why servers have to be simulated."""
        features: dict[str, list[str]] = {}
        for one in self.findings:
            if one.needed and one.problem is not None:
                features.setdefault(one.problem, []).append(one.feature)
        return tuple(f"{', '.join(names)}: {problem}" for problem, names in features.items())


def probe(folder: Path) -> Verdict:
    """Tries everything; `folder` is where servers would be, or what is there of the way to it. Only for a process
    that may fork."""
    place = next(one for one in (folder, *folder.parents) if one.exists())
    findings = tuple(
        Finding(feature, purpose, needed, in_child(partial(attempt, place)))
        for feature, purpose, needed, attempt in _FEATURES
    )
    return Verdict(findings, os.geteuid() == 0)


def _namespaces(place: Path) -> None:
    os.close(user_namespace(enter()))


def _networks(place: Path) -> None:
    enter()
    one, other = NetworkNamespace(), NetworkNamespace()
    one.set(ipv4__ip_forward=1)
    with one.netlink() as netlink:
        netlink.add_bridge("br")
        netlink.add_pair("here", "there", other.fd, master=netlink.need("br"))
        netlink.add_address(netlink.need("br"), "10.0.0.1/24")


def _filters(place: Path) -> None:
    enter()
    port = PortPlan(
        "port",
        "net",
        "",
        (Address("10.0.0.2", 24),),
        permissions=(Permission("ingress", 4, "tcp", (80, 80)),),
    )
    router = RouterPlan("router", (), floating=(("172.24.4.2", "10.0.0.2"),))
    with NetworkNamespace().netlink():
        guards({"eth0": port}, [Door("127.0.0.1", 80)], fresh=True).commit()
        translations(router, None, fresh=True).commit()


def _disks(place: Path) -> None:
    with tempfile.TemporaryDirectory(dir=place, prefix="probe-", ignore_cleanup_errors=True) as made:
        ids = enter()
        for name in ("upper", "work", "root"):
            os.mkdir(f"{made}/{name}")
        options = f"lowerdir=/usr,upperdir={made}/upper,workdir={made}/work"
        options += "" if ids.are_shifted else ",userxattr"
        mount("overlay", f"{made}/root", "overlay", 0, options)
        (Path(made) / "root" / "probe").write_text("written")
        umount(f"{made}/root")


def _processes(place: Path) -> None:
    enter()
    syscalls.unshare(syscalls.NEWPID)

    def work() -> None:
        syscalls.unshare(syscalls.NEWNS | syscalls.NEWUTS | syscalls.NEWIPC | syscalls.NEWCGROUP)
        syscalls.mount("proc", "/proc", "proc")

    problem = syscalls.in_child(work)
    if problem is not None:
        raise OSError(problem)


def _programs(place: Path) -> None:
    for name in ("sh", "cat", "mkdir", "tee"):
        if not os.access(f"/usr/bin/{name}", os.X_OK):
            raise OSError(f"there is no /usr/bin/{name}")


def _limits(place: Path) -> None:
    enter()
    groups = found_groups(f"calor-probe-{os.getpid()}")
    names = set(groups.folders)
    remove_groups(groups)
    if not names:
        raise OSError("no control group can be made here")
    if "" not in names and (missing := {"cpu", "memory", "pids"} - names):
        raise OSError(f"there is no controller for {', '.join(sorted(missing))}")


def _call_filter(place: Path) -> None:
    if not has_filter():
        raise OSError("the numbers of system calls are known for x86-64 only")
    syscalls.gain_nothing_by_exec()
    syscalls.filter_calls(call_filter())


def _shifted_ids(place: Path) -> None:
    ids = enter()
    if not ids.are_shifted:
        raise OSError("only root can; the root of a server is you, confined")
    with tempfile.TemporaryDirectory(dir=place, prefix="probe-", ignore_cleanup_errors=True) as made:
        if shifted_usr(Path(made), ids) == Path("/usr"):
            raise OSError("the kernel cannot show folders with other owners: /usr is read-only in servers")
        umount(made)


def _many_users(place: Path) -> None:
    if enter().count < 1000:
        raise OSError("newuidmap or a range in /etc/subuid is missing: servers have no user but root")


def _block_devices(place: Path) -> None:
    if os.geteuid() != 0:
        raise OSError("only root can; volumes are folders instead")
    if shutil.which("mkfs.ext4", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        raise OSError("there is no mkfs.ext4")
    os.close(os.open("/dev/loop-control", os.O_RDWR))


def _host_link(place: Path) -> None:
    if os.geteuid() != 0:
        raise OSError("only root can; TCP ports of floating addresses are relayed on 127.x.y.z instead")


_FEATURES: tuple[tuple[str, str, bool, Callable[[Path], None]], ...] = (
    ("namespaces", "servers apart from the host", True, _namespaces),
    ("networks", "bridges, cables and routes of their own", True, _networks),
    ("filters", "security groups and floating addresses, by nftables", True, _filters),
    ("disks", "overlays over what the host has", True, _disks),
    ("processes", "servers with processes of their own", True, _processes),
    ("programs", "images made from the host's /usr", True, _programs),
    ("host link", "floating addresses that the host can reach by itself", False, _host_link),
    ("limits", "CPU and memory of the flavor", False, _limits),
    ("shifted ids", "root of a server is nobody on the host", False, _shifted_ids),
    ("users", "users beside root in servers", False, _many_users),
    ("call filter", "dangerous system calls refused", False, _call_filter),
    ("block devices", "volumes with a file system of their own", False, _block_devices),
)
