"""How user data is read, without a server that does it."""

from __future__ import annotations

import gzip
from base64 import b64encode
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from calor_guest.boot.parts import Part, parts_of
from calor_guest.boot.script import Script
from calor_guest.boot.user_data import add_boot_steps, add_first_boot_steps, parse_user_data
from calor_guest.boot.yaml_reader import read_yaml


def said(user_data: bytes) -> str:
    script = Script("/boot")
    wanted = parse_user_data(user_data, read_yaml)
    add_boot_steps(script, wanted)
    add_first_boot_steps(script, wanted, "debian")
    return "\n".join(script.lines)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"#!/bin/sh\n", "text/x-shellscript"),
        (b"#cloud-config\na: 1\n", "text/cloud-config"),
        (b"#cloud-boothook\n", "text/cloud-boothook"),
        (b"#include\nhttp://x\n", "text/x-include-url"),
        (b"#include-once\nhttp://x\n", "text/x-include-once-url"),
        (b"#part-handler\n", "text/part-handler"),
        (b"words\n", "text/plain"),
    ],
)
def test_the_first_line_determines_the_type(data: bytes, kind: str) -> None:
    assert parts_of(data) == [Part(kind, "part-001", data)]


def test_empty_user_data_has_no_parts() -> None:
    assert parts_of(b"") == []
    assert parts_of(b" \n") == []


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: b64encode(gzip.compress(data))])
def test_compressed_data_is_unpacked(pack: object) -> None:
    assert callable(pack)
    assert parts_of(pack(b"#!/bin/sh\n"))[0].body == b"#!/bin/sh\n"


def test_names_of_parts_are_sanitized() -> None:
    message = MIMEMultipart()
    part = MIMEText("#!/bin/sh\n", "x-shellscript")
    part.add_header("Content-Disposition", "attachment", filename="../../etc/passwd")
    message.attach(part)
    assert [part.name for part in parts_of(message.as_bytes())] == ["passwd"]


def test_the_type_of_plain_parts_is_detected() -> None:
    message = MIMEMultipart()
    message.attach(MIMEText("#cloud-config\nruncmd: [ls]\n", "plain"))
    assert [part.kind for part in parts_of(message.as_bytes())] == ["text/cloud-config"]


def test_later_configs_override_earlier_ones() -> None:
    message = MIMEMultipart()
    for word in ("first", "second"):
        message.attach(MIMEText(f"#cloud-config\nfinal_message: {word}\n", "cloud-config"))
    assert "echo second" in said(message.as_bytes())
    assert "echo first" not in said(message.as_bytes())


def test_all_values_are_quoted() -> None:
    evil = "x'; touch /evil; echo '"
    config = (
        f"#cloud-config\nusers:\n- name: {evil!r}\ngroups: [{evil!r}]\nmounts: [[/dev/vdb, {'/' + evil!r}]]\n"
    )
    assert "'; touch" not in said(config.encode()).replace("'\"'\"'", "")


@pytest.mark.parametrize(
    "config",
    ["users: 3", "write_files: [1]", "chpasswd: [x]", "power_state: now", "groups: {a: [b]}", "mounts: x"],
)
def test_unknown_modules_are_reported_and_others_run(config: str) -> None:
    reported = said(f"#cloud-config\n{config}\nruncmd: [echo done]\n".encode())
    assert "runcmd 0700 && run_script" in reported


def test_ignored_modules_are_reported() -> None:
    reported = said(b"#cloud-config\nntp: {}\nsomething_else: 1\n")
    assert "ntp is ignored: the host sets the clock" in reported
    assert "something_else is not supported" in reported
