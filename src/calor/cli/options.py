"""Commands as data: their words, their options, and where the code is that runs them.

Parsers, the old spelling and completion are all made from these tables; the code itself is imported when it runs.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

_NO_CHOICE = re.compile(r"\Aargument (\S+): invalid choice: '([^']*)' \(choose from (.*)\)\Z", re.DOTALL)

FORMATS = ("table", "json", "yaml", "value", "csv")


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with a command line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {_shortened(message)} (see `{self.prog} --help`)\n")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        words = list(sys.argv[1:] if args is None else args)
        found, unknown = self.parse_known_args(words, namespace)
        if unknown:
            self._meant(words).error(f"unrecognized arguments: {' '.join(unknown)}")
        return found

    def _meant(self, words: Iterable[str]) -> argparse.ArgumentParser:
        """The parser of the command that words name: its help tells more than that of the whole program."""
        parser: argparse.ArgumentParser = self
        for word in words:
            below = next(
                (one for one in parser._actions if isinstance(one, argparse._SubParsersAction)), None
            )
            if below is None:
                break
            parser = below.choices.get(word, parser)
        return parser


def _shortened(message: str) -> str:
    """Of a word that is none of many, say which was meant instead of listing all."""
    found = _NO_CHOICE.match(message)
    if found is None:
        return message
    from difflib import get_close_matches

    where, word, choices = found.groups()
    near = get_close_matches(word, re.findall(r"'([^']+)'", choices), 1)
    what = f"there is no command {word}" if where == "COMMAND" else f"{where} cannot be {word}"
    return f"{what}; did you mean {near[0]}?" if near else what


@dataclass(frozen=True, slots=True)
class Arg:
    names: tuple[str, ...]
    settings: Mapping[str, Any]

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(*self.names, **self.settings)


def arg(*names: str, **settings: Any) -> Arg:
    return Arg(names, settings)


def flag(*names: str, help: str = "", dest: str | None = None) -> Arg:
    return Arg(names, {"action": "store_true", "help": help, **({"dest": dest} if dest else {})})


def many(*names: str, **settings: Any) -> Arg:
    """An option that may be repeated."""
    return Arg(names, {"action": "append", "default": [], **settings})


@dataclass(frozen=True, slots=True)
class Command:
    """`runs` is `module:function` below `calor.cli`; the function gets the client and the arguments."""

    words: tuple[str, ...]
    help: str
    runs: str
    args: tuple[Arg, ...] = ()
    shows: bool = False
    """Whether it prints records, whose form can be chosen."""
    presets: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the function that this spelling has no option for."""


_CLOUD_HELP = "Which cloud: --os-cloud NAME, or OS_* as options or in the environment; else the embedded one."
_ABSENT: Mapping[str, Any] = {"columns": [], "format": None, "legacy": False}
"""What every command's code may ask for, whether there is an option for it or not."""

SHOWING = (
    arg("-f", "--format", choices=FORMATS, help="how to print; default: table"),
    many("-c", "--column", dest="columns", metavar="COLUMN", help="print this column only; repeatable"),
)


def add_commands(
    parsers: Any, commands: Iterable[Command], depth: int = 0, helps: Mapping[str, str] | None = None
) -> None:
    """Adds the commands of a family, and a parser for each word that leads to them. `helps` are what such words
    stand for."""
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
    """The options that say which cloud is meant, wherever they stand, and the rest. Each stands for a variable of
    the environment."""
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
