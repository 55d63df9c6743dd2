"""What a server writes is shown, and does nothing to the terminal of whoever looks at it."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest

from calor.cli import cloud, main
from calor.cli.errors import CommandError
from calor.cli.render import ansi, records

HOSTILE = "one\ttwo\r\n\x1b]0;title\x07\x1b[2J\x9b31m\u202ethree\rover\n"
SHOWN = "one\ttwo\n␛]0;title␇␛[2J\ufffd31m\ufffdthree␍over\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(params=[Terminal, io.StringIO], ids=["terminal", "pipe"])
def out(request: pytest.FixtureRequest) -> io.StringIO:
    stream: io.StringIO = request.param()
    return stream


@contextmanager
def printing(out: io.StringIO) -> Iterator[None]:
    with redirect_stdout(out), redirect_stderr(out):
        yield


def expected(out: io.StringIO) -> str:
    """A file gets what was written, and so does another program."""
    return SHOWN if out.isatty() else HOSTILE


def test_the_console_of_a_server(out: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "console.log").write_bytes(HOSTILE.encode())
    monkeypatch.setattr(cloud, "_server", lambda folder, name: SimpleNamespace(folder=tmp_path))
    arguments = argparse.Namespace(server="s", follow=False, state_dir=str(tmp_path))
    with printing(out):
        assert cloud.run_console(arguments) == 0
    assert out.getvalue() == expected(out)


@pytest.mark.parametrize("form", ["value", "json", "yaml", "csv", "table"])
def test_records(out: io.StringIO, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    arguments = argparse.Namespace(format=form, columns=(), legacy=False)
    with printing(out):
        records.print_record(arguments, {"deploy_stdout": HOSTILE})
    if out.isatty() or form == "table":
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out.getvalue())
    elif form == "value":
        assert out.getvalue() == f"{HOSTILE}\n"


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(argv: list[str]) -> argparse.Namespace:
        raise CommandError("the service says \x1b[2J")

    monkeypatch.setattr(main, "parse", fail)
    out = Terminal()
    with printing(out):
        main.main(["stack", "list"])
    assert out.getvalue() == "calor: the service says ␛[2J\n"


def test_what_is_harmless_stays_as_it_is(out: io.StringIO) -> None:
    text = "Grüße, 世界 🙂\n\tindented\n"
    assert ansi.harmless(text, out) == text
