"""`calor cloud probe|ssh|console|stop`: the servers of the embedded cloud on this host."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from calor.cli.errors import CommandError
from calor.cli.json_values import JsonObject
from calor.cli.render import ansi

if TYPE_CHECKING:
    from calor.localcloud.linux.probe import Verdict
    from calor.localcloud.linux.servers import BootSpec

_POLLING = 0.2
_SHELL = "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi"


def add_verbs_to(cloud: argparse.ArgumentParser) -> None:
    verbs = cloud.add_subparsers(title="commands", metavar="COMMAND")
    probe = verbs.add_parser("probe", help="show whether servers can run on this host, and what is missing")
    probe.add_argument("-f", "--format", choices=("table", "json"), default="table", help="the output format")
    probe.set_defaults(run=run_probe)
    ssh = verbs.add_parser("ssh", help="open a shell in a server, or run a command there")
    ssh.add_argument("server", metavar="NAME", help="its name or id")
    ssh.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER)
    ssh.set_defaults(run=run_ssh)
    console = verbs.add_parser("console", help="print the console output of a server")
    console.add_argument("server", metavar="NAME", help="its name or id")
    console.add_argument("-f", "--follow", action="store_true", help="print new output as it is written")
    console.set_defaults(run=run_console)
    stop = verbs.add_parser("stop", help="stop all servers and networks; they start again with the cloud")
    stop.set_defaults(run=run_stop)
    for verb in (probe, ssh, console, stop):
        verb.add_argument("--state-dir", metavar="DIR", help="the state directory (CALOR_STATE_DIR)")


def _state_dir(arguments: argparse.Namespace) -> Path:
    from calor.server.settings import default_state_dir

    return (Path(arguments.state_dir) if arguments.state_dir else default_state_dir()).absolute()


def _folder(arguments: argparse.Namespace) -> Path:
    from calor.localcloud.backend_selection import linux_folder

    return linux_folder(_state_dir(arguments) / "cloud")


def run_probe(arguments: argparse.Namespace) -> int:
    """Exits with 0 if servers can run, with 1 if they are simulated."""
    if sys.platform != "linux":
        raise CommandError(f"servers are simulated: this is {sys.platform}, not Linux")
    from calor.localcloud.linux.probe import probe

    verdict = probe(_folder(arguments))
    if arguments.format == "json":
        print(json.dumps(_as_record(verdict), indent=2))
    else:
        _print(verdict)
    return 0 if verdict.backend == "linux" else 1


def _as_record(verdict: Verdict) -> JsonObject:
    findings = [{**asdict(one), "works": one.works} for one in verdict.findings]
    return {
        "backend": verdict.backend,
        "root": verdict.is_root,
        "reasons": verdict.reasons,
        "features": findings,
    }


def _print(verdict: Verdict) -> None:
    width = max(len(one.feature) for one in verdict.findings)
    for one in verdict.findings:
        sign = "yes" if one.works else "NO" if one.needed else "no"
        print(f"{one.feature:{width}}  {sign:3}  {one.purpose}")
        if one.problem is not None:
            print(f"{'':{width}}       {one.problem}")
    who = "as root" if verdict.is_root else "without root"
    if verdict.backend == "linux":
        print(f"\nServers run on this host, {who}.")
    else:
        print("\nServers are simulated: the features marked NO are missing.")


def run_ssh(arguments: argparse.Namespace) -> int:
    from calor.localcloud.linux.shells import run_in

    folder = _folder(arguments)
    found = _server(folder, arguments.server)
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    program = ["/bin/sh", "-c", " ".join(words) or _SHELL]
    try:
        return run_in(folder, found.id, program, terminal=not words and sys.stdin.isatty())
    except OSError as error:
        raise CommandError(f"cannot open a shell in {arguments.server}: {error}") from None


def run_console(arguments: argparse.Namespace) -> int:
    folder = _folder(arguments)
    log = _server(folder, arguments.server).folder / "console.log"
    position = 0
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    while True:
        if log.exists():
            with open(log, "rb") as file:
                # The file is truncated from time to time.
                position = min(position, log.stat().st_size)
                file.seek(position)
                data = file.read()
            position += len(data)
            sys.stdout.write(ansi.harmless(decode(data, not arguments.follow), sys.stdout))
            sys.stdout.flush()
        if not arguments.follow:
            return 0
        time.sleep(_POLLING)


def run_stop(arguments: argparse.Namespace) -> int:
    from calor.localcloud.linux.shells import stop_holder
    from calor.server.locks import cloud_process

    state_dir = _state_dir(arguments)
    keeper = cloud_process(state_dir)
    if keeper is not None:
        raise CommandError(
            f"{keeper} runs the servers of {state_dir} and would start them again", "stop it first"
        )
    if not stop_holder(_folder(arguments)):
        print("no servers are running")
    return 0


def _server(folder: Path, wanted: str) -> BootSpec:
    """A server that has run here, by its name or id."""
    from calor.localcloud.linux.boot_specs import stored_specs

    specs = list(stored_specs(folder / "servers"))
    # The name of a server, which its user chooses, may be the id of another.
    found = [spec for spec in specs if spec.id == wanted] or [spec for spec in specs if spec.name == wanted]
    if not found:
        hint = "" if specs else "none are running: `calor cloud probe` shows whether they can"
        raise CommandError(f"there is no server {wanted} on this host", hint)
    if len(found) > 1:
        ids = ", ".join(order.id for order in found)
        raise CommandError(f"several servers have the name {wanted}: {ids}")
    return found[0]
