"""A server swaps its folders for links while the host works on them: nothing of the host is read or made."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from calor.localcloud.backend import BackendError, VolumePlan
from calor.localcloud.files import make_sparse
from calor.localcloud.linux.images import _copy_public
from tests.support.linux import Machine, eventually

# Exchanges a folder and a link in one system call, over and over.
SWAPPING = """
cat >/root/swap.py <<'END'
import ctypes, sys
libc = ctypes.CDLL(None)
one, other = (argument.encode() for argument in sys.argv[1:3])
while True:
    for _ in range(1000):
        libc.renameat2(-100, one, -100, other, 2)
END
swap() { python3 /root/swap.py "$1" "$2" >/dev/null 2>&1 & }
"""


def contents(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        found = {}
        for entry in opened:
            file = opened.extractfile(entry) if entry.isreg() else None
            found[entry.name] = file.read() if file is not None else b""
        return found


def reported(secrets: Path) -> set[str]:
    return {file.read_text() for file in secrets.glob("file*")}


def volume_of(machine: Machine, id: str, device: str = "/dev/vdb") -> VolumePlan:
    file = machine.folder.parent / "volumes" / id
    make_sparse(file, 1)
    return VolumePlan(id, file, device)


def test_a_snapshot_contains_no_files_of_the_host(machine: Machine, secrets: Path, tmp_path: Path) -> None:
    decoys = "".join(f"echo decoy >/x/{{}}/file{number:02}\n" for number in range(20))
    script = SWAPPING + "mkdir -p /x /usr/local/x\n"
    for number in range(4):
        script += f"mkdir /x/d{number}\n" + decoys.replace("{}", f"d{number}")
        script += f"ln -s {secrets} /x/l{number}\nswap /x/d{number} /x/l{number}\n"
    script += f"mkdir /usr/local/x/d\n: >/usr/local/x/d/file00\nln -s {secrets} /usr/local/x/l\n"
    script += "swap /usr/local/x/d /usr/local/x/l\n"
    machine.boot("one", script=script)
    machine.finished("one")
    for attempt in range(12):
        target = tmp_path / f"snapshot{attempt}.tar.gz"
        machine.do(machine.linux.snapshot("one", target))
        leaked = {name for name, content in contents(target).items() if b"a secret of the host" in content}
        assert not leaked


def test_a_snapshot_of_a_busy_server_succeeds(machine: Machine, tmp_path: Path) -> None:
    script = """
    mkdir /x; mkfifo /x/pipe; ln /root/first /x/nowhere || echo kept >/x/one; ln /x/one /x/two
    (while :; do echo x >/x/busy; rm /x/busy; mkdir /x/busy; rmdir /x/busy; mkfifo /x/busy; rm /x/busy; done) &
    (while :; do dd if=/dev/zero of=/x/grows bs=64k count=16; : >/x/grows; done) >/dev/null 2>&1 &
    """
    machine.boot("one", script=script)
    machine.finished("one")
    for attempt in range(5):
        target = tmp_path / f"snapshot{attempt}.tar.gz"
        machine.do(machine.linux.snapshot("one", target))
        assert contents(target)["x/one"] == b"kept\n"
        with tarfile.open(target) as archive:
            assert archive.getmember("x/two").linkname == "x/one"
            assert "x/pipe" not in archive.getnames()


def test_sparse_files_stay_sparse_in_snapshots(machine: Machine, tmp_path: Path) -> None:
    script = "truncate -s 4T /root/holes; printf end | dd of=/root/some bs=1 seek=1000000 conv=notrunc"
    machine.boot("one", script=script)
    machine.finished("one")
    target = tmp_path / "snapshot.tar.gz"
    machine.do(machine.linux.snapshot("one", target))
    with tarfile.open(target) as archive:
        assert archive.getmember("root/holes").size == 4 << 40
    assert target.stat().st_size < 50 << 20
    machine.boot("two", image=target)
    machine.finished("two")
    assert machine.out("two", "stat -c %s /root/holes") == f"{4 << 40}\n"
    assert machine.out("two", "tail -c 3 /root/some; stat -c ' %s' /root/some") == "end 1000003\n"


def test_a_reboot_does_not_follow_links(machine: Machine, tmp_path: Path) -> None:
    outside = tmp_path / "made"
    outside.mkdir()
    machine.boot("one", script=f"rmdir /mnt; ln -s {outside} /mnt")
    machine.finished("one")
    machine.do(machine.linux.halt("one"))
    volumes = (volume_of(machine, "a"), volume_of(machine, "b", "/dev/../../../etc/x"))
    machine.boot("one", volumes=volumes)
    machine.finished("one", times=2)
    assert list(outside.iterdir()) == []
    machine.out("one", "test -d /mnt -a ! -L /mnt; echo kept >/mnt/vdb/file; echo kept >/mnt/volume-b/file")


def test_attaching_is_safe_while_the_mount_point_is_replaced(machine: Machine, tmp_path: Path) -> None:
    outside = tmp_path / "made"
    outside.mkdir()
    # Only folders of the server's own, and not of its image, can be exchanged.
    script = f"rmdir /mnt; mkdir /mnt; ln -s {outside} /other\nswap /mnt /other\n"
    machine.boot("one", script=SWAPPING + script)
    machine.finished("one")
    for number in range(20):
        plan = volume_of(machine, f"v{number}", f"/dev/vd{chr(98 + number)}")
        try:
            machine.do(machine.linux.attach("one", plan))
            machine.do(machine.linux.detach("one", plan.id))
        except BackendError as error:
            assert "directory" in str(error)  # noqa: PT017
    assert list(outside.iterdir()) == []
    assert not Path(f"/{outside.name}").exists()


def test_detaching_finds_a_moved_mount(machine: Machine) -> None:
    """And nothing else is taken away in its place, such as what covers parts of /proc."""
    machine.boot("one", script="rmdir /mnt; mkdir /mnt")
    machine.finished("one")
    plan = volume_of(machine, "v", "/dev/kallsyms")
    machine.do(machine.linux.attach("one", plan))
    machine.out(
        "one", "echo kept >/mnt/kallsyms/file; mv /mnt /moved; ln -s /proc /mnt; test -e /moved/kallsyms/file"
    )
    covered = "grep -c ' /proc/kallsyms ' /proc/self/mountinfo"
    assert machine.out("one", covered) == "1\n"
    machine.do(machine.linux.detach("one", plan.id))
    assert machine.out("one", covered) == "1\n"
    assert machine.run("one", "test -e /moved/kallsyms/file").returncode != 0


def test_files_of_a_detached_volume_cannot_be_used(machine: Machine, as_root: None) -> None:
    script = """
    cd /mnt/vdb; mkdir inner; echo mine >inner/file; exec 3<inner/file
    (cd inner; while :; do cat ../secret ./secret; cat <&3; echo w >written; sleep 0.1; done) >>/root/seen 2>&1 &
    """
    volume = volume_of(machine, "v")
    machine.boot("one", volumes=(volume,), script=script)
    machine.finished("one")
    machine.boot("two")
    machine.finished("two")
    machine.do(machine.linux.detach("one", "v"))
    machine.do(machine.linux.attach("two", volume))
    machine.out("two", "test ! -e /mnt/vdb/inner/other; cat /mnt/vdb/inner/file")
    machine.out("two", "echo a secret of two >/mnt/vdb/secret; cp /mnt/vdb/secret /mnt/vdb/inner; sync")
    before = machine.out("one", "wc -l </root/seen")
    eventually(lambda: int(machine.out("one", "wc -l </root/seen")) > int(before) + 10, "it goes on trying")
    assert "a secret of two" not in machine.out("one", "cat /root/seen")
    machine.out("two", "rm -f /mnt/vdb/inner/written")
    machine.do(machine.linux.detach("two", "v"))
    machine.do(machine.linux.attach("two", volume))
    assert machine.out("two", "cat /mnt/vdb/secret; ls /mnt/vdb/inner") == "a secret of two\nfile\nsecret\n"


@pytest.mark.parametrize("links", [("dev", "proc", "run", "mnt", "sys"), ("usr",), ("usr/local",), ("etc",)])
def test_links_in_images_cannot_reach_the_host(
    machine: Machine, secrets: Path, tmp_path: Path, links: tuple[str, ...]
) -> None:
    outside = tmp_path / "made"
    outside.mkdir()
    machine.boot("one")
    machine.finished("one")
    plain = tmp_path / "plain.tar.gz"
    machine.do(machine.linux.snapshot("one", plain))
    hostile = tmp_path / "hostile.tar"
    lead = outside if "mnt" in links else secrets
    with tarfile.open(plain) as read, tarfile.open(hostile, "w") as written:
        for entry in read:
            if not any(entry.name == link or entry.name.startswith(f"{link}/") for link in links):
                written.addfile(entry, read.extractfile(entry) if entry.isreg() else None)
        for link in links:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, str(lead)
            written.addfile(entry)
    volumes = (volume_of(machine, "a"),)
    looking = f"grep -lx 'a secret of the host' /usr/local/* /usr/* /etc/* /mnt/* {secrets}/* 2>/dev/null"
    for _ in range(2):
        try:
            machine.boot("two", image=hostile, volumes=volumes)
        except BackendError:
            continue
        eventually(lambda: machine.console("two") or machine.died, "it says something, or dies")
        assert machine.run("two", looking).stdout == ""
        # What is shown by the next boot lies below this.
        machine.run("two", "rm /usr/local; mkdir /usr/local")
        machine.do(machine.linux.halt("two"))
    assert list(outside.iterdir()) == []
    assert reported(secrets) == {"a secret of the host"}


def test_archives_cannot_write_outside_their_folder(machine: Machine, secrets: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "hostile.tar"
    with tarfile.open(hostile, "w") as written:
        for name, target in (("up", "../../../../.."), ("there", str(secrets))):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            written.addfile(entry)
        for name in ("../../outside", "/tmp/../../outside", f"up{tmp_path}/outside", "there/file00"):
            entry = tarfile.TarInfo(name)
            written.addfile(entry)
        entry = tarfile.TarInfo("hard")
        entry.type, entry.linkname = tarfile.LNKTYPE, f"up{secrets}/file01"
        written.addfile(entry)
    with pytest.raises(BackendError):
        machine.boot("one", image=hostile)
    assert not list(tmp_path.rglob("outside*")) or all(
        "uploaded-" in str(found) for found in tmp_path.rglob("outside*")
    )
    assert reported(secrets) == {"a secret of the host"}
    assert {file.stat().st_nlink for file in secrets.glob("file*")} == {1}


def test_a_server_with_very_deep_folders_can_be_removed(machine: Machine) -> None:
    deep = """
