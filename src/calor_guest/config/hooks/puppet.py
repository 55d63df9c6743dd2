"""Applies the config as a Puppet manifest, with its inputs as facts or as data of Hiera."""

import os
from typing import Any, Dict, List, Mapping

from calor_guest.common import files
from calor_guest.config.configs import Config, inputs_of, text_of
from calor_guest.config.hook import (
    checked_name,
    create_folders,
    hiera_data_folder,
    id_of,
    read_outputs,
    run_as_hook,
    run_program,
)
from calor_guest.config.results import Result
from calor_guest.config.running import Tail, run

_DONE = (0, 2)
"""With --detailed-exitcodes, 2 means that something was changed."""


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    working = os.environ.get("HEAT_PUPPET_WORKING", "/var/lib/heat-config/heat-config-puppet")
    written = os.environ.get("HEAT_PUPPET_OUTPUTS", "/var/run/heat-config/heat-config-puppet")
    create_folders(written, working)
    id = id_of(config)
    options = config.get("options") or {}
    written = os.path.join(written, id)
    facts = _facts(config, options)
    facts["heat_outputs_path"] = written
    if options.get("enable_hiera"):
        facts["deploy_config_name"] = _write_hiera_data(config)
    manifest = os.path.join(working, id + ".pp")
    files.write(manifest, config.get("config") or "", mode=0o700)
    env = dict(os.environ, **{"FACTER_" + name: value for name, value in facts.items()})
    ran = run_program(_command(manifest, options), env, working, successes=_DONE)
    _write_logs(config, ran)
    return {**read_outputs(config, written), **ran}


def _facts(config: Config, options: Mapping[str, Any]) -> Dict[str, str]:
    facts = {}
    name = Tail()
    try:
        if run(["hostname", "-f"], name, Tail()) == 0:
            facts["fqdn"] = name.text().strip()
    except OSError:
        pass
    if options.get("enable_facter", True):
        facts.update({name: text_of(value) for name, value in inputs_of(config).items()})
    return facts


def _write_hiera_data(config: Config) -> str:
    """The name that stands for the config."""
    name = checked_name(str(config.get("name")), "name")
    folder = hiera_data_folder()
    create_folders(folder)
    files.write_json(os.path.join(folder, f"heat_config_{name}.json"), inputs_of(config))
    return name


def _command(manifest: str, options: Mapping[str, Any]) -> List[str]:
    command = [os.environ.get("HEAT_PUPPET_CMD", "puppet")]
    command += ["apply", "--color", "false", "--detailed-exitcodes", "--logdest", "console"]
    for name in ("modulepath", "tags"):
        if options.get(name):
            command += ["--" + name, options[name]]
    for name in ("debug", "verbose"):
        if options.get("enable_" + name):
            command += ["--" + name, "--logdest", f"/var/log/puppet/heat-{name}.log"]
    return [*command, manifest]


def _write_logs(config: Config, ran: Result) -> None:
    folder = os.environ.get("HEAT_PUPPET_LOGDIR", "/var/run/heat-config/deployed")
    create_folders(folder)
    created = str(config.get("creation_time") or "").replace(":", "-").replace("T", "-").replace("/", "-")
    for stream in ("stdout", "stderr"):
        name = "{}-{}-{}.log".format(created, config["id"], stream)
        files.write(os.path.join(folder, name), ran["deploy_" + stream])
