"""User data is read by the host before a server boots: it takes neither its time nor its memory."""

from __future__ import annotations

import gzip
from base64 import b64encode

import pytest

from calor_guest.boot.composing import Script
from calor_guest.boot.reading import read_yaml
from calor_guest.boot.user_data import say_always, say_once, wanted_of

_MANY = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "config",
    [
        f"{_MANY}runcmd: *i\n",
        f"{_MANY}runcmd: [*i]\n",
        f"{_MANY}write_files: [{{path: /x, content: *i}}]\n",
        f"{_MANY}users: *i\n",
        f"{_MANY}final_message: *i\n",
        "runcmd: &a [*a]\n",
        "runcmd: " + "[" * 20_000 + "]" * 20_000,
        "runcmd: [x]\n" + "# much\n" * 1_000_000,
    ],
)
def test_a_few_lines_do_not_become_a_billion(config: str) -> None:
    data = gzip.compress(f"#cloud-config\n{config}".encode())
    wanted = wanted_of(data, read_yaml)
    script = Script("/run/boot")
    say_always(script, wanted)
    say_once(script, wanted, "debian")
    told = "\n".join(script.lines)
    assert len(told) + sum(map(len, script.files.values())) < 100_000
    assert "too large" in told or "too deeply" in told or "larger than" in told


def test_aliases_that_are_used_as_usual_are_read() -> None:
    assert read_yaml(b"a: &a [x, y]\nb: [*a, *a]\n") == {"a": ["x", "y"], "b": [["x", "y"], ["x", "y"]]}


@pytest.mark.parametrize("parts", [1, 3, 24])
def test_little_that_is_much_when_unpacked_is_refused(parts: int) -> None:
    packed = gzip.compress(gzip.compress(b"#!/bin/sh\n" + b"#" * (5 << 20)))
    lines = [b"Content-Type: multipart/mixed; boundary=x", b"MIME-Version: 1.0", b""]
    for _ in range(parts):
        lines += [b"--x", b"Content-Type: text/x-shellscript", b"Content-Transfer-Encoding: base64", b""]
        lines += [b64encode(packed)]
    wanted = wanted_of(gzip.compress(b"\n".join([*lines, b"--x--", b""])), read_yaml)

    assert len(wanted.scripts) == (1 if parts == 1 else 0)
    assert ("larger than 8 MiB" in "".join(wanted.troubles)) == (parts > 1)
