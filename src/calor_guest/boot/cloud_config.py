"""Converts #cloud-config to shell commands, for the modules that make sense here."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from shlex import quote
from typing import Any

from calor_guest.boot.script import Script

Config = Mapping[str, Any]

_SILENT = frozenset(
    {
        *("cloud_init_modules", "cloud_config_modules", "cloud_final_modules", "merge_how", "output"),
        *("user", "ssh_pwauth", "disable_root", "preserve_hostname", "manage_etc_hosts", "growpart"),
        *("resize_rootfs", "syslog_fix_perms", "mount_default_fields", "datasource", "ssh_deletekeys"),
        *(
            "ssh_genkeytypes",
            "no_ssh_fingerprints",
            "system_info",
            "datasource_list",
            "prefer_fqdn_over_hostname",
        ),
    }
)
_UNNEEDED = {
    "package_update": "packages cannot be installed",
    "package_upgrade": "packages cannot be installed",
    "apt": "packages cannot be installed",
    "yum_repos": "packages cannot be installed",
    "ntp": "the host sets the clock",
    "timezone": "the host sets the clock",
    "locale": "there is only one locale",
    "swap": "there is no swap",
    "disk_setup": "volumes already have a file system",
    "fs_setup": "volumes already have a file system",
}


def early(script: Script, config: Config) -> None:
    """Commands for every boot, before all others."""
    for command in _listed(config.get("bootcmd")):
        script.add(_command(command))


def once(script: Script, config: Config, default_user: str) -> None:
    """Commands for the first boot, in cloud-init's order, before scripts are run."""
    for key in config:
        if key in _UNNEEDED:
            script.note(f"{key} is ignored: {_UNNEEDED[key]}")
        elif key not in _MODULES and key not in _LATE and key not in _SILENT:
            script.note(f"{key} is not supported")
    for key, module in _MODULES.items():
        if key in config:
            try:
                module(script, config, default_user)
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                script.note(f"{key} is invalid: {error}")


def late(script: Script, config: Config) -> None:
    """Commands for the first boot, after all scripts."""
    for key, module in _LATE.items():
        if key in config and key != "runcmd":
            try:
                module(script, config, "")
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                script.note(f"{key} is invalid: {error}")


def commands(config: Config) -> bytes | None:
    """The script of runcmd."""
    wanted = _listed(config.get("runcmd"))
    if not wanted:
        return None
    return ("#!/bin/sh\n" + "".join(_command(command) + "\n" for command in wanted)).encode()


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _command(command: object) -> str:
    if isinstance(command, list | tuple):
        return " ".join(quote(_text(word)) for word in command)
    return _text(command)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _words(value: object) -> list[str]:
    """A list, or a comma-separated string."""
    if isinstance(value, Mapping):
        return [str(key) for key in value]
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return [_text(word) for word in _listed(value)]


def _write_files(script: Script, config: Config, default_user: str) -> None:
    for file in _listed(config["write_files"]):
        content = _decode(_text(file.get("content")), _text(file.get("encoding")))
        mode = _mode(file.get("permissions", "0644"))
        owner = _text(file.get("owner") or "root:root")
        words = [script.file(content), _text(file["path"]), mode, owner]
        script.add(
            "place " + " ".join(quote(word) for word in words) + (" add" if file.get("append") else "")
        )


def _mode(value: object) -> str:
    """The mode in octal; YAML has already parsed a bare number."""
    return f"{value:o}" if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _decode(content: str, encoding: str) -> bytes:
    kinds = set(encoding.lower().replace("base64", "b64").replace("gzip", "gz").split("+"))
    data = b64decode(content) if "b64" in kinds else content.encode()
    return zlib.decompressobj(31).decompress(data, 64 << 20) if "gz" in kinds else data


def _host_name(script: Script, config: Config, default_user: str) -> None:
    wanted = _text(config.get("hostname") or config.get("fqdn"))
    script.add(f"echo {quote(wanted)} >/etc/hostname")
    script.note(f"the host name does not change; {wanted} is written to /etc/hostname")


def _groups(script: Script, config: Config, default_user: str) -> None:
    for group in (
        _listed(config["groups"]) if not isinstance(config["groups"], str) else _words(config["groups"])
    ):
        if isinstance(group, Mapping):
            for name, members in group.items():
                script.add(f"add_group {quote(_text(name))}")
                for member in _words(members):
                    script.add(f"join_group {quote(member)} {quote(_text(name))}")
        else:
            script.add(f"add_group {quote(_text(group))}")


def _users(script: Script, config: Config, default_user: str) -> None:
    for user in _listed(config["users"]):
        if not isinstance(user, Mapping):
            name = _text(user)
            if name and name != "default":
                script.add(f"add_user {quote(name)}")
            continue
        name = _text(user["name"])
        words = [name, _text(user.get("homedir")), _text(user.get("shell")), _text(user.get("gecos"))]
        if user.get("primary_group"):
            words.append(_text(user["primary_group"]))
        script.add("add_user " + " ".join(quote(word) for word in words))
        for group in _words(user.get("groups")):
            script.add(f"join_group {quote(name)} {quote(group)}")
        _keys(script, name, user.get("ssh_authorized_keys"))
        for rule in _listed(user.get("sudo")):
            if rule:
                line = script.file(f"{name} {_text(rule)}\n".encode())
                script.add(f"place {line} /etc/sudoers.d/90-cloud-init-users 0440 root:root add")
        if user.get("plain_text_passwd") or user.get("passwd"):
            plain = user.get("plain_text_passwd")
            listed = script.file(f"{name}:{_text(plain or user['passwd'])}\n".encode())
            script.add(f"set_passwords {listed}" + ("" if plain else " -e"))


