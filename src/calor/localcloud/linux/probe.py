"""Checks whether servers can run on this machine, by trying every feature in a child process."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from calor.localcloud.backend import Address, Permission, PortPlan, RouterPlan
from calor.localcloud.linux import syscalls
from calor.localcloud.linux.callfilter import call_filter, has_filter
from calor.localcloud.linux.entry import enter, mount_shifted_usr, user_namespace
from calor.localcloud.linux.limits import create_groups, remove_groups
from calor.localcloud.linux.neighbours import allow_next_hops
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import RelayedService, connection_limit_rules, nat_rules, port_rules
from calor.localcloud.linux.syscalls import mount, run_in_child, umount


@dataclass(frozen=True)
class Finding:
    feature: str
    purpose: str
    needed: bool
    """Whether servers cannot run without it."""
    problem: str | None = None
    """Why it is not available."""

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
    """Tries all features. `folder` is the folder of the servers, which need not exist. Only for a process that may
    fork."""
    place = next(one for one in (folder, *folder.parents) if one.exists())
    findings = tuple(
        Finding(feature, purpose, needed, run_in_child(partial(attempt, place)))
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
        connection_limit_rules().commit()
        allow_next_hops("eth0", ["10.0.0.3", "fd00::3"]).commit()
        port_rules({"eth0": port}, [RelayedService("169.254.170.1", 80, "127.0.0.1")], fresh=True).commit()
        nat_rules(router, None, fresh=True).commit()


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

    problem = syscalls.run_in_child(work)
    if problem is not None:
        raise OSError(problem)


def _programs(place: Path) -> None:
    for name in ("sh", "cat", "mkdir", "tee"):
        if not os.access(f"/usr/bin/{name}", os.X_OK):
            raise OSError(f"/usr/bin/{name} does not exist")


def _limits(place: Path) -> None:
    enter()
    groups = create_groups(f"calor-probe-{os.getpid()}")
    names = set(groups.folders)
    remove_groups(groups)
    if not names:
        raise OSError("control groups cannot be created")
    if "" not in names and (missing := {"cpu", "memory", "pids"} - names):
        raise OSError(f"missing controllers: {', '.join(sorted(missing))}")


def _call_filter(place: Path) -> None:
    if not has_filter():
        raise OSError("only x86-64 is supported")
    syscalls.set_no_new_privs()
    syscalls.install_call_filter(call_filter())


def _shifted_ids(place: Path) -> None:
    ids = enter()
    if not ids.are_shifted:
        raise OSError("requires root; without it, root of a server is your user, confined")
    with tempfile.TemporaryDirectory(dir=place, prefix="probe-", ignore_cleanup_errors=True) as made:
        if mount_shifted_usr(Path(made), ids) == Path("/usr"):
            raise OSError("the kernel does not support ID-mapped mounts here: /usr is read-only in servers")
        umount(made)


def _many_users(place: Path) -> None:
    if enter().count < 1000:
        raise OSError("newuidmap or a range in /etc/subuid is missing: servers have no users but root")


def _block_devices(place: Path) -> None:
    if os.geteuid() != 0:
        raise OSError("requires root; without it, volumes are folders")
    if shutil.which("mkfs.ext4", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        raise OSError("mkfs.ext4 is not installed")
    os.close(os.open("/dev/loop-control", os.O_RDWR))


def _host_link(place: Path) -> None:
    if os.geteuid() != 0:
        raise OSError("requires root; without it, TCP ports of floating addresses are relayed on 127.x.y.z")


_FEATURES: tuple[tuple[str, str, bool, Callable[[Path], None]], ...] = (
    ("namespaces", "isolation of servers from the host", True, _namespaces),
    ("networks", "bridges, veth pairs and routes", True, _networks),
    ("filters", "security groups and floating addresses, with nftables", True, _filters),
    ("disks", "overlays above the host's files", True, _disks),
    ("processes", "process namespaces", True, _processes),
    ("programs", "images built from the host's /usr", True, _programs),
    ("host link", "floating addresses that the host can reach directly", False, _host_link),
    ("limits", "CPU and memory limits of the flavor", False, _limits),
    ("shifted ids", "root of a server is unprivileged on the host", False, _shifted_ids),
    ("users", "users other than root in servers", False, _many_users),
    ("call filter", "dangerous system calls blocked", False, _call_filter),
    ("block devices", "volumes with file systems of their own", False, _block_devices),
)
