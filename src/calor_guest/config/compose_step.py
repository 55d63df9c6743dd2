"""50-heat-config-docker-compose: writes the Compose files of deployments, and stops the containers of those that are
gone."""

import os
from typing import List, Sequence

from calor_guest.common import files
from calor_guest.config.compose_projects import (
    compose_program,
    projects,
    remove_compose_file,
    working_folder,
    write_compose_file,
)
from calor_guest.config.configs import Config, configs_file, read_configs
from calor_guest.config.hook import CannotApply
from calor_guest.config.logs import log_to_stderr
from calor_guest.config.running import Tail, run

log = log_to_stderr("heat-config-docker-compose")


def main(arguments: List[str]) -> int:
    path = configs_file(os.environ)
    try:
        text = files.read_text(path)
        if text is None:
            log.error("There is no file %s.", path)
            return 1
        configs = read_configs(text)
        _stop_others(configs)
        for config in configs:
            if config.get("group") == "docker-compose":
                write_compose_file(config)
    except (OSError, ValueError, CannotApply) as error:
        log.error("The Compose files cannot be written: %s", error)
        return 1
    return 0


def _stop_others(configs: Sequence[Config]) -> None:
    names = {config.get("name") for config in configs}
    for project in projects():
        if project not in names and _stop(project):
            remove_compose_file(project)


def _stop(project: str) -> bool:
    output = Tail()
    command = [compose_program(), "kill"]
    try:
        status = run(command, output, output, cwd=os.path.join(working_folder(), project))
    except OSError as error:
        log.error("%s cannot run: %s", command[0], error)
        return False
    if status:
        log.error("The containers of %s were not stopped: %s", project, output.text(2000).strip())
    return status == 0
