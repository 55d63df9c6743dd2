"""User data is read by the host before a server boots: it takes neither its time nor its memory."""

from __future__ import annotations

import asyncio
import gzip
import threading
from base64 import b64encode

import pytest

from calor.localcloud.linux import user_data
from calor_guest.boot.script import Script
from calor_guest.boot.user_data import UserData, add_boot_steps, add_first_boot_steps, parse_user_data
from calor_guest.boot.yaml_reader import YamlReader, read_yaml

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
    wanted = parse_user_data(data, read_yaml)
    script = Script("/run/boot")
    add_boot_steps(script, wanted)
    add_first_boot_steps(script, wanted, "debian")
    reported = "\n".join(script.lines)
    assert len(reported) + sum(map(len, script.files.values())) < 100_000
    assert "too large" in reported or "too deeply" in reported or "larger than" in reported


def test_aliases_that_are_used_as_usual_are_read() -> None:
    assert read_yaml(b"a: &a [x, y]\nb: [*a, *a]\n") == {"a": ["x", "y"], "b": [["x", "y"], ["x", "y"]]}


@pytest.mark.parametrize("parts", [1, 3, 24])
def test_little_that_is_much_when_unpacked_is_refused(parts: int) -> None:
    packed = gzip.compress(gzip.compress(b"#!/bin/sh\n" + b"#" * (5 << 20)))
    lines = [b"Content-Type: multipart/mixed; boundary=x", b"MIME-Version: 1.0", b""]
    for _ in range(parts):
        lines += [b"--x", b"Content-Type: text/x-shellscript", b"Content-Transfer-Encoding: base64", b""]
        lines += [b64encode(packed)]
    wanted = parse_user_data(gzip.compress(b"\n".join([*lines, b"--x--", b""])), read_yaml)

    assert len(wanted.scripts) == (1 if parts == 1 else 0)
    assert ("larger than 8 MiB" in "".join(wanted.problems)) == (parts > 1)


def mime(*bodies: bytes) -> bytes:
    lines = [b"Content-Type: multipart/mixed; boundary=x", b"MIME-Version: 1.0", b""]
    for body in bodies:
        lines += [b"--x", b"Content-Type: text/cloud-config", b"", body]
    return b"\n".join([*lines, b"--x--", b""])


def test_all_parts_share_what_may_be_read() -> None:
    config = b"runcmd: [x]\n" + b"# much\n" * 100_000
    wanted = parse_user_data(mime(*[config] * 8), YamlReader())
    assert len(wanted.configs) == 1
    assert len(wanted.problems) == 7
    assert "larger than 1048576 bytes" in wanted.problems[0]


def test_many_values_are_refused_before_they_are_made() -> None:
    with pytest.raises(ValueError, match="more than 100000 values"):
        read_yaml(b"a: [" + b"a," * 400_000 + b"]\n")


def test_reading_has_a_deadline() -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    reader = YamlReader(clock)
    with pytest.raises(ValueError, match="takes too long"):
        reader(b"a: [" + b"a," * 10_000 + b"]\n")


def test_very_many_parts_are_refused() -> None:
    wanted = parse_user_data(gzip.compress(mime(b"--x\n\n" * 1_000_000)), YamlReader())
    assert wanted.problems == ("the user data has too many parts",)


def test_user_data_that_is_large_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """More servers than there are threads have user data that takes long; others are read meanwhile."""
    asyncio.run(_many_at_once(monkeypatch))


async def _many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def slow(user_data: bytes, read: YamlReader) -> UserData:
        go_on.wait()
        return parse_user_data(user_data, read)

    monkeypatch.setattr(user_data, "parse_user_data", slow)
    reading = user_data.UserDataReader()
    large = gzip.compress(b"#cloud-config\nruncmd: [x]\n" + b"# much\n" * 100_000)
    waiting = [asyncio.ensure_future(reading.parse(large)) for _ in range(40)]
    await asyncio.sleep(0)
    try:
        ordinary = [reading.parse(b"#cloud-config\nruncmd: [y]\n") for _ in range(40)]
        found = await asyncio.wait_for(asyncio.gather(*ordinary), 60)
        assert all(one.configs == ({"runcmd": ["y"]},) for one in found)
        assert not any(one.done() for one in waiting)
    finally:
        go_on.set()
    assert all(one.configs == ({"runcmd": ["x"]},) for one in await asyncio.gather(*waiting))
    reading.close()
