"""Runs the config as an Ansible playbook on this server."""

import os
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config, inputs_of
from calor_guest.config.hook import create_folders, id_of, read_outputs, run_as_hook, run_program
from calor_guest.config.results import Result, result

_OPTIONS = (("modulepath", "--module-path"), ("skip_tags", "--skip-tags"), ("tags", "--tags"))


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    working = os.environ.get("HEAT_ANSIBLE_WORKING", "/var/lib/heat-config/heat-config-ansible")
    written = os.environ.get("HEAT_ANSIBLE_OUTPUTS", "/var/run/heat-config/heat-config-ansible")
    create_folders(written, working)
    id = id_of(config)
    if not config.get("config"):
        return result("", "The config is empty: there is nothing to do.", 0)
    written = os.path.join(written, id)
    variables = dict({"heat_config_id": id}, **inputs_of(config), heat_outputs_path=written)
    playbook = os.path.join(working, id + "_playbook.yaml")
    values = os.path.join(working, id + "_variables.json")
    files.write(playbook, config["config"])
    files.write_json(values, variables)

    options = config.get("options") or {}
    inventory = os.environ.get("HEAT_ANSIBLE_INVENTORY", "localhost,")
    if options.get("inventory"):
        inventory = os.path.join(working, options["inventory"])
    command = [os.environ.get("HEAT_ANSIBLE_CMD", "ansible-playbook"), "-i", inventory]
    for name, flag in _OPTIONS:
        if options.get(name):
            command += [flag, options[name]]
    command += [playbook, "--extra-vars", "@" + values]
    env = dict(os.environ)
    if options.get("callback_plugins"):
        env["ANSIBLE_CALLBACK_PLUGINS"] = options["callback_plugins"]
    ran = run_program(command, env, working)
    return {**read_outputs(config, written), **ran}
