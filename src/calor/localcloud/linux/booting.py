"""Writes the boot scripts and the config drive of a server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

import calor_guest.boot
from calor.localcloud.backend import ServerPlan
from calor.localcloud.linux.servers import BOOT_AT
from calor_guest.archive import archive
from calor_guest.boot.script import Script
from calor_guest.boot.user_data import UserData, add_boot_steps, add_first_boot_steps

_PROGRAMS = Path(calor_guest.boot.__file__).parent
_OUTPUT = "/var/log/cloud-init-output.log"
_DATA = "/var/lib/cloud"


def write_boot(
    folder: Path, plan: ServerPlan, user_data: UserData, default_user: str, names: Mapping[str, str]
) -> None:
    """`names` are further entries of /etc/hosts, with their addresses."""
    script = Script(BOOT_AT)
    _add_steps(script, plan, user_data, default_user, names)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o755)
    for name in ("init", "functions"):
        shutil.copy(_PROGRAMS / name, folder / name)
    for name, content in script.files.items():
        (folder / name).write_bytes(content)
    body = "\n".join(script.lines)
    # The first process waits for the output, and tee must write it even when all processes get SIGTERM.
    forward = f"{{\ntrap '' TERM\ntee -a {_OUTPUT}\n: >/run/printed\n}}"
    (folder / "boot").write_text(f". {BOOT_AT}/functions\n{{\n{body}\n}} 2>&1 | {forward}\n")
    # Parts that need Python in the server.
    if user_data.in_guest:
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
    """The packages that a server needs to process includes and part handlers."""
    yield _PROGRAMS.parent
    found = find_spec("yaml")
    if found is not None and found.origin is not None:
        yield Path(found.origin).parent


def _add_steps(
    script: Script, plan: ServerPlan, user_data: UserData, default_user: str, names: Mapping[str, str]
) -> None:
    default_user = user_data.login_user or default_user
    script.add(f"failed=no; export DEFAULT_USER={quote(default_user)}")
    script.note(f"{plan.host_name} boots from {plan.image_name or 'its image'}")
    script.add(f"mkdir -p {_DATA}/instance/scripts {_DATA}/data /var/log")
    for path, content in _identity(plan, names):
        lines = " ".join(quote(line) for line in content)
        script.add(f"printf '%s\\n' {lines} >{path}" if lines else f": >{path}")
    script.add("mount_all")
    add_boot_steps(script, user_data)
    script.add(f"known=; [ ! -e {_DATA}/data/instance-id ] || read -r known <{_DATA}/data/instance-id")
    script.add(f'if [ "$known" != {plan.id} ]; then')
    script.add(f"echo {plan.id} >{_DATA}/data/instance-id")
    script.add("forget_ssh_keys")
    if plan.user_data:
        script.add(f"place {script.file(plan.user_data)} {_DATA}/instance/user-data.txt 0600")
    if user_data.login_user:
        script.add(f"add_user {quote(default_user)}")
    for user in ("root", default_user):
        for key in plan.public_keys:
            listed = script.file(f"{key.strip()}\n".encode())
            script.add(f"add_key {quote(user)} {listed}")
    if plan.admin_password is not None:
        listed = script.file(f"root:{plan.admin_password}\n".encode())
        script.add(f"set_passwords {listed}")
    # Users can log in while their scripts run.
    script.add("start_ssh")
    for path, given in plan.files:
        script.add(f"place {script.file(given)} {quote(path)}")
    # Images made here have the tools.
    if user_data.init_data and plan.image is not None:
        script.add(f"install_tools {script.file(archive())}")
    add_first_boot_steps(script, user_data, default_user)
    script.add("fi")
    script.add(f": >{_DATA}/instance/boot-finished")
    script.add("start_ssh")
    script.add("start_agent")
    script.add('[ "$failed" = no ] || note "some of the user data failed"')
    script.add('note "finished at $(date)"')
    script.add(f"echo; echo {quote(plan.host_name + ' login: ')}")


def _identity(plan: ServerPlan, names: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Paths of files and their lines."""
    own = plan.host_name
    short = own.partition(".")[0]
    known = f"{own} {short}" if short != own else own
    hosts = ["127.0.0.1 localhost", "::1 localhost ip6-localhost"]
    # The first line with a name wins.
    hosts += [f"{address} {name}" for name, address in names.items()]
    hosts.append(f"127.0.1.1 {known}")
    servers = dict.fromkeys(server for port in plan.ports for server in port.name_servers)
    yield "/etc/hostname", [own]
    yield "/etc/hosts", hosts
    yield "/etc/resolv.conf", [f"nameserver {server}" for server in servers]
