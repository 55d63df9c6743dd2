"""`calor config`: what is in force and why, and a file to start from."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from calor.server.settings import FILES_VARIABLE, stated_files

if TYPE_CHECKING:
    from calor.config.loading import Loaded


def add_files_to(command: argparse.ArgumentParser, default: Any = None) -> None:
    command.add_argument(
        "--config-file",
        metavar="FILE",
        action="append",
        default=default,
        help=f"a configuration file such as heat.conf; may be repeated, later ones count more ({FILES_VARIABLE})",
    )


def add_to(verbs: Any) -> None:
    """Adds to the commands about software configurations, which share the word."""
    show = verbs.choices["show"]
    add_files_to(show)
    show.add_argument("--set", action="store_true", dest="only_set", help="leave out what is at its default")
    sample = verbs.add_parser("sample", help="a file with every option of the server at its default")
    sample.set_defaults(run=run_sample)


def load_files(arguments: argparse.Namespace) -> Loaded:
    """What the files named on the command line or in the environment say. Raises ConfigError."""
    # Slow to import.
    from oslo_config import cfg

    from calor.config.loading import load

    return load(cfg.ConfigOpts(), arguments.config_file or stated_files())


def run_show(arguments: argparse.Namespace) -> int:
    """Shows what is configured, and then what is wrong with it."""
    from oslo_config import cfg

    from calor.config.loading import ConfigError, check, read
    from calor.config.translating import settings_of

    try:
        loaded = read(cfg.ConfigOpts(), arguments.config_file or stated_files())
    except ConfigError as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    _print(loaded, only_set=arguments.only_set)
    try:
        check(loaded)
        settings_of(loaded)
    except ConfigError as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    return 0


def _print(loaded: Loaded, *, only_set: bool) -> None:
    from calor.config.showing import in_force

    section = None
    for one in in_force(loaded):
        if only_set and one.origin == "default":
            continue
        if one.section != section:
            section = one.section
            print(f"[{section}]")
        print(f"{one.name} = {one.value}  # {one.origin}")
    for finding in loaded.findings():
        print(f"calor: {finding}", file=sys.stderr)


def run_sample(arguments: argparse.Namespace) -> int:
    from calor.config.showing import sample

    sys.stdout.write(sample())
    return 0
