"""Shell completion. The scripts call the command itself for candidates, which include the names of stacks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

ASK = "__complete"
OLD = "heat"
"""The word before commands of the old client."""

_BASH = """\
_calor_complete() {
    local IFS=$'\\n' line
    COMPREPLY=()
    for line in $("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
        COMPREPLY+=("${line%%$'\\t'*}")
    done
    if [ ${#COMPREPLY[@]} -eq 0 ]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    fi
}
complete -F _calor_complete calor
"""

_ZSH = """\
#compdef calor
_calor_complete() {
    local -a found
    local line
    for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    if (( ${#found} )); then
        _describe command found
    else
        _files
    fi
}
compdef _calor_complete calor
"""

_FISH = """\
function __calor_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    $program __complete $words (commandline -ct) 2>/dev/null
end
complete -c calor -a '(__calor_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def add_to(commands: Any) -> None:
    command = commands.add_parser("completion", help="print a script that completes commands in a shell")
    command.add_argument("shell", choices=tuple(SCRIPTS), help="source the script where the shell starts")
    command.set_defaults(run=print_script)
    if commands.metavar:
        # Not shown in the help: only the scripts call it.
        hidden = argparse.ArgumentParser(add_help=False, prefix_chars="\x00")
        hidden.add_argument("words", nargs="*")
        hidden.set_defaults(run=print_candidates)
        commands.choices[ASK] = hidden


def print_script(arguments: argparse.Namespace) -> int:
    sys.stdout.write(SCRIPTS[arguments.shell])
    return 0


def print_candidates(arguments: argparse.Namespace) -> int:
    """One in each line, with a tab and a description. File names are left to the shell."""
    for word, text in candidates(arguments.words or [""]):
        print(f"{word}\t{text}")
    return 0


def candidates(words: Sequence[str]) -> list[tuple[str, str]]:
    """Candidates for the last word, including commands of the old client after `heat`, or if the word has a hyphen as
    they do."""
    old = len(words) > 1 and words[0] == OLD
    *before, last = words[1:] if old else words
    parser = _parser(before, last, old)
    positional = 0
    value_of: argparse.Action | None = None
    for word in before:
        if value_of is not None:
            value_of = None
            continue
        commands = _commands(parser)
        if commands is not None and word in commands.choices:
            parser = commands.choices[word]
            positional = 0
        elif word.startswith("-"):
            action = parser._option_string_actions.get(word)
            value_of = action if action is not None and action.nargs != 0 else None
        else:
            positional += 1
    if value_of is not None:
        found = [(str(choice), "") for choice in value_of.choices or ()]
    elif last.startswith("-"):
        found = [
            (name, action.help or "")
            for name, action in parser._option_string_actions.items()
            if name.startswith("--") and action.help is not argparse.SUPPRESS
        ]
    else:
        found = _positionals(parser, positional)
    return sorted((word, text) for word, text in found if word.startswith(last))


def _parser(before: Sequence[str], last: str, old: bool) -> argparse.ArgumentParser:
    from calor.cli import legacy
    from calor.cli.main import build_parser

    parser = build_parser(before[0] if before else "none")
    word = before[0] if before else last
    if old or "-" in word:
        commands = _commands(parser)
        if commands is not None and word not in commands.choices:
            legacy.add_to(commands, word if word in legacy.NAMES else None)
    return parser


def _commands(parser: argparse.ArgumentParser) -> Any:
    return next(
        (action for action in parser._actions if isinstance(action, argparse._SubParsersAction)), None
    )


def _positionals(parser: argparse.ArgumentParser, index: int) -> list[tuple[str, str]]:
    commands = _commands(parser)
    if commands is not None:
        return [(action.dest, action.help or "") for action in commands._choices_actions]
    taking = [action for action in parser._actions if not action.option_strings]
    action = taking[min(index, len(taking) - 1)] if taking else None
    if action is None:
        return []
    if action.choices:
        return [(str(choice), "") for choice in action.choices]
    return _stacks() if action.metavar == "STACK" else []


def _stacks() -> list[tuple[str, str]]:
    """The names of stacks, if the service can be reached."""
    from calor.cli.api.client import Heat
    from calor.cli.api.settings import chosen_cloud
    from calor.cli.errors import CommandError

    arguments = argparse.Namespace()
    try:
        found = Heat(lambda: chosen_cloud(arguments), arguments).get("/stacks")["stacks"]
    except CommandError:
        return []
    return [(one["stack_name"], one["stack_status"]) for one in found]
