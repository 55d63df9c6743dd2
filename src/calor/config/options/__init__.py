"""All options that have an effect, by section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from oslo_config import cfg

from calor.config.options import access, serving, stacks, storing

Options = Mapping[str, tuple[cfg.Opt, ...]]


def sections() -> dict[str, tuple[cfg.Opt, ...]]:
    """The options of each section, in the order of the documentation."""
    found: dict[str, tuple[cfg.Opt, ...]] = {}
    parts: tuple[Options, ...] = (stacks.OPTIONS, storing.OPTIONS, serving.OPTIONS, access.OPTIONS)
    for part in parts:
        for section, options in part.items():
            found[section] = (*found.get(section, ()), *options)
    return found


def names_of(option: cfg.Opt, section: str) -> Iterator[tuple[str, str]]:
    """The sections and names of an option, the current ones before deprecated ones."""
    yield section, option.name
    for old in option.deprecated_opts:
        yield old.group or section, old.name or option.name
