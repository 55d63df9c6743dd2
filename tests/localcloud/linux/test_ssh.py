"""SSH: who has a key pair can log in to a server."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.support.linux import Machine, eventually, web
from tests.support.requirements import need


@pytest.fixture
def key(tmp_path: Path) -> Path:
    need("sshd")
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", file], check=True)
    return file


def _log_in(address: str, user: str, key: Path, *command: str) -> subprocess.CompletedProcess[str]:
    options = (
        *("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"),
        *("-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes"),
    )
    return subprocess.run(
        ["ssh", "-i", key, *options, f"{user}@{address}", *command], capture_output=True, text=True
    )


def _output(machine: Machine, id: str, command: str) -> str:
    return machine.run(id, command).stdout


def _boot(machine: Machine, key: Path, image: str, **more: object) -> str:
    machine.public()
    machine.network()
    floating = f"{machine.outside}.20"
    machine.router("net", (floating, "10.0.0.5"))
    public_key = key.with_suffix(".pub").read_text()
    machine.boot(
        *("one", machine.port("10.0.0.5", permissions=web(22))),
        image_name=image,
        public_keys=(public_key,),
        **more,
    )
    return floating


@pytest.mark.parametrize(("image", "user"), [("debian-12", "debian"), ("cirros", "cirros")])
def test_the_users_of_a_key_pair_log_in_at_the_floating_address(
    machine: Machine, key: Path, as_root: None, image: str, user: str
) -> None:
    address = _boot(machine, key, image, script="sleep 1000")
    eventually(
        lambda: _log_in(address, user, key, "true").returncode == 0,
        lambda: _log_in(address, user, key, "true").stderr + machine.out("one", "cat /var/log/sshd.log"),
    )
    assert _log_in(address, user, key, "whoami; hostname").stdout == f"{user}\none\n"
    assert _log_in(address, "root", key, "whoami").stdout == "root\n"


def test_other_keys_are_refused(machine: Machine, key: Path, tmp_path: Path, as_root: None) -> None:
    address = _boot(machine, key, "debian-12")
    eventually(lambda: _log_in(address, "debian", key, "true").returncode == 0, "a login")
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    assert "Permission denied (publickey)" in _log_in(address, "debian", other, "true").stderr


def test_each_server_has_a_key_of_its_own_which_it_keeps(machine: Machine, key: Path) -> None:
    public_key = key.with_suffix(".pub").read_text()
    show = "cat /etc/ssh/ssh_host_ed25519_key.pub"
    found = {}
    for id in ("one", "two"):
        machine.boot(id, public_keys=(public_key,))
        found[id] = eventually(partial(_output, machine, id, show), "a key")
    assert found["one"] != found["two"]
    machine.finished("two")
    machine.run("two", "kill -USR1 1")
    machine.finished("two", times=2)
    assert machine.out("two", show) == found["two"]


def test_a_server_from_a_snapshot_has_another_key(machine: Machine, key: Path, tmp_path: Path) -> None:
    made = "mkdir -p /etc/ssh; echo old >/etc/ssh/ssh_host_ed25519_key"
    machine.boot("one", script=made)
    machine.finished("one")
    machine.do(machine.linux.snapshot("one", tmp_path / "image.tar"))
    machine.boot("two", image=tmp_path / "image.tar")
    machine.finished("two")
    assert machine.run("two", "cat /etc/ssh/ssh_host_ed25519_key").stdout == ""


def test_without_a_key_pair_no_ssh_server_runs(machine: Machine) -> None:
    machine.boot("one")
    machine.finished("one")
    assert machine.run("one", "test -e /var/log/sshd.log").returncode != 0