def _authorized_keys(script: Script, config: Config, default_user: str) -> None:
    for user in ("root", default_user):
        _keys(script, user, config["ssh_authorized_keys"])


def _keys(script: Script, user: str, keys: object) -> None:
    for key in _listed(keys):
        listed = script.file(f"{_text(key)}\n".encode())
        script.add(f"add_key {quote(user)} {listed}")


def _password(script: Script, config: Config, default_user: str) -> None:
    listed = script.file(f"{default_user}:{_text(config['password'])}\n".encode())
    script.add(f"set_passwords {listed}")


def _passwords(script: Script, config: Config, default_user: str) -> None:
    wanted = config["chpasswd"]
    plain: list[str] = []
    hashed: list[str] = []
    if isinstance(wanted, str):
        plain += wanted.split()
    else:
        entries = wanted.get("list")
        plain += entries.split() if isinstance(entries, str) else [_text(one) for one in _listed(entries)]
        for user in _listed(wanted.get("users")):
            into = hashed if user.get("type") == "hash" else plain
            into.append(f"{_text(user['name'])}:{_text(user.get('password'))}")
    for lines, option in ((plain, ""), (hashed, " -e")):
        if lines:
            listed = script.file("".join(line + "\n" for line in lines).encode())
            script.add(f"set_passwords {listed}{option}")


def _packages(script: Script, config: Config, default_user: str) -> None:
    for package in _listed(config["packages"]):
        name = _text(package[0] if isinstance(package, list) and package else package)
        script.add(
            f"command -v {quote(name)} >/dev/null"
            f" || note {quote(f'package {name} is not in the image, and cannot be installed')}"
        )


def _mounts(script: Script, config: Config, default_user: str) -> None:
    for entry in _listed(config["mounts"]):
        if isinstance(entry, list) and len(entry) > 1 and _text(entry[1]).startswith("/"):
            script.add(f"offer {quote(_text(entry[0]))} {quote(_text(entry[1]))}")


def _final_message(script: Script, config: Config, default_user: str) -> None:
    message = _text(config["final_message"])
    for name, value in (
        ("version", "Calor"),
        ("datasource", "DataSourceOpenStack"),
        ("timestamp", "$(date)"),
        ("uptime", "$(uptime_seconds)"),
    ):
        for written in (f"${name.upper()}", f"${name}"):
            message = message.replace(written, f"\0{value}\0")
    pieces = message.split("\0")
    # Every second piece is a variable; the others are literal.
    shown = "".join(f'"{piece}"' if at % 2 else quote(piece) for at, piece in enumerate(pieces) if piece)
    script.add(f"echo {shown}")


def _phone_home(script: Script, config: Config, default_user: str) -> None:
    wanted = config["phone_home"]
    fields = wanted.get("post", "all")
    known = {
        "instance_id": "$(cat /var/lib/cloud/data/instance-id)",
        "hostname": "$(hostname)",
        "fqdn": "$(hostname)",
        **dict.fromkeys(("pub_key_dsa", "pub_key_rsa", "pub_key_ecdsa", "pub_key_ed25519"), ""),
    }
    names = list(known) if fields == "all" else _words(fields)
    body = "&".join(f"{name}={known.get(name, '')}" for name in names)
    url = quote(_text(wanted["url"]))
    script.add(f'echo "{body}" >/run/phone-home && send {url} /run/phone-home {int(wanted.get("tries", 10))}')


def _power_state(script: Script, config: Config, default_user: str) -> None:
    wanted = config["power_state"]
    mode = _text(wanted.get("mode", "poweroff"))
    delay = _text(wanted.get("delay", "now")).lstrip("+")
    minutes = int(delay) if delay.isdigit() else 0
    condition = wanted.get("condition", True)
    check = _command(condition) if isinstance(condition, str | list) else _text(bool(condition))
    signal = "USR1" if mode == "reboot" else "TERM"
    script.add(
        f"if {check}; then note {quote(f'{mode} follows')}; (sleep {minutes * 60}; kill -{signal} 1) & fi"
    )


Module = Callable[[Script, Config, str], None]

_MODULES: dict[str, Module] = {
    "write_files": _write_files,
    "hostname": _host_name,
    "fqdn": lambda script, config, user: None if "hostname" in config else _host_name(script, config, user),
    "groups": _groups,
    "users": _users,
    "ssh_authorized_keys": _authorized_keys,
    "password": _password,
    "chpasswd": _passwords,
    "mounts": _mounts,
    "packages": _packages,
    "bootcmd": lambda script, config, user: None,
}
_LATE: dict[str, Module] = {
    "runcmd": lambda script, config, user: None,
    "phone_home": _phone_home,
    "final_message": _final_message,
    "power_state": _power_state,
}


def merge(configs: Iterable[Config]) -> Config:
    """Merges configs; later ones override keys of earlier ones."""
    result: dict[str, object] = {}
    for config in configs:
        result.update(config)
    return result
