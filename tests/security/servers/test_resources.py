"""What belongs to the whole machine: a server cannot use it up, and has none of what it has no use for."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from errno import EINVAL, ENOENT, ENOMEM, ENOPROTOOPT, ENOSYS, EPERM, EPROTONOSUPPORT
from pathlib import Path

import pytest

from calor.localcloud.linux.limits import FileLimits, compute_file_limits, tcp_memory
from calor.localcloud.linux.rules import MOST_CONNECTIONS, NEW_CONNECTIONS_TO_HOST
from tests.support.linux import Machine

_REFUSED = {
    "uselib": 134,
    "modify_ldt": 154,
    "mount": 165,
    "umount2": 166,
    "quotactl": 179,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "unshare": 272,
    "move_pages": 279,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "open_by_handle_at": 304,
    "setns": 308,
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
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "open_tree_attr": 467,
}
_UNKNOWN = {
    "io_setup": 206,
    "seccomp": 317,
    "clone3": 435,
    "statmount": 457,
    "listmount": 458,
    "from the future": 470,
}


@pytest.fixture
def inside(machine: Machine) -> Machine:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    return machine


def python(machine: Machine, program: str) -> str:
    return machine.out("one", f"python3 - <<'END'\n{program}\nEND")


def test_unneeded_system_calls_are_blocked(inside: Machine) -> None:
    numbers = {**_REFUSED, **_UNKNOWN}
    said = python(
        inside,
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"for name, number in {numbers}.items():\n"
        "    libc.syscall(number, -1, 0, 0, 0, 0, 0)\n"
        "    print(name, ctypes.get_errno(), sep=':')\n",
    )
    found = {name: int(code) for name, code in (line.split(":") for line in said.splitlines())}
    assert found == dict.fromkeys(_REFUSED, EPERM) | dict.fromkeys(_UNKNOWN, ENOSYS)


@pytest.mark.parametrize(
    ("family", "protocol"),
    [
        *(("NETLINK", protocol) for protocol in (2, 5, 6, 9, 12, 15, 16, 20, 21)),
        *(("INET", protocol) for protocol in (33, 115, 132, 136, 262)),
        ("INET6", 132),
    ],
)
def test_rare_protocols_are_blocked(inside: Machine, family: str, protocol: int) -> None:
    """Messages in those of netlink are nobody's memory; for others the kernel would load modules."""
    kinds = "SOCK_RAW SOCK_STREAM SOCK_DGRAM SOCK_SEQPACKET SOCK_DCCP"
    said = python(
        inside,
        "import socket\n"
        f"for kind in {kinds.split()}:\n"
        "    try:\n"
        f"        socket.socket(socket.AF_{family}, getattr(socket, kind, 6), {protocol})\n"
        "    except OSError as error:\n"
        "        print(error.errno)\n"
        "    else:\n"
        "        print(kind)\n",
    )
    assert set(said.split()) == {"93"}


@pytest.mark.parametrize("family", ["INET", "INET6"])
def test_a_server_has_no_sockets_of_a_rare_type(inside: Machine, family: str) -> None:
    """Without a protocol they are of the one that goes with the type: SCTP or DCCP."""
    said = python(
        inside,
        "import socket\n"
        "for kind in (4, 5, 6, 10, 5 | socket.SOCK_CLOEXEC):\n"
        "    try:\n"
        f"        socket.socket(socket.AF_{family}, kind)\n"
        "    except OSError as error:\n"
        "        print(error.errno)\n",
    )
    assert said.split() == [str(EPROTONOSUPPORT)] * 5
    python(
        inside, f"import socket; socket.socket(socket.AF_{family}, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)"
    )


def test_a_server_can_list_its_addresses_and_sockets(inside: Machine) -> None:
    said = python(
        inside,
        "import socket\n"
        "for protocol in (socket.NETLINK_ROUTE, 4):\n"
        "    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol).close()\n"
        "print(socket.if_nameindex())\n",
    )
    assert "eth0" in said


