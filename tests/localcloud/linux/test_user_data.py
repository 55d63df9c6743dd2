"""User data of every kind, done by a server as it boots."""

from __future__ import annotations

import gzip
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from calor.types.nova.server.user_data import for_cfn_tools
from tests.support.linux import Listener, Machine

CONFIG = b"""#cloud-config
bootcmd:
- echo bootcmd >>/root/order
write_files:
- path: /etc/made/file
  content: |
    hello
  permissions: '0600'
- {path: /etc/made/packed, encoding: gz+b64, content: H4sIAAAAAAAAA8vIBACsKpPYAgAAAA==}
- {path: /etc/made/file, content: "more\\n", append: true}
users:
- default
- name: worker
  groups: [staff]
  ssh_authorized_keys: [ssh-ed25519 BBBB worker]
groups: [makers]
ssh_authorized_keys: [ssh-ed25519 AAAA me]
packages: [sh, no-such-package]
timezone: Europe/Berlin
runcmd:
- [sh, -c, 'echo "runcmd $0" >>/root/order', "with words"]
- echo second >>/root/order
final_message: "the end after $UPTIME seconds"
"""


def test_injected_files_are_written_before_user_data_runs(machine: Machine) -> None:
    files = (("/etc/made/with 'words'", b"hello\n"), ("/root/binary", bytes(range(256))))
    machine.boot("one", files=files, script="cat /etc/made/*")
    assert "hello" in machine.finished("one")
    assert machine.out("one", "wc -c </root/binary").strip() == "256"


def test_cloud_config_modules(machine: Machine) -> None:
    machine.boot("one", user_data=CONFIG)
    console = machine.finished("one")
    assert machine.out("one", "cat /root/order") == "bootcmd\nruncmd with words\nsecond\n"
    assert machine.out("one", "cat /etc/made/file; stat -c %a /etc/made/file") == "hello\nmore\n644\n"
    assert machine.out("one", "cat /etc/made/packed") == "hi"
    assert "worker" in machine.out("one", "grep ^staff: /etc/group; ls /home")
    assert machine.out("one", "cat /home/worker/.ssh/authorized_keys") == "ssh-ed25519 BBBB worker\n"
    assert machine.out("one", "cat /root/.ssh/authorized_keys") == "ssh-ed25519 AAAA me\n"
    assert machine.out("one", "grep -c ^makers: /etc/group") == "1\n"
    assert "package no-such-package is not in the image" in console
    assert "package sh cannot" not in console
    assert "timezone is ignored" in console
    assert "the end after 0." in console or "the end after" in console


@pytest.mark.extended
def test_multipart_user_data(machine: Machine) -> None:
    message = MIMEMultipart()
    for content, kind, name in (
        ("#cloud-config\nruncmd:\n- echo runcmd >>/root/order\n", "cloud-config", "config"),
        ("#!/bin/sh\necho second >>/root/order\n", "x-shellscript", "b-script"),
        ("#!/bin/sh\necho first >>/root/order\n", "x-shellscript", "a-script"),
        ("#!/bin/sh\necho hook >>/root/order\n", "cloud-boothook", "hook"),
        ('{"key": "value"}', "x-cfninitdata", "cfn-init-data"),
    ):
        part = MIMEText(content, kind)
        part.add_header("Content-Disposition", "attachment", filename=name)
        message.attach(part)
    machine.boot("one", user_data=message.as_bytes())
    machine.finished("one")
    assert machine.out("one", "cat /root/order") == "hook\nfirst\nsecond\nruncmd\n"
    for folder in ("heat-cfntools", "cloud/data"):
        assert machine.out("one", f"cat /var/lib/{folder}/cfn-init-data") == '{"key": "value"}'


