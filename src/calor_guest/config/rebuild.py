"""heat-config-rebuild-deployed: marks all configs of the current metadata as done, so that none of them runs."""

import json
import os
import sys
from typing import List

from calor_guest.common import files
from calor_guest.common.heat_config import DATA_GROUPS
from calor_guest.config.configs import ID
from calor_guest.config.running import Tail, run

_COMMAND = ("os-apply-config", "--key", "deployments", "--type", "raw")
_FOLDERS = ("/var/lib/heat-config/deployed", "/var/run/heat-config/deployed")


def main(arguments: List[str]) -> int:
    stdout, stderr = Tail(32 << 20), Tail()
    try:
        status = run(_COMMAND, stdout, stderr)
        if status:
            sys.stderr.write(f"os-apply-config failed ({status}): {stderr.text()}\n")
            return status if status > 0 else 1
        deployments = json.loads(stdout.text())
        print(f"Found {len(deployments)} deployments.")
        for one in deployments:
            _mark(_folder(), str(one["id"]), one.get("group"))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        sys.stderr.write(f"The deployments cannot be marked: {error}\n")
        return 1
    return 0


def _folder() -> str:
    given = os.environ.get("HEAT_CONFIG_DEPLOYED")
    return given or next((one for one in _FOLDERS if os.path.exists(one)), _FOLDERS[-1])


def _mark(folder: str, id: str, group: str) -> None:
    path = os.path.join(folder, f"{id}.json")
    if group in DATA_GROUPS or not ID.match(id):
        print(f"Skipping deployment {id} of group {group}.")
    elif not os.path.exists(path):
        files.make_private_folder(folder)
        files.write(path, "")
        print(f"Created {path}, so that the deployment does not run.")
