"""`calor cloud probe|ssh|console|stop`: the servers of the embedded cloud, as seen from the machine they run on."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calor.cli.errors import CommandError

if TYPE_CHECKING:
    from calor.localcloud.linux.probe import Verdict
    from calor.localcloud.linux.servers import BootOrder

_POLLING = 0.2
_SHELL = "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi"


def add_verbs_to(cloud: argparse.ArgumentParser) -> None:
    verbs = cloud.add_subparsers(title="commands", metavar="COMMAND")
    probe = verbs.add_parser(
        "probe", help="tell whether servers can run on this machine, and what is missing"
    )
    probe.add_argument("-f", "--format", choices=("table", "json"), default="table", help="how to print")
    probe.set_defaults(run=run_probe)
    ssh = verbs.add_parser("ssh", help="open a shell in a server, or run a command there")
    ssh.add_argument("server", metavar="NAME", help="its name or id")
    ssh.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER)
    ssh.set_defaults(run=run_ssh)
    console = verbs.add_parser("console", help="show what a server has written to its console")
    console.add_argument("server", metavar="NAME", help="its name or id")
    console.add_argument("-f", "--follow", action="store_true", help="go on as it writes more")
    console.set_defaults(run=run_console)
    stop = verbs.add_parser("stop", help="end all servers and networks; they come back with the cloud")
    stop.set_defaults(run=run_stop)
    for verb in (probe, ssh, console, stop):
        verb.add_argument("--state-dir", metavar="DIR", help="where everything is kept (CALOR_STATE_DIR)")


def _state_dir(arguments: argparse.Namespace) -> Path:
    from calor.server.settings import default_state_dir

    return (Path(arguments.state_dir) if arguments.state_dir else default_state_dir()).absolute()


def _folder(arguments: argparse.Namespace) -> Path:
    from calor.localcloud.backends import linux_folder

    return linux_folder(_state_dir(arguments) / "cloud")


def run_probe(arguments: argparse.Namespace) -> int:
    """0 where servers can run, 1 where they are simulated."""
    if sys.platform != "linux":
        raise CommandError(f"servers are simulated: this is {sys.platform}, and not Linux")
    from calor.localcloud.linux.probe import probe

    verdict = probe(_folder(arguments))
    if arguments.format == "json":
        print(json.dumps(_as_record(verdict), indent=2))
    else:
        _print(verdict)
    return 0 if verdict.backend == "linux" else 1


def _as_record(verdict: Verdict) -> dict[str, Any]:
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
        print(f"\nServers run on this machine, {who}.")
    else:
        print("\nServers are simulated: what is marked NO is needed.")


def run_ssh(arguments: argparse.Namespace) -> int:
    from calor.localcloud.linux.shells import run_in

    folder = _folder(arguments)
    found = _server(folder, arguments.server)
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    program = ["/bin/sh", "-c", " ".join(words) or _SHELL]
    try:
        return run_in(folder, found.id, program, terminal=not words and sys.stdin.isatty())
    except OSError as error:
        raise CommandError(f"{arguments.server} cannot be entered: {error}") from None


def run_console(arguments: argparse.Namespace) -> int:
    folder = _folder(arguments)
    log = _server(folder, arguments.server).folder / "console.log"
    position = 0
    while True:
        if log.exists():
            with open(log, "rb") as file:
                # It is cut now and then.
                position = min(position, log.stat().st_size)
                file.seek(position)
                data = file.read()
            position += len(data)
            sys.stdout.write(data.decode(errors="replace"))
            sys.stdout.flush()
        if not arguments.follow:
            return 0
        time.sleep(_POLLING)


def run_stop(arguments: argparse.Namespace) -> int:
    from calor.localcloud.linux.shells import stop_holder
    from calor.server.holding import cloud_keeper

    state_dir = _state_dir(arguments)
    keeper = cloud_keeper(state_dir)
    if keeper is not None:
        raise CommandError(
            f"{keeper} runs the servers of {state_dir} and would start them again", "end it first"
        )
    if not stop_holder(_folder(arguments)):
        print("no servers are running")
    return 0


def _server(folder: Path, wanted: str) -> BootOrder:
    """A server that has run here, by its name or id."""
    from calor.localcloud.linux.orders import all_orders

    orders = list(all_orders(folder / "servers"))
    found = [order for order in orders if wanted in (order.id, order.name)]
    if not found:
        hint = "" if orders else "none runs here: `calor cloud probe` tells whether any can"
        raise CommandError(f"there is no server {wanted} on this machine", hint)
    if len(found) > 1:
        ids = ", ".join(order.id for order in found)
        raise CommandError(f"several servers are called {wanted}: {ids}")
    return found[0]
