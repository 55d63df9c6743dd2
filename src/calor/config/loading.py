"""Reads files and the environment into a ConfigOpts, and says what of it has no effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from oslo_config import cfg

from calor.config import ignored
from calor.config.occurrences import Occurrence, occurrences
from calor.config.options import names_of, sections

PLUG_IN_SECTION = "custombackend"
"""Its options are for the authentication plug-in."""


class ConfigError(Exception):
    """The configuration cannot be used; the message names the place."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An option that has no effect. One that Heat does not know either may be a mistake."""

    at: Occurrence
    known: bool
    why: str

    def __str__(self) -> str:
        option = f"[{self.at.section}] {self.at.name}"
        if self.known:
            return f"{self.at.place}: {option} has no effect: {self.why}"
        return f"{self.at.place}: there is no option {option}{self.why}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration whose every value can be read."""

    conf: cfg.ConfigOpts
    files: tuple[str, ...]
    occurrences: tuple[Occurrence, ...]

    def last(self, section: str, option: cfg.Opt) -> Occurrence | None:
        """Where an option was given last: that is the value that holds."""
        names = set(names_of(option, section))
        return next((one for one in reversed(self.occurrences) if (one.section, one.name) in names), None)

    def findings(self) -> list[Finding]:
        known = {
            name
            for section, options in sections().items()
            for option in options
            for name in names_of(option, section)
        }
        found = []
        for one in self.occurrences:
            if (one.section, one.name) in known or one.section == PLUG_IN_SECTION:
                continue
            why = ignored.reason(one.section, one.name)
            found.append(Finding(one, why is not None, why or _hint(one, known)))
        return found


def load(conf: cfg.ConfigOpts, files: Sequence[str | Path] = ()) -> Loaded:
    """Registers all options and reads the files, later ones over earlier ones, and the environment over both.
    Raises ConfigError."""
    for section, options in sections().items():
        conf.register_opts(options, group=None if section == "DEFAULT" else section)
    names = [str(Path(file).absolute()) for file in files]
    try:
        conf([], project="calor", default_config_files=names, default_config_dirs=[])
        found = occurrences(names)
    except cfg.ConfigFilesNotFoundError as error:
        raise ConfigError(f"there is no configuration file {', '.join(error.config_files)}") from None
    except cfg.ConfigFilesPermissionDeniedError as error:
        raise ConfigError(f"{', '.join(error.config_files)} may not be read") from None
    except cfg.ConfigFileParseError as error:
        raise ConfigError(f"a configuration file cannot be understood: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"a configuration file cannot be read: {error}") from None
    loaded = Loaded(conf, tuple(names), tuple(found))
    _check_values(loaded)
    return loaded


def value(conf: cfg.ConfigOpts, section: str, name: str) -> object:
    return conf[name] if section == "DEFAULT" else conf[section][name]


def _check_values(loaded: Loaded) -> None:
    """Values are read when they are asked for; a wrong one shall be told before anything starts."""
    for section, options in sections().items():
        for option in options:
            try:
                value(loaded.conf, section, option.dest)
            except (ValueError, cfg.Error) as error:
                at = loaded.last(section, option)
                place = at.place if at is not None else "the environment"
                reason = str(error.__context__ or error).strip().rstrip(".")
                raise ConfigError(f"{place}: [{section}] {option.name}: {reason}") from None


def _hint(one: Occurrence, known: set[tuple[str, str]]) -> str:
    elsewhere = sorted({group for group, name in known if name == one.name})
    if elsewhere:
        return f"; there is one in [{elsewhere[0]}]"
    near = get_close_matches(one.name, [name for group, name in known if group == one.section], 1, 0.75)
    return f"; did you mean {near[0]}?" if near else ""
