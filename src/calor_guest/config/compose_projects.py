"""The folders of Docker Compose: one for each deployment, with its docker-compose.yml."""

import json
import os
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config
from calor_guest.config.hooks.answering import Impossible, checked_name, folders

_FILE = "docker-compose.yml"


def working_folder() -> str:
    return os.environ.get("HEAT_DOCKER_COMPOSE_WORKING", "/var/lib/heat-config/heat-config-docker-compose")


def project_folder(config: Config) -> str:
    """Raises Impossible."""
    return os.path.join(working_folder(), checked_name(str(config.get("name")), "name"))


def write_compose_file(config: Config) -> None:
    """Raises Impossible."""
    folder = project_folder(config)
    folders(working_folder(), folder)
    files.write(os.path.join(folder, _FILE), _text(config.get("config") or ""))


def projects() -> List[str]:
    """The names of those that have a Compose file."""
    try:
        names = os.listdir(working_folder())
    except FileNotFoundError:
        return []
    return [name for name in sorted(names) if os.path.isfile(os.path.join(working_folder(), name, _FILE))]


def remove_compose_file(project: str) -> None:
    os.unlink(os.path.join(working_folder(), project, _FILE))


def _text(config: object) -> str:
    if isinstance(config, str):
        return config
    if not isinstance(config, dict):
        raise Impossible("The config is not a Compose file.")
    try:
        import yaml
    except ImportError:
        # It is YAML, too.
        return json.dumps(config, indent=2)
    return str(yaml.safe_dump(config, default_flow_style=False))
