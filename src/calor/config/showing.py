"""Shows the effective configuration, and a sample file."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from oslo_config import cfg

from calor.config.loading import LoadedConfig, value
from calor.config.options import sections

HIDDEN = "****"


@dataclass(frozen=True, slots=True)
class EffectiveOption:
    """An option, its value as text, and where the value came from."""

    section: str
    name: str
    value: str
    origin: str


def effective_options(loaded: LoadedConfig) -> Iterator[EffectiveOption]:
    for section, options in loaded.sections.items():
        for option in options:
            found = _value(loaded, section, option)
            shown = HIDDEN if option.secret and found else _text(found)
            yield EffectiveOption(section, option.name, shown, _origin(loaded, section, option))


def _value(loaded: LoadedConfig, section: str, option: cfg.Opt) -> object:
    """The value, or the text of an invalid one."""
    try:
        return value(loaded.conf, section, option.dest)
    except (ValueError, cfg.Error):
        at = loaded.last(section, option)
        return at.value if at is not None else None


def _origin(loaded: LoadedConfig, section: str, option: cfg.Opt) -> str:
    try:
        location = loaded.conf.get_location(option.dest, None if section == "DEFAULT" else section)
    except (ValueError, cfg.Error):
        location = None
    if location is not None and location.location is cfg.Locations.environment:
        return f"environment ({location.detail})"
    at = loaded.last(section, option)
    return at.place if at is not None else "default"


def sample() -> str:
    """A file with every option, commented out with its default."""
    lines = ["# All options of Calor. Every value below is the default."]
    for section, options in sections().items():
        lines += ["", f"[{section}]"]
        for option in options:
            lines += ["", *textwrap.wrap(option.help or "", 110, initial_indent="# ", subsequent_indent="# ")]
            choices = getattr(option.type, "choices", None)
            if choices:
                lines.append(f"# One of: {', '.join(str(one) or '(nothing)' for one in choices)}")
            if isinstance(option, cfg.MultiStrOpt):
                lines += [f"#{option.name} = {one}" for one in option.default]
            else:
                lines.append(f"#{option.name} = {_text(option.default)}".rstrip())
    return "\n".join(lines) + "\n"


def _text(found: object) -> str:
    if found is None:
        return ""
    if isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, list):
        return ",".join(map(str, found))
    return str(found)