def test_netlink_buffers_are_limited(inside: Machine) -> None:
    said = python(
        inside,
        "import socket\n"
        "made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)\n"
        "for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):\n"
        "    before = made.getsockopt(socket.SOL_SOCKET, option)\n"
        "    made.setsockopt(socket.SOL_SOCKET, option, 1 << 20)\n"
        "    print(made.getsockopt(socket.SOL_SOCKET, option) == before)\n"
        "made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
        "print(made.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 1)\n",
    )
    assert said.split() == ["True"] * 3


def test_bpf_filters_are_blocked(inside: Machine) -> None:
    """There is so much memory for them for the whole machine."""
    said = python(
        inside,
        "import ctypes, socket, struct\n"
        "code = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0x7FFF0000))\n"
        "program = struct.pack('HxxxxxxQ', 1, ctypes.addressof(code))\n"
        "for option in (26, 50, 51, 52):\n"
        "    try:\n"
        "        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).setsockopt(1, option, program)\n"
        "    except OSError as error:\n"
        "        print(error.errno)\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.prctl(22, 2, program, 0, 0), ctypes.get_errno())\n"
        "print(libc.prctl(38, 1, 0, 0, 0))\n",
    )
    assert said.splitlines() == [str(ENOPROTOOPT)] * 4 + [f"-1 {EINVAL}", "0"]


def test_a_server_has_no_options_of_sockets_that_it_has_no_use_for(inside: Machine) -> None:
    said = python(
        inside,
        "import socket\n"
        "label = socket.inet_pton(socket.AF_INET6, '::1') + bytes(5) + bytes([255, 1, 0, 6, 0, 6, 0]) + bytes(4)\n"
        "wanted = (socket.IPPROTO_IPV6, 32, label), (socket.IPPROTO_TCP, 31, b'tls')\n"
        "for level, option, value in wanted:\n"
        "    try:\n"
        "        socket.socket(socket.AF_INET6).setsockopt(level, option, value)\n"
        "    except OSError as error:\n"
        "        print(error.errno)\n"
        "socket.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)\n"
        "socket.socket(socket.AF_INET6).setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)\n",
    )
    assert said.split() == [str(ENOPROTOOPT), str(ENOENT)]


def test_the_terminals_of_a_server_take_no_module_of_the_kernel(inside: Machine) -> None:
    said = python(
        inside,
        "import fcntl, os, struct\n"
        "terminal, _ = os.openpty()\n"
        "for discipline in (13, 27):\n"
        "    try:\n"
        "        fcntl.ioctl(terminal, 0x5423, struct.pack('i', discipline))\n"
        "    except OSError as error:\n"
        "        print(error.errno)\n"
        "print(len(fcntl.ioctl(terminal, 0x5413, bytes(8))))\n",
    )
    assert said.split() == [str(EINVAL), str(EINVAL), "8"]


def test_a_server_takes_none_of_the_huge_pages_of_the_host(inside: Machine) -> None:
    """They are set aside for whoever needs them, and part of no memory that a server has."""
    said = python(
        inside,
        "import ctypes, mmap\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.memfd_create(b'huge', 4), ctypes.get_errno())\n"
        "print(libc.memfd_create(b'plain', 0) >= 0)\n"
        "try:\n"
        # With no size, the kernel itself would say that this is wrong.
        "    mmap.mmap(-1, 4096, flags=0x40022)\n"
        "except OSError as error:\n"
        "    print(error.errno)\n",
    )
    assert said.splitlines() == [f"-1 {ENOMEM}", "True", str(ENOMEM)]


def test_socket_buffers_count_as_memory_of_the_server(inside: Machine, as_root: None) -> None:
    """Version 2 of control groups does so anyway."""
    found = list(Path("/sys/fs/cgroup/memory").glob("**/calor-*/one/memory.kmem.tcp.limit_in_bytes"))
    if not found:
        pytest.skip("this limit is one of version 1 of control groups")
    assert tcp_memory(256 << 20) in {int(file.read_text()) for file in found}


