"""`calor config show`: a software configuration by its id, or without an id the configuration of the server."""

from __future__ import annotations

import argparse

from calor.cli.api.client import Heat
from calor.cli.config import run_show
from calor.cli.software import configs


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    return run_show(arguments) if arguments.id is None else configs.show(heat, arguments)
