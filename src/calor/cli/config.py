"""`calor config`: the effective configuration with its origins, and a sample file."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from calor.server.settings import FILES_VARIABLE, config_files_from_environment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calor.config.loading import LoadedConfig
    from calor.config.showing import EffectiveOption


def add_files_to(command: argparse.ArgumentParser, default: Any = None) -> None:
    command.add_argument(
        "--config-file",
        metavar="FILE",
        action="append",
        default=default,
        help=f"a configuration file such as heat.conf; repeatable, later ones override earlier ones ({FILES_VARIABLE})",
    )


def add_to(verbs: Any) -> None:
    """Adds subcommands to `calor config`, which also has the commands for software configurations."""
    show = verbs.choices["show"]
    add_files_to(show)
    show.add_argument(
        "--set", action="store_true", dest="only_set", help="leave out options at their default"
    )
    sample = verbs.add_parser("sample", help="print a file with every option of the server at its default")
    sample.set_defaults(run=run_sample)


def load_files(arguments: argparse.Namespace) -> LoadedConfig:
    """The configuration of the files named on the command line or in the environment. Raises ConfigError."""
    # Slow to import.
    from oslo_config import cfg

    from calor.config.loading import load

    return load(cfg.ConfigOpts(), arguments.config_file or config_files_from_environment())


def run_show(arguments: argparse.Namespace) -> int:
    """Prints the configuration, and then its errors."""
    from oslo_config import cfg

    from calor.config.loading import ConfigError, check, read
    from calor.config.translating import settings_of

    try:
        loaded = read(cfg.ConfigOpts(), arguments.config_file or config_files_from_environment())
    except ConfigError as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    _print(loaded, arguments)
    try:
        check(loaded)
        settings_of(loaded)
    except ConfigError as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    return 0


def _print(loaded: LoadedConfig, arguments: argparse.Namespace) -> None:
    """Prints a configuration file, unless a format or columns are given."""
    from dataclasses import asdict

    from calor.cli.render.records import Column, print_list
    from calor.config.showing import effective_options

    found = [one for one in effective_options(loaded) if not arguments.only_set or one.origin != "default"]
    if arguments.format or arguments.columns:
        columns = [Column(name, name) for name in ("section", "name", "value", "origin")]
        print_list(arguments, columns, map(asdict, found))
    else:
        _print_file(found)
    for finding in loaded.findings():
        print(f"calor: {finding}", file=sys.stderr)


def _print_file(found: Iterable[EffectiveOption]) -> None:
    section = None
    for one in found:
        if one.section != section:
            section = one.section
            print(f"[{section}]")
        print(f"{one.name} = {one.value}  # {one.origin}")


def run_sample(arguments: argparse.Namespace) -> int:
    from calor.config.showing import sample

    sys.stdout.write(sample())
    return 0
