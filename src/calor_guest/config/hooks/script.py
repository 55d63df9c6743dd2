"""Runs the config as a program, with its inputs as environment variables."""

import os
import re
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config, inputs_of, text_of
from calor_guest.config.hook import CannotApply, create_folders, id_of, read_outputs, run_as_hook, run_program
from calor_guest.config.results import NOT_FOUND, Result, failure


def main(arguments: List[str]) -> int:
    return run_as_hook(_apply)


def _apply(config: Config) -> Result:
    working = os.environ.get("HEAT_SCRIPT_WORKING", "/var/lib/heat-config/heat-config-script")
    written = os.environ.get("HEAT_SCRIPT_OUTPUTS", "/var/run/heat-config/heat-config-script")
    create_folders(written, working)
    id = id_of(config)
    env = dict(os.environ, **{name: text_of(value) for name, value in inputs_of(config).items()})
    env["heat_outputs_path"] = os.path.join(written, id)
    script = os.path.join(working, id)
    text = config.get("config") or ""
    files.write(script, text, mode=0o700)
    interpreter = _interpreter(text)
    if not os.path.exists(interpreter):
        return failure(f"The script cannot run: there is no {interpreter!r} on this server.", NOT_FOUND)
    result = run_program([script], env, working)
    return {**read_outputs(config, env["heat_outputs_path"]), **result}


def _interpreter(script: str) -> str:
    """Raises CannotApply."""
    first = script.partition("\n")[0]
    program = re.split("[ \t]", first[2:].strip(" \t"))[0]
    if not first.startswith("#!") or not program:
        raise CannotApply("The script cannot run: its first line does not name a program, as #!/bin/sh does.")
    return program
