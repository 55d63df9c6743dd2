"""Converts user data to a script that processes its parts in cloud-init's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shlex import quote

from calor_guest.boot import cloud_config, parts
from calor_guest.boot.parts import MAX_BYTES, Part, TooLarge, parts_of
from calor_guest.boot.script import Script

ReadYaml = Callable[[bytes], object]
"""Raises ValueError for invalid or too large documents."""

SCRIPTS = "/var/lib/cloud/instance/scripts"
INIT_DATA = ("/var/lib/heat-cfntools", "/var/lib/cloud/data")
"""The folders where tools look for it."""


@dataclass(frozen=True)
class UserData:
    """The content of user data, by the time at which it is processed."""

    configs: tuple[Mapping[str, object], ...]
    problems: tuple[str, ...]
    boothooks: tuple[Part, ...] = ()
    scripts: tuple[Part, ...] = ()
    init_data: tuple[Part, ...] = ()
    in_guest: tuple[Part, ...] = ()
    """Parts that need Python in the server: includes, part handlers, and the parts that these handle."""

    @property
    def login_user(self) -> str | None:
        """The user who gets the public keys, if not the one of the image."""
        given = cloud_config.merge(self.configs).get("user")
        return given if isinstance(given, str) and given else None


def parse_user_data(user_data: bytes, read_yaml: ReadYaml) -> UserData:
    try:
        return parse_user_data_within(MAX_BYTES, user_data, read_yaml)
    except TooLarge as error:
        return UserData((), problems=(str(error),))


def parse_user_data_within(most: int, user_data: bytes, read_yaml: ReadYaml) -> UserData:
    """Raises TooLarge for user data with more unpacked bytes."""
    taken = parts_of(user_data, most)
    configs: list[Mapping[str, object]] = []
    sorted_parts: dict[str, list[Part]] = {}
    problems: list[str] = []
    has_handler = any(part.kind == parts.HANDLER for part in taken)
    for part in taken:
        if part.kind == parts.CONFIG:
            try:
                config = read_yaml(part.body)
            except ValueError as error:
                problems.append(f"{part.name} is not valid YAML: {error}")
                continue
            if isinstance(config, Mapping):
                configs.append(config)
            elif config is not None:
                problems.append(f"{part.name} is not a map")
        elif part.kind in _PLACES:
            sorted_parts.setdefault(_PLACES[part.kind], []).append(part)
        elif has_handler:
            sorted_parts.setdefault("in_guest", []).append(part)
        else:
            problems.append(f"{part.name} has an unknown type: {part.kind}")
    found = {place: tuple(several) for place, several in sorted_parts.items()}
    return UserData(tuple(configs), problems=tuple(problems), **found)


_PLACES = {
    parts.BOOTHOOK: "boothooks",
    parts.SCRIPT: "scripts",
    parts.INIT_DATA: "init_data",
    parts.INCLUDE: "in_guest",
    parts.INCLUDE_ONCE: "in_guest",
    parts.HANDLER: "in_guest",
}


def add_boot_steps(script: Script, wanted: UserData) -> None:
    """Adds the commands for every boot."""
    for part in wanted.boothooks:
        body = part.body.partition(b"\n")[2] if part.body.startswith(b"#cloud-boothook") else part.body
        _add_script(script, Part(part.kind, part.name, body), "/var/lib/cloud/instance/boothooks")
    for config in wanted.configs:
        cloud_config.early(script, config)


def add_first_boot_steps(script: Script, wanted: UserData, default_user: str) -> None:
    """Adds the commands for the first boot."""
    for trouble in wanted.problems:
        script.note(trouble)
    config = cloud_config.merge(wanted.configs)
    cloud_config.once(script, config, default_user)
    for part in wanted.init_data:
        file = script.file(part.body)
        for folder in INIT_DATA:
            script.add(f"place {file} {quote(f'{folder}/{part.name}')} 0600")
    if wanted.in_guest:
        _add_guest_parts(script, wanted.in_guest)
    for part in sorted(wanted.scripts, key=lambda part: part.name):
        _add_script(script, part, SCRIPTS)
    commands = cloud_config.commands(config)
    if commands is not None:
        _add_script(script, Part(parts.SCRIPT, "runcmd", commands), SCRIPTS)
    cloud_config.late(script, config)


def _add_script(script: Script, part: Part, folder: str) -> None:
    place = quote(f"{folder}/{part.name}")
    script.add(f"place {script.file(part.body)} {place} 0700 && run_script {place}")


def _add_guest_parts(script: Script, pending: tuple[Part, ...]) -> None:
    """Adds a call of `calor_guest.boot`, which processes the parts."""
    script.add("if command -v python3 >/dev/null; then")
    words = " ".join(quote(f"{part.kind} {part.name} {script.file(part.body)}") for part in pending)
    script.add(f"PYTHONPATH={script.folder}/lib python3 -m calor_guest.boot {words}")
    script.add("else")
    script.note("includes and part handlers need Python, which this image does not have")
    script.add("fi")
