"""`calor stack resource …`: lists, shows, signals and marks resources."""

from __future__ import annotations

import argparse
import json
from urllib.parse import unquote

from calor.cli.api.client import Heat, path_of
from calor.cli.errors import UsageError
from calor.cli.json_values import JsonMapping, JsonObject
from calor.cli.render import ansi, records, secrets
from calor.cli.stack.request import key_values, read_text

_LISTED = ("resource_name", "physical_resource_id", "resource_type", "resource_status", "updated_time")


def list_(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    query: JsonObject = {"nested_depth": arguments.nested_depth}
    if arguments.long:
        query["with_detail"] = True
    for name, value in key_values(arguments.filters, "a filter"):
        query.setdefault(name, []).append(value)
    found = heat.get(f"{stack.path}/resources", query)["resources"]
    names = list(_LISTED)
    if arguments.nested_depth:
        names.append("stack_name")
        found = [{**one, "stack_name": stack_name(one)} for one in found]
    if arguments.long:
        names += ["resource_status_reason", "required_by", "attributes"]
    shown = [secrets.resource(arguments, one) for one in found]
    records.print_list(arguments, records.columns(*names), shown)
    return 0


def stack_name(raw: JsonMapping) -> str:
    """The name of the stack that a resource or event belongs to."""
    for link in raw.get("links") or ():
        if link.get("rel") == "stack":
            return unquote(link["href"].partition("/stacks/")[2].split("/")[0])
    return ""


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    path = _path(heat, arguments)
    found = heat.get(path, {"with_attr": arguments.attributes})["resource"]
    records.print_record(arguments, secrets.resource(arguments, found))
    return 0


def metadata(heat: Heat, arguments: argparse.Namespace) -> int:
    found = heat.get(f"{_path(heat, arguments)}/metadata")["metadata"]
    if arguments.legacy:
        ansi.print_text(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        records.print_document(arguments, found)
    return 0


def signal(heat: Heat, arguments: argparse.Namespace) -> int:
    if arguments.data and arguments.data_file:
        raise UsageError("--data and --data-file cannot be used together")
    text = read_text(arguments.data_file) if arguments.data_file else arguments.data
    data = None
    if text:
        try:
            data = json.loads(text)
        except ValueError as error:
            raise UsageError(f"the data is not valid JSON: {error}") from None
        if not isinstance(data, dict):
            raise UsageError("the data is not a JSON object")
    heat.post(f"{_path(heat, arguments)}/signal", data)
    return 0


def mark_unhealthy(heat: Heat, arguments: argparse.Namespace) -> int:
    body: JsonObject = {"mark_unhealthy": not arguments.reset}
    if arguments.reason:
        body["resource_status_reason"] = arguments.reason
    heat.patch(_path(heat, arguments), body)
    return 0


def _path(heat: Heat, arguments: argparse.Namespace) -> str:
    return heat.find(arguments.stack).path + path_of("resources", arguments.resource)
