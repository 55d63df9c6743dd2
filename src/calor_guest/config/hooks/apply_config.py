"""Runs os-apply-config."""

import os
from typing import List

from calor_guest.config.configs import Config
from calor_guest.config.hook import run_as_hook, run_program
from calor_guest.config.results import Result


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    return run_program([os.environ.get("HEAT_APPLY_CONFIG_CMD", "os-apply-config")])
