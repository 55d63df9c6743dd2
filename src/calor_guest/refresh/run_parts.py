"""The program dib-run-parts: runs the programs of a folder, in the order of their numbers, until one fails."""

import errno
import os
import re
import shutil
import subprocess
import sys
import time
from typing import Dict, List, NamedTuple, Optional

from calor_guest.refresh.own import call, own_program

_NAMES = "^[0-9A-Za-z_-]+$"
_ENVIRONMENT_NAMES = "^[0-9A-Za-z_.-]+$"
_SOURCING = 'for file; do . "$file" || exit; done; env -0 >&"$answer"'


def main(arguments: List[str]) -> int:
    listing = arguments[:1] == ["--list"]
    folders = arguments[1:] if listing else arguments
    if len(folders) != 1 or folders[0].startswith("-"):
        return _usage()
    if not os.path.isdir(folders[0]):
        _note(f"{folders[0]} is not a folder")
        return _usage()
    if listing:
        for name in parts(folders[0]):
            print(f"{folders[0]}/{name}")
        return 0
    result = run(folders[0])
    return result.code


class Result(NamedTuple):
    code: int
    """Of the program that failed, or 0."""
    failed: str = ""
    """Which that is."""


def parts(folder: str) -> List[str]:
    """The names of the programs in the order in which they run. Raises OSError."""
    allowed = re.compile(os.environ.get("RUN_PARTS_REGEX") or _NAMES)
    return [name for name in _in_order(folder, allowed) if os.access(os.path.join(folder, name), os.X_OK)]


def run(folder: str, environment: Optional[Dict[str, str]] = None) -> Result:
    """Stops at the first program that fails. Raises OSError."""
    try:
        variables = sourced(os.path.join(folder, "..", "environment.d"), dict(environment or os.environ))
    except subprocess.CalledProcessError as error:
        return Result(_exit_code(error.returncode), "environment.d")
    for name in parts(folder):
        path = os.path.join(folder, name)
        _note(f"Running {path}")
        begun = time.monotonic()
        code = _exit_code(_call(path, variables))
        if code:
            _note(f"{name} exited with code {code}")
            return Result(code, name)
        _note(f"{name} completed after {time.monotonic() - begun:.3f} s")
    return Result(0)


def sourced(folder: str, environment: Dict[str, str]) -> Dict[str, str]:
    """The environment after a shell has read the files of a folder. Raises CalledProcessError."""
    names = _in_order(folder, re.compile(_ENVIRONMENT_NAMES)) if os.path.isdir(folder) else []
    if not names:
        return environment
    shell = shutil.which("bash") or "/bin/sh"
    # What the files print belongs to the output of the program, so that the answer takes another way.
    reading, writing = os.pipe()
    command = [
        shell,
        "-e",
        "-c",
        _SOURCING,
        shell,
        *(os.path.abspath(os.path.join(folder, name)) for name in names),
    ]
    process = subprocess.Popen(command, env=dict(environment, answer=str(writing)), pass_fds=[writing])
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        lines = answer.read().split(b"\0")
    if process.wait() != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    found = dict(os.fsdecode(line).partition("=")[::2] for line in lines if line)
    found.pop("answer", None)
    return found


def _in_order(folder: str, allowed: "re.Pattern[str]") -> List[str]:
    """By number, and by bytes where these are equal."""
    names = [name for name in os.listdir(folder) if allowed.search(name)]
    return sorted((name for name in names if os.path.isfile(os.path.join(folder, name))), key=_rank)


def _rank(name: str) -> "tuple[int, bytes]":
    digits = re.match("[0-9]*", name)
    return int(digits.group() or 0) if digits else 0, os.fsencode(name)


def _call(path: str, environment: Dict[str, str]) -> int:
    program = own_program(path)
    if program is not None:
        return call(program, path, environment)
    sys.stdout.flush()
    try:
        return subprocess.call([path], env=environment)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            _note(f"{path} cannot be executed: {error.strerror}")
            return 126
    # A script without the name of its interpreter.
    return subprocess.call(["/bin/sh", path], env=environment)


def _exit_code(code: int) -> int:
    """As shells count: 128 and more are signals."""
    return 128 - code if code < 0 else code


def _note(text: str) -> None:
    sys.stderr.write("dib-run-parts {} {}\n".format(time.strftime("%Y-%m-%d %H:%M:%S"), text))
    sys.stderr.flush()


def _usage() -> int:
    sys.stderr.write("usage: dib-run-parts [--list] FOLDER\n  --list  print the programs that would run\n")
    return 1
