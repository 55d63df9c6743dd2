"""What a server does when it boots, put into a folder that is shown to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

import calor_guest.boot
from calor.localcloud.linux.servers import BOOT_AT
from calor.localcloud.machinery import ServerPlan
from calor_guest.boot.composing import Script
from calor_guest.boot.reading import read_yaml
from calor_guest.boot.user_data import say_always, say_once, wanted_of

_PROGRAMS = Path(calor_guest.boot.__file__).parent
_OUTPUT = "/var/log/cloud-init-output.log"
_DATA = "/var/lib/cloud"


def write_boot(folder: Path, plan: ServerPlan, default_user: str, names: Mapping[str, str]) -> None:
    """`names` are those that the server knows beside its own, with their addresses."""
    script = Script(BOOT_AT)
    needs_python = _say(script, plan, default_user, names)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o755)
    for name in ("init", "functions"):
        shutil.copy(_PROGRAMS / name, folder / name)
    for name, content in script.files.items():
        (folder / name).write_bytes(content)
    body = "\n".join(script.lines)
    # The server's first process waits for what is said, and so does who passes it on, though all are told to end.
    passing_on = f"{{\ntrap '' TERM\ntee -a {_OUTPUT}\n: >/run/said\n}}"
    (folder / "boot").write_text(f". {BOOT_AT}/functions\n{{\n{body}\n}} 2>&1 | {passing_on}\n")
    if needs_python:
        for package in _libraries():
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(package, folder / "lib" / package.name, ignore=ignored)


def write_config_drive(folder: Path, files: Mapping[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o755)
    for name, content in files.items():
        place = folder / name.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _libraries() -> Iterator[Path]:
    """What a server with Python needs for what it is to fetch itself."""
    yield _PROGRAMS.parent
    found = find_spec("yaml")
    if found is not None and found.origin is not None:
        yield Path(found.origin).parent


def _say(script: Script, plan: ServerPlan, default_user: str, names: Mapping[str, str]) -> bool:
    """Whether it can only be done with Python in the server."""
    wanted = wanted_of(plan.user_data or b"", read_yaml)
    script.say(f"failed=no; export DEFAULT_USER={quote(default_user)}")
    script.note(f"{plan.host_name} boots from {plan.image_name or 'its image'}")
    script.say(f"mkdir -p {_DATA}/instance/scripts {_DATA}/data /var/log")
    for path, content in _identity(plan, names):
        lines = " ".join(quote(line) for line in content)
        script.say(f"printf '%s\\n' {lines} >{path}" if lines else f": >{path}")
    say_always(script, wanted)
    script.say(f"known=; [ ! -e {_DATA}/data/instance-id ] || read -r known <{_DATA}/data/instance-id")
    script.say(f'if [ "$known" != {plan.id} ]; then')
    script.say(f"echo {plan.id} >{_DATA}/data/instance-id")
    if plan.user_data:
        script.say(f"place {script.file(plan.user_data)} {_DATA}/instance/user-data.txt 0600")
    for user in ("root", default_user):
        for key in plan.public_keys:
            listed = script.file(f"{key.strip()}\n".encode())
            script.say(f"add_key {user} {listed}")
    if plan.admin_password is not None:
        listed = script.file(f"root:{plan.admin_password}\n".encode())
        script.say(f"set_passwords {listed}")
    for path, given in plan.files:
        script.say(f"place {script.file(given)} {quote(path)}")
    say_once(script, wanted, default_user)
    script.say("fi")
    script.say(f": >{_DATA}/instance/boot-finished")
    script.say('[ "$failed" = no ] || note "some of the user data failed"')
    script.say('note "finished at $(date)"')
    script.say(f"echo; echo {quote(plan.host_name + ' login: ')}")
    return bool(wanted.in_guest)


def _identity(plan: ServerPlan, names: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Files by their paths, as lines."""
    own = plan.host_name
    short = own.partition(".")[0]
    known = f"{own} {short}" if short != own else own
    hosts = ["127.0.0.1 localhost", "::1 localhost ip6-localhost", f"127.0.1.1 {known}"]
    hosts += [f"{address} {name}" for name, address in names.items()]
    servers = dict.fromkeys(server for port in plan.ports for server in port.name_servers)
    yield "/etc/hostname", [own]
    yield "/etc/hosts", hosts
    yield "/etc/resolv.conf", [f"nameserver {server}" for server in servers]
