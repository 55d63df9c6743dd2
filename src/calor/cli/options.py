"""Commands as data: their words, their options, and the function that runs them.

The parsers, the commands of the old client and completion are built from these tables; functions are imported when
they run.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from calor.cli.json_values import JsonMapping

FORMATS = ("table", "json", "yaml", "value", "csv")


class Parser(argparse.ArgumentParser):
    """Reports errors in one line, and suggests the closest choice instead of listing all."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see `{self.prog} --help`)\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        from difflib import get_close_matches

        if isinstance(action, argparse._SubParsersAction):
            problem = f"there is no command {value}"
        else:
            problem = f"{'/'.join(action.option_strings) or action.metavar or action.dest} cannot be {value}"
        near = get_close_matches(str(value), map(str, action.choices), 1)
        self.error(f"{problem}; did you mean {near[0]}?" if near else problem)

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        words = list(sys.argv[1:] if args is None else args)
        found, unknown = self.parse_known_args(words, namespace)
        if unknown:
            command = self._command(words)
            # -f is --force in other programs, and nothing here.
            forced = not {"-f", "--force"}.isdisjoint(unknown) and "--yes" in command._option_string_actions
            advice = "; --yes skips the question" if forced else ""
            command.error(f"unrecognized arguments: {' '.join(unknown)}{advice}")
        return found

    def _command(self, words: Iterable[str]) -> argparse.ArgumentParser:
        """The parser of the command, so that an error refers to its help."""
        parser: argparse.ArgumentParser = self
        for word in words:
            below = next(
                (one for one in parser._actions if isinstance(one, argparse._SubParsersAction)), None
            )
            if below is None:
                break
            parser = below.choices.get(word, parser)
        return parser


@dataclass(frozen=True, slots=True)
class Arg:
    names: tuple[str, ...]
    settings: JsonMapping

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(*self.names, **self.settings)


def arg(*names: str, **settings: object) -> Arg:
    return Arg(names, settings)


def flag(*names: str, help: str = "", dest: str | None = None) -> Arg:
    return Arg(names, {"action": "store_true", "help": help, **({"dest": dest} if dest else {})})


def many(*names: str, **settings: object) -> Arg:
    """An option that may be repeated."""
    return Arg(names, {"action": "append", "default": [], **settings})


@dataclass(frozen=True, slots=True)
class Command:
    """`runs` is `module:function` in `calor.cli`; the function gets the client and the arguments."""

    words: tuple[str, ...]
    help: str
    runs: str
    args: tuple[Arg, ...] = ()
    shows: bool = False
    """Whether it prints records and has the options --format and --column."""
    presets: JsonMapping = field(default_factory=dict)
    """Values for arguments of the function for which the command has no option."""


_CLOUD_HELP = (
    "The cloud: --os-cloud NAME, or OS_* as options or in the environment; default: the embedded cloud."
)
_ABSENT: JsonMapping = {"columns": [], "format": None, "legacy": False}
"""Arguments that every function expects, with the values for commands without an option."""

SHOWING = (
    arg("-f", "--format", choices=FORMATS, help="the output format; default: table"),
    many("-c", "--column", dest="columns", metavar="COLUMN", help="print only this column; repeatable"),
)


def add_commands(
    parsers: Any, commands: Iterable[Command], depth: int = 0, helps: Mapping[str, str] | None = None
) -> None:
    """Adds the commands of a family, and a parser for each group of commands. `helps` has the help of groups."""
    groups: dict[str, list[Command]] = {}
    for command in commands:
        groups.setdefault(command.words[depth], []).append(command)
    for word, members in groups.items():
        if len(members) == 1 and len(members[0].words) == depth + 1:
            _add_one(parsers, word, members[0])
        else:
            group = parsers.add_parser(word, help=(helps or {}).get(word) or _summary(members, depth))
            below = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
            add_commands(below, members, depth + 1)


def _summary(members: list[Command], depth: int) -> str:
    return ", ".join(dict.fromkeys(member.words[depth + 1] for member in members))


def _add_one(parsers: Any, word: str, command: Command) -> None:
    parser = parsers.add_parser(
        word, help=command.help, description=command.help, epilog=_CLOUD_HELP, allow_abbrev=False
    )
    for one in command.args:
        one.add_to(parser)
    if command.shows:
        for one in SHOWING:
            one.add_to(parser)
    stated = {action.dest for action in parser._actions}
    missing = {name: value for name, value in _ABSENT.items() if name not in stated}
    parser.set_defaults(run=runner(command), **{**missing, **command.presets})


def split_cloud_options(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Separates the options that select the cloud, anywhere on the command line, from the remaining words. Each has an
    equivalent environment variable."""
    from calor.cli.api.settings import SWITCHES, VARIABLES

    parser = Parser(prog="calor", add_help=False, allow_abbrev=False)
    for variable in ("OS_CLOUD", *VARIABLES):
        if variable not in SWITCHES:
            parser.add_argument("--" + variable.lower().replace("_", "-"), dest=variable.lower())
    for variable, option in SWITCHES.items():
        parser.add_argument(option, action="store_const", const="true", dest=variable.lower())
    parser.add_argument("--debug", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--heat-api-version")
    parser.add_argument("--api-timeout")
    return parser.parse_known_args(argv)


def runner(command: Command) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        from calor.cli.api.client import Heat
        from calor.cli.api.settings import chosen_cloud

        module, _, function = command.runs.partition(":")
        do = getattr(importlib.import_module(f"calor.cli.{module}"), function)
        code: int | None = do(Heat(lambda: chosen_cloud(arguments), arguments), arguments)
        return code or 0

    return run
