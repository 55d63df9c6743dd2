"""The projects of Docker Compose: a folder for each deployment, with its docker-compose.yml."""

import json
import os
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config
from calor_guest.config.hook import CannotApply, checked_name, create_folders

_FILE = "docker-compose.yml"


def compose_program() -> str:
    return os.environ.get("HEAT_DOCKER_COMPOSE_CMD", "docker-compose")


def working_folder() -> str:
    return os.environ.get("HEAT_DOCKER_COMPOSE_WORKING", "/var/lib/heat-config/heat-config-docker-compose")


def project_folder(config: Config) -> str:
    """Raises CannotApply."""
    return os.path.join(working_folder(), checked_name(str(config.get("name")), "name"))


def write_compose_file(config: Config) -> None:
    """Raises CannotApply."""
    folder = project_folder(config)
    create_folders(working_folder(), folder)
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
        raise CannotApply("The config is not a Compose file.")
    try:
        import yaml
    except ImportError:
        # It is YAML, too.
        return json.dumps(config, indent=2)
    return str(yaml.safe_dump(config, default_flow_style=False))
