"""User data as a script: every part done as cloud-init would, in its order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any

from calor_guest.boot import cloud_config, parts
from calor_guest.boot.composing import Script
from calor_guest.boot.parts import Part, TooLarge, parts_of

ReadYaml = Callable[[bytes], Any]
"""Raises ValueError for what cannot be read."""

SCRIPTS = "/var/lib/cloud/instance/scripts"
INIT_DATA = ("/var/lib/heat-cfntools", "/var/lib/cloud/data")
"""Where tools look for what is kept for them: some in one place, some in the other."""


@dataclass(frozen=True)
class Wanted:
    """What user data asks for, sorted by when it is done."""

    configs: tuple[Mapping[str, Any], ...]
    troubles: tuple[str, ...]
    boothooks: tuple[Part, ...] = ()
    scripts: tuple[Part, ...] = ()
    init_data: tuple[Part, ...] = ()
    in_guest: tuple[Part, ...] = ()
    """What can only be done with Python inside the server: includes and part handlers, and what those handle."""


def wanted_of(user_data: bytes, read_yaml: ReadYaml) -> Wanted:
    configs: list[Mapping[str, Any]] = []
    sorted_parts: dict[str, list[Part]] = {}
    troubles: list[str] = []
    try:
        taken = parts_of(user_data)
    except TooLarge as error:
        return Wanted((), troubles=(str(error),))
    has_handler = any(part.kind == parts.HANDLER for part in taken)
    for part in taken:
        if part.kind == parts.CONFIG:
            try:
                config = read_yaml(part.body)
            except ValueError as error:
                troubles.append(f"{part.name} is no YAML: {error}")
                continue
            if isinstance(config, Mapping):
                configs.append(config)
            elif config is not None:
                troubles.append(f"{part.name} is not a map")
        elif part.kind in _PLACES:
            sorted_parts.setdefault(_PLACES[part.kind], []).append(part)
        elif has_handler:
            sorted_parts.setdefault("in_guest", []).append(part)
        else:
            troubles.append(f"{part.name} is of a kind that is not known: {part.kind}")
    found = {place: tuple(several) for place, several in sorted_parts.items()}
    return Wanted(tuple(configs), troubles=tuple(troubles), **found)


_PLACES = {
    parts.BOOTHOOK: "boothooks",
    parts.SCRIPT: "scripts",
    parts.INIT_DATA: "init_data",
    parts.INCLUDE: "in_guest",
    parts.INCLUDE_ONCE: "in_guest",
    parts.HANDLER: "in_guest",
}


def say_always(script: Script, wanted: Wanted) -> None:
    """What is done at every boot."""
    for part in wanted.boothooks:
        body = part.body.partition(b"\n")[2] if part.body.startswith(b"#cloud-boothook") else part.body
        _say_run(script, Part(part.kind, part.name, body), "/var/lib/cloud/instance/boothooks")
    for config in wanted.configs:
        cloud_config.early(script, config)


def say_once(script: Script, wanted: Wanted, default_user: str) -> None:
    """What is done at the first boot."""
    for trouble in wanted.troubles:
        script.note(trouble)
    config = cloud_config.merged(wanted.configs)
    cloud_config.once(script, config, default_user)
    for part in wanted.init_data:
        file = script.file(part.body)
        for folder in INIT_DATA:
            script.say(f"place {file} {quote(f'{folder}/{part.name}')} 0600")
    if wanted.in_guest:
        _say_in_guest(script, wanted.in_guest)
    for part in sorted(wanted.scripts, key=lambda part: part.name):
        _say_run(script, part, SCRIPTS)
    commands = cloud_config.commands(config)
    if commands is not None:
        _say_run(script, Part(parts.SCRIPT, "runcmd", commands), SCRIPTS)
    cloud_config.late(script, config)


def _say_run(script: Script, part: Part, folder: str) -> None:
    place = quote(f"{folder}/{part.name}")
    script.say(f"place {script.file(part.body)} {place} 0700 && run_script {place}")


def _say_in_guest(script: Script, pending: tuple[Part, ...]) -> None:
    """Leaves parts to the program beside the script, which runs another one with what comes of them."""
    script.say("if command -v python3 >/dev/null; then")
    words = " ".join(quote(f"{part.kind} {part.name} {script.file(part.body)}") for part in pending)
    script.say(f"PYTHONPATH={script.folder}/lib python3 -m calor_guest.boot {words}")
    script.say("else")
    script.note("includes and part handlers need Python, which this image has not")
    script.say("fi")
