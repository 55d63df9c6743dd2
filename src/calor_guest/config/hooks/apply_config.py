"""Runs os-apply-config."""

import os
from typing import List

from calor_guest.config.configs import Config
from calor_guest.config.hooks.answering import answer, run_program
from calor_guest.config.results import Result


def main(arguments: List[str]) -> int:
    return answer(_apply)


def _apply(config: Config) -> Result:
    return run_program([os.environ.get("HEAT_APPLY_CONFIG_CMD", "os-apply-config")])
