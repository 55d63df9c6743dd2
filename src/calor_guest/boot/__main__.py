"""Processes includes and part handlers within a server: python3 -m calor_guest.boot PART...

Each part is given as its type, its name and its file. The results are written to a script, which is run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path
from urllib.request import urlopen

from calor_guest.boot import parts
from calor_guest.boot.parts import Part
from calor_guest.boot.script import Script
from calor_guest.boot.user_data import add_boot_steps, add_first_boot_steps, parse_user_data
from calor_guest.boot.yaml_reader import read_yaml

_DEEPEST = 5
_SECONDS = 30.0
_FOLDER = Path("/var/lib/cloud/instance/included")


def main(arguments: list[str]) -> None:
    given = []
    for argument in arguments:
        kind, name, file = argument.split(" ")
        given.append(Part(kind, name, Path(file).read_bytes()))
    handlers = [_Handler(part) for part in given if part.kind == parts.HANDLER]
    for handler in handlers:
        handler.call("__begin__", "", b"")
    for part in given:
        if part.kind in (parts.INCLUDE, parts.INCLUDE_ONCE):
            _include(part, 1)
        for handler in handlers:
            if part.kind in handler.kinds:
                handler.call(part.kind, part.name, part.body)
    for handler in handlers:
        handler.call("__end__", "", b"")


def _include(part: Part, depth: int) -> None:
    for line in part.body.decode(errors="replace").splitlines():
        url = line.strip()
        if not url or url.startswith("#"):
            continue
        try:
            with urlopen(url, timeout=_SECONDS) as answer:
                data = answer.read()
        except (OSError, ValueError) as error:
            print(f"boot: {url} cannot be included: {error}", flush=True)
            continue
        for inner in parts.parts_of(data):
            if inner.kind in (parts.INCLUDE, parts.INCLUDE_ONCE) and depth < _DEEPEST:
                _include(inner, depth + 1)
        _run(data)


def _run(user_data: bytes) -> None:
    number = len(list(_FOLDER.glob("*"))) if _FOLDER.exists() else 0
    folder = _FOLDER / str(number)
    folder.mkdir(parents=True)
    script = Script(str(folder))
    wanted = parse_user_data(user_data, read_yaml)
    add_boot_steps(script, wanted)
    add_first_boot_steps(script, wanted, os.environ.get("DEFAULT_USER", "root"))
    for name, content in script.files.items():
        (folder / name).write_bytes(content)
    functions = Path(__file__).with_name("functions")
    (folder / "script").write_text("\n".join((f". {functions}", *script.lines, "")))
    subprocess.run(["sh", str(folder / "script")], check=False)


class _Handler:
    """A part handler: a Python module that handles other parts."""

    def __init__(self, part: Part) -> None:
        self._module = types.ModuleType(part.name.replace("-", "_").replace(".", "_"))
        exec(compile(part.body, part.name, "exec"), self._module.__dict__)
        self.kinds = list(self._module.list_types())

    def call(self, kind: str, name: str, body: bytes) -> None:
        data = body.decode(errors="replace")
        try:
            if getattr(self._module, "handler_version", 1) == 2:
                self._module.handle_part(data, kind, name, data, "once-per-instance")
            else:
                self._module.handle_part(data, kind, name, data)
        except Exception as error:
            print(f"boot: the part handler failed with {name or kind}: {error}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