def test_inotify_limits_are_separate_from_the_host(inside: Machine) -> None:
    taking = (
        "import ctypes, time\n"
        "libc = ctypes.CDLL(None)\n"
        "taken = 0\n"
        "while taken < 1000 and libc.inotify_init1(0) >= 0:\n"
        "    taken += 1\n"
        "open('/root/taken', 'w').write(str(taken))\n"
        "time.sleep(1000)\n"
    )
    inside.out("one", f"cat >/root/take.py <<'END'\n{taking}\nEND")
    inside.out("one", "python3 /root/take.py >/dev/null 2>&1 & until [ -s /root/taken ]; do sleep 0.1; done")
    allowed = int(Path("/proc/sys/fs/inotify/max_user_instances").read_text())
    assert 0 < int(inside.out("one", "cat /root/taken")) <= allowed
    file = ctypes.CDLL(None, use_errno=True).inotify_init1(os.O_CLOEXEC)
    assert file >= 0, os.strerror(ctypes.get_errno())
    os.close(file)


def test_inotify_limits_are_separate_between_servers(inside: Machine, as_root: None) -> None:
    inside.boot("two")
    inside.finished("two")
    taking = (
        "import ctypes; libc = ctypes.CDLL(None); print(sum(libc.inotify_init1(0) >= 0 for _ in range(1000)))"
    )
    waiting = (
        f'python3 -c \'{taking}; open("/root/done", "w"); import time; time.sleep(1000)\' >/dev/null 2>&1 &'
    )
    inside.out("one", f"{waiting} until [ -e /root/done ]; do sleep 0.1; done")
    assert int(inside.out("two", f"python3 -c '{taking}'")) > 0


def test_a_server_has_limits_of_its_own(inside: Machine) -> None:
    kinds = ("NOFILE", "SIGPENDING", "MSGQUEUE", "MEMLOCK", "CORE")
    said = python(
        inside,
        "import resource\n"
        f"for kind in {kinds}:\n"
        "    print(resource.getrlimit(getattr(resource, 'RLIMIT_' + kind))[1])\n",
    )
    most = dict(zip(kinds, map(int, said.split()), strict=True))
    assert 0 < most["NOFILE"] <= 16_384
    assert most["SIGPENDING"] <= 4096
    assert most["MSGQUEUE"] <= 819_200
    assert most["MEMLOCK"] <= 8 << 20
    # The number by which the kernel starts no program of the host for a core dump.
    assert most["CORE"] == 1
    assert resource.RLIM_INFINITY not in most.values()


def test_a_server_cannot_have_a_program_of_the_host_run_for_a_core_dump(inside: Machine) -> None:
    """The kernel does without for one number only; with less, the program is run nevertheless."""
    said = python(
        inside,
        "import ctypes, resource\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "none, upper = (ctypes.c_ulong * 2)(0, 0), ctypes.c_long(1 << 32)\n"
        "libc.syscall(160, 4, none)\n"
        "libc.syscall(302, 0, 4, none, None)\n"
        "libc.syscall(302, 1, 4, none, None)\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
        "resource.prlimit(1, resource.RLIMIT_CORE, (0, 0))\n"
        "print(*resource.getrlimit(resource.RLIMIT_CORE))\n"
        "print(*resource.prlimit(1, resource.RLIMIT_CORE))\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))\n"
        # Somewhere that has nothing but zeros in its lower half.
        "print(libc.syscall(302, 0, 4, upper, None))\n",
    )
    assert said.splitlines() == ["1 1", "1 1", "512 512", "0"]


