"""A server with the guest tools: their files are in a folder of the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calor_guest.archive import archive
from calor_guest.programs import PROGRAMS


class Guest:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.deployed = folder / "deployed"
        self.hooks = folder / "hooks"
        self.programs = folder / "bin"
        self.configs = folder / "heat-config"
        self.hooks.mkdir()
        self.programs.mkdir()
        packed = folder / "calor-guest.pyz"
        packed.write_bytes(archive())
        packed.chmod(0o755)
        for program in PROGRAMS:
            of_hook = program.name.startswith("hooks/")
            (folder if of_hook else self.programs).joinpath(program.name).symlink_to(packed)
        (self.programs / "python3").symlink_to(sys.executable)
        self.environment = {
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "HEAT_SHELL_CONFIG": str(self.configs),
            "HEAT_CONFIG_HOOKS": str(self.hooks),
            "HEAT_CONFIG_DEPLOYED": str(self.deployed),
            "HEAT_CONFIG_DEPLOYED_OLD": str(folder / "earlier"),
            "HEAT_SCRIPT_WORKING": str(folder / "working"),
            "HEAT_SCRIPT_OUTPUTS": str(folder / "outputs"),
        }

    def give(self, *configs: Mapping[str, Any]) -> None:
        self.configs.write_text(json.dumps(configs))

    def write_program(self, path: Path, text: str) -> Path:
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def start(self, *command: str | Path, **options: Any) -> subprocess.Popen[str]:
        """55-heat-config, unless another program is named."""
        program, *arguments = command or ("55-heat-config",)
        return subprocess.Popen(
            [self.programs / program, *arguments],
            env=self.environment,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def run(self, *command: str | Path, input: str = "") -> subprocess.CompletedProcess[str]:
        process = self.start(*command, stdin=subprocess.PIPE)
        out, err = process.communicate(input)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def hook(self, group: str, config: Mapping[str, Any]) -> Any:
        """What a hook prints for a config."""
        done = self.run(self.hooks / group, input=json.dumps(config))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def state_files(self) -> Sequence[str]:
        return sorted(os.listdir(self.deployed))


def script(id: str, text: str, *inputs: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    config = f"#!/bin/sh\n{text}\n"
    return {"id": id, "name": id, "group": "script", "inputs": list(inputs), "config": config, **more}
