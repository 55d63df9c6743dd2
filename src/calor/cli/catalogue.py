"""Lists the engines, resource types, template versions and functions of a service."""

from __future__ import annotations

import argparse
import json

from calor.cli.api.client import Heat, path_of
from calor.cli.render import ansi, records
from calor.cli.stack.request import key_values

_SERVICES = ("hostname", "binary", "engine_id", "host", "topic", "updated_at", "status")
_HEADINGS = ("Hostname", "Binary", "Engine ID", "Host", "Topic", "Updated At", "Status")


def services(heat: Heat, arguments: argparse.Namespace) -> int:
    if arguments.legacy:
        shown = records.columns(*_SERVICES)
    else:
        pairs = zip(_SERVICES, _HEADINGS, strict=True)
        shown = [records.Column(key, heading) for key, heading in pairs]
    records.print_list(arguments, shown, heat.get("/services")["services"])
    return 0


def build_info(heat: Heat, arguments: argparse.Namespace) -> int:
    records.print_record(arguments, heat.get("/build_info"))
    return 0


def resource_types(heat: Heat, arguments: argparse.Namespace) -> int:
    query: dict[str, object] = dict(key_values(arguments.filters, "a filter"))
    if arguments.long:
        query["with_description"] = True
    found = heat.get("/resource_types", query)["resource_types"]
    rows = [one if isinstance(one, dict) else {"resource_type": one} for one in found]
    names = ["resource_type:Resource Type", *(["description:Description"] if arguments.long else [])]
    if arguments.legacy:
        names = ["resource_type"]
    records.print_list(arguments, records.columns(*names), rows)
    return 0


def resource_type(heat: Heat, arguments: argparse.Namespace) -> int:
    path = path_of("resource_types", arguments.type)
    if arguments.template_type:
        records.print_document(
            arguments, heat.get(f"{path}/template", {"template_type": arguments.template_type})
        )
        return 0
    found = heat.get(path, {"with_description": arguments.long})
    if arguments.legacy:
        ansi.print_text(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        records.print_document(arguments, found)
    return 0


def template_versions(heat: Heat, arguments: argparse.Namespace) -> int:
    found = heat.get("/template_versions")["template_versions"]
    rows = [{**one, "aliases": ",".join(one.get("aliases") or ())} for one in found]
    names = ("version:Version", "type:Type", "aliases:Aliases")
    if arguments.legacy:
        names = ("version", "type", "aliases")
    records.print_list(arguments, records.columns(*names), rows)
    return 0


def functions(heat: Heat, arguments: argparse.Namespace) -> int:
    path = path_of("template_versions", arguments.version, "functions")
    found = heat.get(path, {"with_condition_func": arguments.with_conditions})["template_functions"]
    names = ("functions:Functions", "description:Description")
    if arguments.legacy:
        names = ("functions", "description")
    records.print_list(arguments, records.columns(*names), found)
    return 0