def test_open_files_of_a_server_are_limited(inside: Machine, as_root: None) -> None:
    found = [*Path("/sys/fs/cgroup").glob("**/calor-*/one/pids.max")]
    if not found:
        pytest.skip("there are no control groups for processes")
    files = int(python(inside, "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[1])"))
    machine = int(Path("/proc/sys/fs/file-max").read_text())
    assert {int(file.read_text()) * files <= max(machine // 8, 64 * 1024) for file in found} == {True}


@pytest.mark.parametrize(
    ("machine", "processes", "files"),
    [
        (2**63 - 1, 4096, 16_384),
        (2_466_190, 301, 1024),
        (40_000_000, 4096, 1220),
        (100_000, 64, 1024),
    ],
)
def test_limits_depend_on_the_files_of_the_machine(machine: int, processes: int, files: int) -> None:
    assert compute_file_limits(machine) == FileLimits(processes, files)


def test_tracked_connections_are_limited(inside: Machine, as_root: None) -> None:
    """Their memory is nobody's. Those that it begins are dropped from then on."""
    flooding = (
        "import socket\n"
        "for port in range(1, 20001):\n"
        "    if port % 1000 == 1:\n"
        "        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "    try:\n"
        "        made.sendto(b'x', ('127.0.0.1', port))\n"
        "    except OSError:\n"
        "        pass\n"
    )
    python(inside, flooding)
    assert 0 < _tracked(inside) <= MOST_CONNECTIONS


def test_new_connections_to_the_host_are_slowed_down(inside: Machine) -> None:
    per_second, at_once = NEW_CONNECTIONS_TO_HOST
    opening = (
        "import select, socket, time\n"
        "start, opened = time.monotonic(), 0\n"
        "while time.monotonic() < start + 1:\n"
        "    made = socket.socket()\n"
        "    made.setblocking(False)\n"
        "    made.connect_ex(('169.254.169.254', 80))\n"
        "    opened += bool(select.select([], [made], [], 0.01)[1])\n"
        "    made.close()\n"
        "print(opened, time.monotonic() - start)\n"
    )
    opened, seconds = python(inside, opening).split()
    assert 0 < int(opened) <= at_once + per_second * (float(seconds) + 1)


def _tracked(machine: Machine) -> int:
    """How many connections the namespace of the server tracks."""
    counting = (
        "import os, sys\n"
        "from calor.localcloud.linux.syscalls import NEWNET, setns\n"
        "setns(os.open(f'/proc/{sys.argv[1]}/ns/net', os.O_RDONLY), NEWNET)\n"
        "print(open('/proc/sys/net/netfilter/nf_conntrack_count').read())\n"
    )
    holder = machine.holder()
    first = Path(f"/proc/{holder}/task/{holder}/children").read_text().split()[0]
    done = subprocess.run([sys.executable, "-c", counting, first], check=True, capture_output=True, text=True)
    return int(done.stdout)


def test_a_server_changes_nothing_of_the_kernel_by_its_files(inside: Machine) -> None:
    """What it writes for the load of the machine to be watched is kept in memory of nobody's, and is work for all."""
    said = python(
        inside,
        "import os\n"
        "for top in ('/proc', '/sys'):\n"
        "    for folder, inner, files in os.walk(top):\n"
        "        inner[:] = [name for name in inner if not (folder == '/proc' and name.isdigit())]\n"
        "        for path in (os.path.join(folder, name) for name in files):\n"
        "            try:\n"
        "                found = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)\n"
        "            except OSError:\n"
        "                continue\n"
        "            if os.fstat(found).st_rdev != os.stat('/dev/null').st_rdev:\n"
        "                print(path)\n"
        "            os.close(found)\n",
    )
    assert said == ""


def test_terminals_are_limited(inside: Machine) -> None:
    counting = (
        "import os\n"
        "made = []\n"
        "try:\n"
        "    while len(made) < 1000:\n"
        "        made.append(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))\n"
        "except OSError:\n"
        "    pass\n"
        "print(len(made))\n"
    )
    assert 100 < int(python(inside, counting)) <= 256
