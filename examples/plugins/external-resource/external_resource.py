"""An example of a plug-in with a resource type: something that a script sets up.

The script outlives the engine that has started it. Its state is kept in a folder, so that an engine that takes over
waits for the same run instead of starting another.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calor.resources import SHOW, Attribute, Context, Property, ResourceFailed, ResourceType

# Two engines may start the same run, one shortly after the other: only one of them can write its pid.
WRAPPER = """
set -C; echo $$ >pid || exit 0; set +C
./script >output 2>&1; echo $? >exit.new; mv exit.new exit
"""


def folder() -> Path:
    """The folder in which scripts run."""
    return Path(os.environ.get("CALOR_EXTERNAL_DIR", "~/.local/share/calor-external")).expanduser()


class ExternalResource(ResourceType):
    """Something outside the cloud that a script sets up, and another may take down.

    The script sees the other properties as variables, and two more: `member`, a name of its own, and `portip`,
    that one of the addresses that the index points to.
    """

    type_name = "ExternalResource"
    properties = {
        "script": Property(
            str,
            "The script that sets it up; its first line may name a shell.",
            required=True,
            update_allowed=True,
        ),
        "undo": Property(str, "The script that takes it down.", update_allowed=True),
        "manager_id": Property(str, "The machine.", update_allowed=True),
        "user": Property(str, "The user on that machine.", update_allowed=True),
        "vno": Property(str, "The number of the virtual network.", update_allowed=True),
        "network": Property(str, "The id of the network.", update_allowed=True),
        "index": Property(int, "Its index among several.", default=0, update_allowed=True),
        "ips": Property(list, "The addresses of all.", default=[], update_allowed=True),
    }
    attributes = {"output": Attribute(str, "The output of the last script."), "show": SHOW}

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        await _perform(ctx, props["script"], props)
        ctx.set_physical_id(ctx.physical_name())

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        if not (folder() / ctx.id).exists():
            return False
        await cls.create(ctx, ctx.properties)
        return True

    @classmethod
    async def update(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        if changed - {"undo"}:
            await _perform(ctx, props["script"], props)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.properties.get("undo"):
            await _perform(ctx, ctx.properties["undo"], ctx.properties)
        shutil.rmtree(folder() / ctx.id, ignore_errors=True)

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return ctx.data.get("output") if name == "output" else None


def _variables(ctx: Context, props: Mapping[str, Any]) -> dict[str, str]:
    ips, index = props["ips"], props["index"]
    given = {name: props[name] for name in ("manager_id", "user", "vno", "network", "index")}
    given |= {
        "ips": " ".join(ips),
        "portip": ips[index] if index < len(ips) else "",
        "member": ctx.physical_name(),
    }
    return {name: "" if value is None else str(value) for name, value in given.items()}


async def _perform(ctx: Context, script: str, props: Mapping[str, Any]) -> None:
    """Runs a script, or waits for a run that another engine has started."""
    variables = _variables(ctx, props)
    # The number of runs is stored when one has ended: a run that was interrupted gets the same number again.
    number = ctx.data.get("runs", 0)
    digest = hashlib.sha256(json.dumps([script, variables]).encode()).hexdigest()[:16]
    place = folder() / ctx.id / f"{number}-{digest}"
    pause = 0.02
    mine: subprocess.Popen[bytes] | None = None
    while not (place / "exit").exists():
        if (mine is None or mine.poll() is not None) and not _is_running(place):
            mine = _start(place, script, variables)
        await ctx.sleep(pause)
        pause = min(2 * pause, 1.0)
    code = int((place / "exit").read_text())
    output = (place / "output").read_text(errors="replace")
    ctx.set_data(runs=number + 1, output=output)
    if code:
        last = output.strip().rpartition("\n")[2]
        raise ResourceFailed(f"the script ended with {code}: {last}")


def _is_running(place: Path) -> bool:
    """Whether a run is in progress, or has just ended. A run before a reboot does not count."""
    file = place / "pid"
    try:
        pid = file.read_text().strip()
        if pid:
            os.kill(int(pid), 0)
    except FileNotFoundError:
        return False
    except ProcessLookupError:
        if not (place / "exit").exists():
            file.unlink()
            return False
    return True


def _start(place: Path, script: str, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = place / "script"
    file.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}")
    file.chmod(0o700)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        **variables,
    }
    return subprocess.Popen(
        ["/bin/sh", "-c", WRAPPER],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