@pytest.mark.extended
def test_heat_cfntools_user_data(machine: Machine) -> None:
    user_data = for_cfn_tools("#!/bin/sh\necho done by $0\n", {"key": "value"}, "http://127.0.0.1:8000/v1")
    machine.boot("one", user_data=user_data.encode())
    machine.finished("one")
    log = machine.out("one", "cat /var/log/heat-provision.log")
    assert "done by /var/lib/cloud/data/cfn-userdata" in log
    assert "ended with 0" in log


@pytest.mark.extended
def test_the_login_user_of_the_configuration_gets_the_keys(machine: Machine) -> None:
    user_data = for_cfn_tools("#!/bin/sh\n", {}, "http://127.0.0.1:8000/v1", "ec2-user")
    machine.boot("one", user_data=user_data.encode(), public_keys=("ssh-ed25519 AAAA mine",))
    machine.finished("one")
    assert "AAAA mine" in machine.out("one", "cat /home/ec2-user/.ssh/authorized_keys")


@pytest.mark.extended
def test_compressed_user_data(machine: Machine) -> None:
    machine.boot("one", user_data=gzip.compress(b"#!/bin/sh\necho was packed\n"))
    assert "was packed" in machine.finished("one")


@pytest.mark.extended
def test_scripts_with_other_interpreters(machine: Machine) -> None:
    machine.boot("one", user_data=b"#!/usr/bin/python3\nprint('from', 'Python')\n")
    assert "from Python" in machine.finished("one")


def test_failed_scripts_are_reported_on_the_console(machine: Machine) -> None:
    machine.boot("one", script="exit 3")
    console = machine.finished("one")
    assert "part-001 exited with code 3" in console
    assert "some of the user data failed" in console


@pytest.mark.extended
def test_includes(machine: Machine, host_service: Listener) -> None:
    machine.network()
    host_service.answer = b"#cloud-config\nruncmd:\n- echo included\n"
    url = f"http://127.0.0.1:{host_service.port}/more"
    machine.boot("one", machine.port("10.0.0.11"), user_data=f"#include\n{url}\n".encode())
    assert "\nincluded\n" in machine.finished("one")


HANDLER = """#part-handler
def list_types():
    return ["text/x-mine"]


def handle_part(data, ctype, filename, payload):
    print("handled", ctype, filename, payload, flush=True)
"""


@pytest.mark.extended
def test_part_handlers(machine: Machine) -> None:
    message = MIMEMultipart()
    for content, kind, name in ((HANDLER, "part-handler", "handler.py"), ("content", "x-mine", "mine")):
        part = MIMEText(content, kind)
        part.add_header("Content-Disposition", "attachment", filename=name)
        message.attach(part)
    machine.boot("one", user_data=message.as_bytes())
    console = machine.finished("one")
    assert "handled __begin__" in console
    assert "handled text/x-mine mine content" in console
    assert "handled __end__" in console


@pytest.mark.extended
def test_phone_home(machine: Machine, host_service: Listener) -> None:
    machine.network()
    url = f"http://127.0.0.1:{host_service.port}/home"
    config = f"#cloud-config\nphone_home:\n  url: {url}\n  post: [instance_id, hostname]\n"
    machine.boot("one", machine.port("10.0.0.11"), user_data=config.encode())
    machine.finished("one")
    assert b"instance_id=one&hostname=one" in host_service.heard[0]


@pytest.mark.extended
def test_power_state(machine: Machine) -> None:
    from tests.support.linux import eventually

    machine.boot("one", user_data=b"#cloud-config\npower_state: {mode: poweroff}\n")
    eventually(lambda: machine.died == ["one"], "it ends")


def test_a_server_boots_despite_invalid_user_data(machine: Machine) -> None:
    machine.boot("one", user_data=b"#cloud-config\nruncmd: [\n")
    assert "is not valid YAML" in machine.finished("one")


def test_user_data_of_unknown_type_is_reported(machine: Machine) -> None:
    machine.boot("one", user_data=b"just some words")
    assert "has an unknown type" in machine.finished("one")
    assert machine.out("one", "cat /var/lib/cloud/instance/user-data.txt") == "just some words"
