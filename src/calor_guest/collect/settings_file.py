"""The configuration file of os-collect-config from the metadata of a server."""

from typing import Any, Iterator, List, Mapping

from calor_guest.collect.options import GENERAL, OPTIONS

_MAY_BE_SET = (
    "command",
    "collectors",
    "cachedir",
    "backup_cachedir",
    "deployment_key",
    "polling_interval",
    "min_polling_interval",
    "splay",
)
_SECTIONS = tuple(dict.fromkeys(option.section for option in OPTIONS if option.section != GENERAL))
_COMMAND = "os-refresh-config"


def settings_file(settings: Mapping[str, Any]) -> str:
    """The text of the file. Settings that are null are left out, so that they have their defaults."""
    general = {"command": _COMMAND, **_set(settings)}
    lines = [f"[{GENERAL}]", *_lines({name: general[name] for name in _MAY_BE_SET if name in general})]
    for name in _SECTIONS:
        section = settings.get(name)
        if isinstance(section, dict):
            lines += ["", f"[{name}]", *_lines(_set(section))]
    return "\n".join(lines) + "\n"


def _set(section: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in section.items() if value is not None}


def _lines(section: Mapping[str, Any]) -> Iterator[str]:
    for name, value in section.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, (str, bool, int, float)):
                yield f"{name} = {_text(one)}"


def _text(value: Any) -> str:
    """One line, since a line break would begin another setting."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    lines: List[str] = text.splitlines()
    return " ".join(lines)
