"""Gives the config to cfn-init, as what it applies."""

import json
import os
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config
from calor_guest.config.hooks.answering import Impossible, answer, folders, run_program
from calor_guest.config.results import Result


def main(arguments: List[str]) -> int:
    return answer(_apply)


def _apply(config: Config) -> Result:
    folder = os.environ.get("HEAT_CFN_INIT_LAST_METADATA_DIR", "/var/cache/heat-cfntools")
    steps = config.get("config") or {}
    try:
        steps = steps if isinstance(steps, dict) else json.loads(steps)
    except ValueError as error:
        raise Impossible(f"The config is not JSON: {error}") from None
    folders(folder)
    files.write_json(os.path.join(folder, "last_metadata"), {"AWS::CloudFormation::Init": steps})
    return run_program([os.environ.get("HEAT_CFN_INIT_CMD", "cfn-init")])
