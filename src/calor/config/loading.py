"""Reads files and the environment into a ConfigOpts, and finds options that have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from oslo_config import cfg, types

from calor.config import ignored
from calor.config.occurrences import Occurrence, occurrences
from calor.config.options import names_of, sections
from calor.config.options.credentials import referenced_sections

PLUG_IN_SECTION = "custombackend"
"""The section whose options are passed to the authentication plug-in."""


class ConfigError(Exception):
    """The configuration cannot be used; the message names the file and line."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An option that has no effect. With `known` false, Heat does not have it either, or it names a missing file: it
    may be a mistake."""

    at: Occurrence
    message: str
    known: bool = True

    def __str__(self) -> str:
        return f"{self.at.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration and its sources."""

    conf: cfg.ConfigOpts
    files: tuple[str, ...]
    occurrences: tuple[Occurrence, ...]
    sections: Mapping[str, tuple[cfg.Opt, ...]]

    def last(self, section: str, option: cfg.Opt) -> Occurrence | None:
        """The occurrence of an option that takes effect."""
        names = set(names_of(option, section))
        return next((one for one in reversed(self.occurrences) if (one.section, one.name) in names), None)

    def findings(self) -> list[Finding]:
        known = {
            name
            for section, options in self.sections.items()
            for option in options
            for name in names_of(option, section)
        }
        found = []
        for one in self.occurrences:
            if (one.section, one.name) in known or one.section == PLUG_IN_SECTION:
                continue
            option = f"[{one.section}] {one.name}"
            why = ignored.reason(one.section, one.name)
            if why is not None:
                found.append(Finding(one, f"{option} has no effect: {why}"))
            else:
                found.append(Finding(one, f"unknown option {option}{_hint(one, known)}", known=False))
        return [*found, *self._missing_policy()]

    def _missing_policy(self) -> Iterator[Finding]:
        """A missing policy file has no effect, as in Heat, but is reported."""
        for one in reversed(self.occurrences):
            if (one.section, one.name) == ("oslo_policy", "policy_file"):
                usual = one.value == "policy.yaml"
                if not usual and not (Path(self.files[0]).parent / one.value).is_file():
                    message = (
                        f"[oslo_policy] policy_file: {one.value} does not exist; the default rules apply"
                    )
                    yield Finding(one, message, known=False)
                return


def load(conf: cfg.ConfigOpts, files: Sequence[str | Path] = ()) -> LoadedConfig:
    """Reads a configuration and checks all its values. Raises ConfigError."""
    loaded = read(conf, files)
    check(loaded)
    return loaded


def read(conf: cfg.ConfigOpts, files: Sequence[str | Path] = ()) -> LoadedConfig:
    """Registers all options and reads the files, of which later ones take precedence, and the environment, which takes
    precedence over files. Does not check values. Raises ConfigError."""
    for section, options in sections().items():
        conf.register_opts(options, group=None if section == "DEFAULT" else section)
    names = [str(Path(file).absolute()) for file in files]
    try:
        conf([], project="calor", default_config_files=names, default_config_dirs=[])
        found = occurrences(names)
    except cfg.ConfigFilesNotFoundError as error:
        raise ConfigError(f"configuration file not found: {', '.join(error.config_files)}") from None
    except cfg.ConfigFilesPermissionDeniedError as error:
        raise ConfigError(f"no permission to read {', '.join(error.config_files)}") from None
    except cfg.ConfigFileParseError as error:
        raise ConfigError(f"a configuration file cannot be parsed: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"a configuration file cannot be read: {error}") from None
    referenced = referenced_sections(conf)
    for section, options in referenced.items():
        conf.register_opts(options, group=section)
    all_sections = sections()
    all_sections |= {
        section: (*all_sections.get(section, ()), *options) for section, options in referenced.items()
    }
    return LoadedConfig(conf, tuple(names), tuple(found), all_sections)


def value(conf: cfg.ConfigOpts, section: str, name: str) -> object:
    return conf[name] if section == "DEFAULT" else conf[section][name]


def check(loaded: LoadedConfig) -> None:
    """Reads all values, which oslo.config does lazily, to report errors before anything starts. Raises ConfigError."""
    for section, options in loaded.sections.items():
        for option in options:
            try:
                value(loaded.conf, section, option.dest)
            except (ValueError, cfg.Error) as error:
                at = loaded.last(section, option)
                place = at.place if at is not None else "the environment"
                raise ConfigError(
                    f"{place}: [{section}] {option.name}: {_reason(option, error, at)}"
                ) from None


_EXPECTED = (
    (types.Boolean, "is neither true nor false"),
    (types.Integer, "is not a whole number"),
    (types.Number, "is not a number"),
)


def _reason(option: cfg.Opt, error: Exception, at: Occurrence | None) -> str:
    """Why a value cannot be used, without the wording of Python's conversions."""
    reason = str(error.__context__ or error).strip().rstrip(".")
    if not re.match("invalid literal for int|could not convert string to float|Unexpected boolean", reason):
        return reason
    expected = next(words for kind, words in _EXPECTED if isinstance(option.type, kind))
    return f"{at.value!r} {expected}" if at is not None else f"the value {expected}"


def _hint(one: Occurrence, known: set[tuple[str, str]]) -> str:
    elsewhere = sorted({group for group, name in known if name == one.name})
    if elsewhere:
        return f"; it belongs in [{elsewhere[0]}]"
    near = get_close_matches(one.name, [name for group, name in known if group == one.section], 1, 0.75)
    return f"; did you mean {near[0]}?" if near else ""
