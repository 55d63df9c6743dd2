"""The guest tools, by the names under which they are called. All are in one file, to which their names are links."""

import os
import sys
from importlib import import_module
from typing import List, NamedTuple, Optional


class Program(NamedTuple):
    name: str
    path: str
    """Where the link is."""
    module: str
    """Has a function main(arguments) that returns the exit code."""


_HOOKS = "/usr/libexec/heat-config/hooks"

PROGRAMS = (
    Program("os-collect-config", "/usr/bin/os-collect-config", "calor_guest.collect.main"),
    Program("os-refresh-config", "/usr/bin/os-refresh-config", "calor_guest.refresh.main"),
    Program("dib-run-parts", "/usr/bin/dib-run-parts", "calor_guest.refresh.run_parts"),
    Program("os-apply-config", "/usr/bin/os-apply-config", "calor_guest.apply.main"),
    Program(
        "20-os-apply-config",
        "/usr/libexec/os-refresh-config/configure.d/20-os-apply-config",
        "calor_guest.apply.step",
    ),
    Program(
        "50-heat-config-docker-compose",
        "/usr/libexec/os-refresh-config/configure.d/50-heat-config-docker-compose",
        "calor_guest.config.compose_step",
    ),
    Program(
        "55-heat-config",
        "/usr/libexec/os-refresh-config/configure.d/55-heat-config",
        "calor_guest.config.main",
    ),
    Program("heat-config-notify", "/usr/bin/heat-config-notify", "calor_guest.config.notify"),
    Program(
        "heat-config-rebuild-deployed", "/usr/bin/heat-config-rebuild-deployed", "calor_guest.config.rebuild"
    ),
    *(
        Program("hooks/" + group, f"{_HOOKS}/{group}", "calor_guest.config.hooks." + group.replace("-", "_"))
        for group in (
            "script",
            "ansible",
            "puppet",
            "cfn-init",
            "json-file",
            "hiera",
            "docker-compose",
            "apply-config",
        )
    ),
    *(
        Program(name, "/usr/bin/" + name, "calor_guest.cfn." + name[len("cfn-") :].replace("-", "_"))
        for name in (
            "cfn-init",
            "cfn-hup",
            "cfn-signal",
            "cfn-push-stats",
            "cfn-get-metadata",
            "cfn-create-aws-symlinks",
        )
    ),
    Program("calor-guest", "/usr/bin/calor-guest", "calor_guest.install"),
)


def program_at(path: str) -> Optional[Program]:
    """The program that is called by a path or name."""
    folder, name = os.path.split(path)
    if os.path.basename(folder) == "hooks":
        name = "hooks/" + name
    return next((program for program in PROGRAMS if program.name == name), None)


def main(arguments: List[str]) -> int:
    """Runs the program named by the first argument or, if that is this file itself, by the second."""
    program = program_at(arguments[0])
    if program is None and len(arguments) > 1:
        arguments = arguments[1:]
        program = program_at(arguments[0])
    if program is None:
        names = " ".join(program.name for program in PROGRAMS)
        sys.stderr.write(f"usage: calor-guest PROGRAM [ARGUMENT...]\nprograms: {names}\n")
        return 2
    result = import_module(program.module).main(arguments[1:])
    return int(result or 0)
