"""Gives the config to cfn-init, as what it applies."""

import json
import os
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config
from calor_guest.config.hook import CannotApply, create_folders, run_as_hook, run_program
from calor_guest.config.results import Result


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    folder = os.environ.get("HEAT_CFN_INIT_LAST_METADATA_DIR", "/var/cache/heat-cfntools")
    steps = config.get("config") or {}
    try:
        steps = steps if isinstance(steps, dict) else json.loads(steps)
    except ValueError as error:
        raise CannotApply(f"The config is not JSON: {error}") from None
    create_folders(folder)
    files.write_json(os.path.join(folder, "last_metadata"), {"AWS::CloudFormation::Init": steps})
    return run_program([os.environ.get("HEAT_CFN_INIT_CMD", "cfn-init")])
