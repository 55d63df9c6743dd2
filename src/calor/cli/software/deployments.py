"""`calor deployment …`: software configurations on servers."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Any

from calor.cli.api.client import Heat, path_of
from calor.cli.confirmation import announce
from calor.cli.errors import CommandError, UsageError
from calor.cli.json_values import JsonObject
from calor.cli.render import ansi, records
from calor.cli.software.configs import delete_all
from calor.cli.software.following import follow
from calor.cli.software.temp_urls import signal_url
from calor.cli.stack.request import key_values

_LISTED = ("id", "config_id", "server_id", "action", "status")
_SHORT = (
    *("id", "server_id", "config_id", "creation_time", "updated_time"),
    *("status", "status_reason", "input_values", "action"),
)
_REPORTED = frozenset({"deploy_stdout", "deploy_stderr", "deploy_status_code"})
_LONG = ("creation_time", "status_reason")
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def create(heat: Heat, arguments: argparse.Namespace) -> int:
    """Creates a separate configuration for the deployment, with its input values and the URL to which the server
    reports its result."""
    config = (
        heat.get(path_of("software_configs", arguments.config))["software_config"] if arguments.config else {}
    )
    waits_for_signal = arguments.signal_transport == "TEMP_URL_SIGNAL"
    derived = {
        "name": arguments.name,
        "group": config.get("group") or "Heat::Ungrouped",
        "config": config.get("config") or "",
        "options": config.get("options") or {},
        "outputs": config.get("outputs") or [],
        "inputs": _inputs(heat, arguments, config),
    }
    made = heat.post("/software_configs", derived)["software_config"]
    body = {
        "config_id": made["id"],
        "server_id": arguments.server,
        "action": arguments.action,
        "status": "IN_PROGRESS" if waits_for_signal else "COMPLETE",
        "status_reason": "Deploy data available" if waits_for_signal else "Not waiting for outputs signal",
        "stack_user_project_id": heat.access.project_id,
    }
    records.print_record(arguments, heat.post("/software_deployments", body)["software_deployment"])
    return 0


def _inputs(heat: Heat, arguments: argparse.Namespace, config: JsonObject) -> list[JsonObject]:
    values = dict(key_values(arguments.input_values, "an input's value"))
    known = [
        {**one, "value": values.pop(one["name"], one.get("value", one.get("default")))}
        for one in config.get("inputs") or []
    ]
    given = [{"name": name, "type": "String", "value": value} for name, value in values.items()]
    own = {
        "deploy_server_id": (arguments.server, "The server it is deployed to"),
        "deploy_action": (arguments.action, "The action it is deployed for"),
        "deploy_signal_transport": (arguments.signal_transport, "How the server reports its result"),
    }
    if arguments.signal_transport == "TEMP_URL_SIGNAL":
        url = signal_url(heat, arguments.container, arguments.name, arguments.timeout)
        own["deploy_signal_id"] = (url, "The URL to which the server reports its result")
        own["deploy_signal_verb"] = ("PUT", "The HTTP method for that")
    return [
        *known,
        *given,
        *(
            {"name": name, "type": "String", "value": value, "description": text}
            for name, (value, text) in own.items()
        ),
    ]


def list_(heat: Heat, arguments: argparse.Namespace) -> int:
    found = heat.get("/software_deployments", {"server_id": arguments.server})["software_deployments"]
    names = (*_LISTED, *(_LONG if arguments.long or arguments.legacy else ()))
    records.print_list(arguments, records.columns(*names), found)
    return 0


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    if getattr(arguments, "follow", False):
        return _follow(heat, arguments)
    found = _get(heat, arguments.id)
    if not (arguments.long or arguments.legacy):
        found = {key: found.get(key) for key in _SHORT}
    records.print_record(arguments, found)
    return 0


def _follow(heat: Heat, arguments: argparse.Namespace) -> int:
    """The log goes to standard output, all else to standard error; a failed deployment is a failure."""
    id = _id(heat, arguments.id)
    found = follow(
        lambda: _get(heat, id),
        announce,
        lambda text: print(ansi.harmless(text, sys.stdout), end="", flush=True),
    )
    outputs = found.get("output_values") or {}
    announce(f"{found['status']}: {found['status_reason']}")
    for name in sorted(outputs.keys() - _REPORTED):
        announce(f"{name} = {_text(outputs[name])}")
    return int(found["status"] == "FAILED")


def delete(heat: Heat, arguments: argparse.Namespace) -> int:
    announce(f"Deleting from {heat.target}: {', '.join(arguments.ids)}")
    delete_all(heat, "software_deployments", arguments.ids)
    return 0


def metadata(heat: Heat, arguments: argparse.Namespace) -> int:
    found = heat.get(path_of("software_deployments", "metadata", arguments.server))["metadata"]
    ansi.print_text(json.dumps(found, indent=2, ensure_ascii=False))
    return 0


def output(heat: Heat, arguments: argparse.Namespace) -> int:
    values = _get(heat, arguments.id).get("output_values") or {}
    if arguments.all or arguments.output is None:
        if not arguments.all:
            raise UsageError("no output is given", "name one, or use --all")
        if arguments.legacy and arguments.format != "json":
            for name, value in values.items():
                ansi.print_text(f"{name}\n  {_text(value)}")
        else:
            ansi.print_text(json.dumps(values, indent=2, ensure_ascii=False))
        return 0
    if arguments.output not in values:
        listed = f"there are {', '.join(values)}" if values else "there are none yet"
        raise CommandError(f"the deployment has no output {arguments.output}", listed)
    value = values[arguments.output]
    ansi.print_text(json.dumps(value, ensure_ascii=False) if arguments.format == "json" else _text(value))
    return 0


def _get(heat: Heat, reference: str) -> JsonObject:
    path = path_of("software_deployments", _id(heat, reference))
    found: JsonObject = heat.get(path)["software_deployment"]
    return found


def _id(heat: Heat, reference: str) -> str:
    """The id of a deployment given by its id, as STACK/RESOURCE, or as STACK/GROUP/MEMBER in a group."""
    stack, *names = reference.split("/")
    if not names:
        return reference
    if len(names) > 1 and _UUID.fullmatch(names[0]):
        stack = f"{stack}/{names.pop(0)}"
    for name in names[:-1]:
        stack = str(_resource(heat, stack, name)["physical_resource_id"])
    found = _resource(heat, stack, names[-1])
    if any(link.get("rel") == "nested" for link in found.get("links") or ()):
        raise UsageError(f"{reference} is a group of deployments", f"name one of them: {reference}/MEMBER")
    return str(found["physical_resource_id"])


def _resource(heat: Heat, stack: str, name: str) -> JsonObject:
    found: JsonObject = heat.get(heat.find(stack).path + path_of("resources", name))["resource"]
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
