"""What hooks have in common. Each is a module of `hooks`, and in the list of `programs.py`."""

import json
import os
import sys
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence

from calor_guest.common import files
from calor_guest.config.configs import Config, output_names
from calor_guest.config.results import NOT_FOUND, Result, failure, result
from calor_guest.config.running import LARGEST, Tail, run, tie_to_parent


class CannotApply(Exception):
    """The config cannot be applied; the message has the reason."""


def run_as_hook(apply: Callable[[Config], Result]) -> int:
    """Reads a config and prints its result, also if that is a failure. Returns the exit code of the hook."""
    tie_to_parent()
    try:
        config = json.loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except ValueError as error:
        sys.stderr.write(f"There is no config on standard input: {error}\n")
        return 1
    try:
        applied = apply(config)
    except CannotApply as error:
        applied = failure(str(error))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        applied = failure(f"The config cannot be applied: {type(error).__name__}: {error}")
    json.dump(applied, sys.stdout)
    return 0


def id_of(config: Config) -> str:
    return checked_name(str(config["id"]), "id")


def checked_name(name: str, what: str) -> str:
    """A name that is used for a file. Raises CannotApply."""
    if not name or name.startswith(".") or "/" in name or "\0" in name:
        raise CannotApply(f"The {what} {name[:100]!r} cannot name a file.")
    return name


def create_folders(*paths: str) -> None:
    """Creates them, for the owner only."""
    for path in paths:
        if not os.path.isdir(path):
            files.make_private_folder(path)


def hiera_data_folder() -> str:
    return os.environ.get("HEAT_PUPPET_HIERA_DATADIR", "/etc/puppet/hieradata")


def pretty(value: Any) -> str:
    return json.dumps(value, indent=4, sort_keys=True)


def run_program(
    command: Sequence[str],
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[str] = None,
    successes: Iterable[int] = (0,),
) -> Result:
    """What it writes also goes to standard error meanwhile: 55-heat-config reports it as progress."""
    stdout, stderr = (Tail(LARGEST, echo=sys.stderr.buffer) for _ in range(2))
    try:
        status = run(command, stdout, stderr, env=env, cwd=cwd, tied=True)
    except FileNotFoundError:
        return failure(f"{command[0]} is not installed on this server.", NOT_FOUND)
    return result(stdout.text(), stderr.text(), 0 if status in successes else status)


def read_outputs(config: Config, path: str) -> Dict[str, Any]:
    """The declared outputs that have been written, each to a file."""
    found = {name: _read_output(f"{path}.{name}") for name in output_names(config) if "/" not in name}
    return {name: value for name, value in found.items() if value is not None}


def _read_output(path: str) -> Optional[str]:
    try:
        with open(path, "rb") as file:
            # More than this fails the deployment anyway.
            return file.read(LARGEST + 1).decode("utf-8", "replace")
    except OSError:
        return None
