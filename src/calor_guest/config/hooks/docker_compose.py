"""Starts the containers of a Compose file."""

import ast
import json
import os
from typing import Any, List, Mapping

from calor_guest.common import files
from calor_guest.config.compose_projects import compose_program, project_folder, write_compose_file
from calor_guest.config.configs import Config, inputs_of
from calor_guest.config.hook import CannotApply, run_as_hook, run_program
from calor_guest.config.results import Result, result


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    inputs = inputs_of(config)
    # When a deployment is gone, 50-heat-config-docker-compose stops its containers.
    if inputs.get("deploy_action") == "DELETE" or not config.get("config"):
        return result("", "", 0)
    folder = project_folder(config)
    write_compose_file(config)
    for one in _env_files(inputs.get("env_files")):
        files.write(os.path.join(folder, one["file_name"]), one["content"])
    command = [compose_program(), "up", "-d", "--no-build"]
    return run_program(command, cwd=folder)


def _env_files(given: Any) -> List[Mapping[str, str]]:
    """A list, or its text as JSON or as Python writes it."""
    if not given or isinstance(given, list):
        return given or []
    try:
        found = json.loads(given)
    except ValueError:
        try:
            found = ast.literal_eval(given)
        except (ValueError, SyntaxError):
            found = None
    if not isinstance(found, list):
        raise CannotApply("The input env_files is not a list of file_name and content.")
    return found
