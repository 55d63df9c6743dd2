"""How user data is read, without a server that does it."""

from __future__ import annotations

import gzip
from base64 import b64encode
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from calor_guest.boot.composing import Script
from calor_guest.boot.parts import Part, parts_of
from calor_guest.boot.reading import read_yaml
from calor_guest.boot.user_data import say_always, say_once, wanted_of


def said(user_data: bytes) -> str:
    script = Script("/boot")
    wanted = wanted_of(user_data, read_yaml)
    say_always(script, wanted)
    say_once(script, wanted, "debian")
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
def test_the_first_line_tells_what_user_data_is(data: bytes, kind: str) -> None:
    assert parts_of(data) == [Part(kind, "part-001", data)]


def test_no_user_data_has_no_parts() -> None:
    assert parts_of(b"") == []
    assert parts_of(b" \n") == []


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: b64encode(gzip.compress(data))])
def test_packed_data_is_unpacked(pack: object) -> None:
    assert callable(pack)
    assert parts_of(pack(b"#!/bin/sh\n"))[0].body == b"#!/bin/sh\n"


def test_a_part_of_a_multipart_may_be_named_like_no_path() -> None:
    message = MIMEMultipart()
    part = MIMEText("#!/bin/sh\n", "x-shellscript")
    part.add_header("Content-Disposition", "attachment", filename="../../etc/passwd")
    message.attach(part)
    assert [part.name for part in parts_of(message.as_bytes())] == ["passwd"]


def test_a_plain_part_of_a_multipart_is_known_by_its_content() -> None:
    message = MIMEMultipart()
    message.attach(MIMEText("#cloud-config\nruncmd: [ls]\n", "plain"))
    assert [part.kind for part in parts_of(message.as_bytes())] == ["text/cloud-config"]


def test_of_the_same_key_in_several_configs_the_last_counts() -> None:
    message = MIMEMultipart()
    for word in ("first", "second"):
        message.attach(MIMEText(f"#cloud-config\nfinal_message: {word}\n", "cloud-config"))
    assert "echo second" in said(message.as_bytes())
    assert "echo first" not in said(message.as_bytes())


def test_words_are_quoted_wherever_they_come_from() -> None:
    evil = "x'; touch /evil; echo '"
    config = (
        f"#cloud-config\nusers:\n- name: {evil!r}\ngroups: [{evil!r}]\nmounts: [[/dev/vdb, {'/' + evil!r}]]\n"
    )
    assert "'; touch" not in said(config.encode()).replace("'\"'\"'", "")


@pytest.mark.parametrize(
    "config",
    ["users: 3", "write_files: [1]", "chpasswd: [x]", "power_state: now", "groups: {a: [b]}", "mounts: x"],
)
def test_what_is_not_understood_is_told_and_the_rest_is_done(config: str) -> None:
    told = said(f"#cloud-config\n{config}\nruncmd: [echo done]\n".encode())
    assert "runcmd 0700 && run_script" in told


def test_modules_that_have_nothing_to_do_say_why() -> None:
    told = said(b"#cloud-config\nntp: {}\nsomething_else: 1\n")
    assert "ntp: nothing to do, the clock is the host" in told
    assert "something_else is not known here" in told
