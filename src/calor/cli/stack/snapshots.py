"""`calor stack snapshot …`."""

from __future__ import annotations

import argparse

from calor.cli.api.client import Heat, path_of
from calor.cli.api.retries import with_retries
from calor.cli.confirmation import announce, confirm
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonObject
from calor.cli.render import records
from calor.cli.stack.finishing import finish
from calor.cli.stack.following import newest, wait
from calor.cli.stack.places import recall_places

_KEYS = ("id", "name", "status", "status_reason", "creation_time")


def create(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    body: JsonObject = {"name": arguments.name} if arguments.name else {}
    made = heat.post(f"{stack.path}/snapshots", body)
    if arguments.wait:
        state = wait(heat, stack)
        path = f"{stack.path}{path_of('snapshots', made['id'])}"
        made = with_retries(lambda: heat.get(path))["snapshot"]
        if made["status"] != "COMPLETE":
            raise CommandError(
                f"the snapshot {made['id']} is {made['status']}: {made.get('status_reason') or state}"
            )
    records.print_record(arguments, {key: made.get(key) for key in _KEYS})
    return 0


def list_(heat: Heat, arguments: argparse.Namespace) -> int:
    found = heat.get(f"{heat.find(arguments.stack).path}/snapshots")["snapshots"]
    records.print_list(arguments, records.columns(*_KEYS), found)
    return 0


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    records.print_record(arguments, heat.get(_path(heat, arguments))["snapshot"])
    return 0


def delete(heat: Heat, arguments: argparse.Namespace) -> int:
    path = _path(heat, arguments)
    announce(f"Deleting from {heat.target}: the snapshot {arguments.snapshot} of {arguments.stack}")
    confirm("Are you sure?", yes=arguments.yes, only_on_terminal=arguments.legacy)
    heat.delete(path)
    return 0


def restore(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    last = newest(heat, stack)
    heat.post(f"{stack.path}{path_of('snapshots', arguments.snapshot)}/restore")
    return finish(
        heat, stack, arguments, after=last, places=recall_places(heat, stack), wanted=("RESTORE_COMPLETE",)
    )


def _path(heat: Heat, arguments: argparse.Namespace) -> str:
    return heat.find(arguments.stack).path + path_of("snapshots", arguments.snapshot)
