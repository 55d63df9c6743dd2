"""Runs the config as a program, with its inputs as environment variables."""

import os
import re
from typing import List

from calor_guest.common import files
from calor_guest.config.configs import Config, inputs_of, text_of
from calor_guest.config.hooks.answering import Impossible, answer, folders, id_of, outputs, run_program
from calor_guest.config.results import NOT_FOUND, Result, failure


def main(arguments: List[str]) -> int:
    return answer(_apply)


def _apply(config: Config) -> Result:
    working = os.environ.get("HEAT_SCRIPT_WORKING", "/var/lib/heat-config/heat-config-script")
    written = os.environ.get("HEAT_SCRIPT_OUTPUTS", "/var/run/heat-config/heat-config-script")
    folders(written, working)
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
    return {**outputs(config, env["heat_outputs_path"]), **result}


def _interpreter(script: str) -> str:
    """Raises Impossible."""
    first = script.partition("\n")[0]
    program = re.split("[ \t]", first[2:].strip(" \t"))[0]
    if not first.startswith("#!") or not program:
        raise Impossible("The script cannot run: its first line does not name a program, as #!/bin/sh does.")
    return program