python3 - <<'END'
import os
for _ in range(5000):
    os.mkdir("d")
    os.chdir("d")
END
"""
    machine.boot("one", script=f"cd /root\n{deep}")
    machine.finished("one")
    machine.do(machine.linux.destroy("one"))
    eventually(lambda: not list((machine.folder / "removed").iterdir()), "it is all removed")
    machine.kill_holder()
    machine.restart()


def test_concurrent_link_attacks_do_not_reach_the_host(
    machine: Machine, secrets: Path, tmp_path: Path
) -> None:
    """Folders are swapped for links from the first moment of each boot, while images are made, volumes come and go, and
    the server is rebooted and rebuilt."""
    outside = tmp_path / "made"
    outside.mkdir()
    fighting = SWAPPING + "rmdir /mnt; mkdir -p /mnt /x\n"
    for number, (place, lead) in enumerate(
        [
            ("/mnt", outside),
            ("/mnt", secrets),
            ("/etc", secrets),
            ("/var", outside),
            ("/root", secrets),
            ("/x/y", secrets),
        ]
    ):
        # What came with the image cannot be exchanged: a copy can.
        fighting += (
            f"[ -e {place}.own ] || {{ cp -a {place} {place}.copy 2>/dev/null || mkdir -p {place}.copy; }}\n"
        )
        fighting += f": >{place}.own; rm -rf {place}; mv {place}.copy {place} 2>/dev/null\n"
        fighting += f"ln -sfn {lead} /link{number}; swap {place} /link{number}\n"
    config = (
        f"#cloud-config\nbootcmd:\n- |\n{''.join(f'  {line}' + chr(10) for line in fighting.splitlines())}"
    )
    volumes = [volume_of(machine, f"v{number}", f"/dev/vd{chr(98 + number)}") for number in range(3)]
    tried = {"snapshot": 0, "attach": 0, "boot": 0, "rebuild": 0}

    def attempt(what: str, work: Callable[[], object]) -> None:
        """A server that fights may well fail itself."""
        try:
            work()
            tried[what] += 1
        except BackendError:
            pass

    for round_ in range(4):
        fresh = round_ % 2 == 0
        plan = machine.plan("one", user_data=config.encode(), volumes=tuple(volumes[:1]))
        attempt(
            "rebuild" if fresh else "boot",
            lambda plan=plan, fresh=fresh: machine.do(machine.linux.boot(plan, fresh)),
        )
        eventually(lambda: "boots from" in machine.console("one"), "it boots")
        for number in range(4):
            target = tmp_path / f"snapshot{round_}{number}.tar.gz"
            attempt("snapshot", lambda target=target: machine.do(machine.linux.snapshot("one", target)))
            if target.exists():
                assert not {
                    name for name, words in contents(target).items() if words == b"a secret of the host"
                }
            for volume in volumes[1:]:
                attempt("attach", lambda volume=volume: machine.do(machine.linux.attach("one", volume)))
                attempt("attach", lambda volume=volume: machine.do(machine.linux.detach("one", volume.id)))
        machine.do(machine.linux.halt("one"))
        assert list(outside.iterdir()) == []
        assert reported(secrets) == {"a secret of the host"}
        assert sorted(one.name for one in secrets.iterdir()) == [
            f"file{number:02}" for number in range(20)
        ] + ["local"]
        assert list((secrets / "local").iterdir()) == []
    assert all(tried.values()), tried


def test_memory_for_unpacking_is_limited(machine: Machine, tmp_path: Path) -> None:
    """Its headers may say that they are as large as they like."""
    hostile = tmp_path / "hostile.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 8 << 30
    with hostile.open("wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        file.truncate(512 + (8 << 30))
    with pytest.raises(BackendError, match=r"(?i)memory"):
        machine.boot("one", image=hostile)


def test_images_have_only_public_files_of_the_host(tmp_path: Path) -> None:
    """A file that everybody may read is not public in a folder that others cannot enter."""
    host = tmp_path / "host"
    for folder, mode in (("open", 0o755), ("closed", 0o750), ("closed/inner", 0o755), ("private", 0o755)):
        (host / folder).mkdir(parents=True)
        for name, readable in (("all", 0o644), ("root", 0o600)):
            (host / folder / name).write_text("content")
            (host / folder / name).chmod(readable)
        (host / folder).chmod(mode)
    _copy_public(host, tmp_path / "image")
    found = {
        str(one.relative_to(tmp_path / "image")) for one in (tmp_path / "image").rglob("*") if one.is_file()
    }
    assert found == {"open/all"}
