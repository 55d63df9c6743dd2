"""Entry point: parses the command line and runs the command. Commands are imported when they are used, so that each
starts quickly."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from calor import __version__
from calor.cli import completion, config, database, families, guest_tools, processes, serve
from calor.cli.errors import CommandError, Problems
from calor.cli.options import Parser, add_commands, split_cloud_options
from calor.cli.render import ansi
from calor.cli.template import parser as template_parser

DETAILED = "--detailed-exitcode"
OLD = completion.OLD

# The commands of the old client begin with one of these and a hyphen; only then is their table imported.
_OLD_WORDS = (
    *("action", "build", "config", "deployment", "event", "hook", "output", "resource"),
    *("service", "snapshot", "stack", "template"),
)


def build_parser(word: str | None = None) -> argparse.ArgumentParser:
    """The parser. Only the named family has its commands, or all families if none is named."""
    parser = Parser(prog="calor", description="Orchestrates cloud infrastructure from Heat templates.")
    parser.add_argument("--version", action="version", version=f"calor {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    serve.add_to(commands)
    processes.add_to(commands)
    database.add_to(commands)
    for family, text in families.HELPS.items():
        group = commands.add_parser(family, help=text)
        if word in (None, family):
            below = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
            _add_family(below, family)
    template_parser.add_to(commands)
    commands.add_parser(OLD, help="the commands of the old `heat` client")
    completion.add_to(commands)
    return parser


def _add_family(parsers: object, family: str) -> None:
    add_commands(parsers, families.commands_of(family), 1)
    if family == "config":
        config.add_to(parsers)
        guest_tools.add_to(parsers)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns the exit code: 0 success, 1 failure or problems found, 2 wrong usage.

    With --detailed-exitcode, 2 means that a plan has changes, and wrong usage is 1."""
    words = list(sys.argv[1:] if argv is None else argv)
    program = f"calor {OLD}" if words[:1] == [OLD] else "calor"
    return _run(program, words, wrong_usage=1 if DETAILED in words else 2)


def _run(program: str, argv: list[str], wrong_usage: int = 2) -> int:
    # Templates may have text that the terminal cannot show.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = parse(argv)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except CommandError as error:
        sys.stdout.flush()
        for one in error.problems if isinstance(error, Problems) else (error,):
            ansi.print_text(f"{program}: {one.line()}", sys.stderr)
        return wrong_usage if error.code == 2 else error.code
    except SystemExit as ended:
        if ended.code == 2:
            raise SystemExit(wrong_usage) from None
        raise
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does.
        _drop_output()
        return 0
    except OSError as error:
        print(f"{program}: {error}", file=sys.stderr)
        _drop_output()
        return 1
    except KeyboardInterrupt:
        return 130


def parse(argv: list[str]) -> argparse.Namespace:
    if argv[:2] == [OLD, completion.ASK]:
        # Called by a completion script for `calor heat`.
        argv = [completion.ASK, OLD, *argv[2:]]
    if argv and argv[0] in ("serve", *processes.NAMES, "db", "template", "completion", completion.ASK):
        return build_parser("none").parse_args(argv)
    # All others use a cloud.
    cloud, argv = split_cloud_options(argv)
    is_old = argv[:1] == [OLD]
    if is_old:
        argv = argv[1:]
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    argv = families.spelled_out(argv)
    word = next((one for one in argv if not one.startswith("-")), None)
    if (is_old and word not in families.HELPS) or _is_old(word):
        from calor.cli import legacy

        argv = legacy.separated(argv)
        known = argv[0] if argv and argv[0] in legacy.NAMES else None
        return legacy.heat_parser(known).parse_args(argv, cloud)
    return build_parser(word or "none").parse_args(argv, cloud)


def _is_old(word: str | None) -> bool:
    if word is None or word in families.HELPS or word.partition("-")[0] not in _OLD_WORDS:
        return False
    from calor.cli import legacy

    return legacy.is_legacy(word)


def _drop_output() -> None:
    """Discards buffered output, which would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
