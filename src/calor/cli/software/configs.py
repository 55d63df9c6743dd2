"""`calor config create|list|show ID|delete`: software configurations."""

from __future__ import annotations

import argparse

from calor.cli.api.client import ApiError, Heat, path_of
from calor.cli.confirmation import announce
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonObject
from calor.cli.render import ansi, records
from calor.cli.stack.request import read_text

LISTED = records.columns("id", "name", "group", "creation_time")
_PARTS = ("inputs", "outputs", "options")


def create(heat: Heat, arguments: argparse.Namespace) -> int:
    """The definition file has the inputs and outputs, the config file the script or manifest."""
    body: JsonObject = {"name": arguments.name, "group": arguments.group, "config": ""}
    if arguments.definition_file:
        definition = _definition(arguments.definition_file)
        body |= {key: definition[key] for key in (*_PARTS, "config", "group") if definition.get(key)}
    if arguments.config_file:
        body["config"] = read_text(arguments.config_file)
    records.print_record(arguments, heat.post("/software_configs", body)["software_config"])
    return 0


def _definition(path: str) -> JsonObject:
    import yaml

    try:
        found = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise CommandError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(found, dict):
        raise CommandError(f"{path} is not a map of inputs, outputs and options")
    return found


def list_(heat: Heat, arguments: argparse.Namespace) -> int:
    query = {"marker": arguments.marker}
    found = heat.pages("/software_configs", "software_configs", query, arguments.limit)
    records.print_list(arguments, LISTED, found)
    return 0


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    found = heat.get(path_of("software_configs", arguments.id))["software_config"]
    if arguments.config_only:
        ansi.print_text(str(found.get("config") or ""))
    else:
        records.print_record(arguments, found)
    return 0


def delete(heat: Heat, arguments: argparse.Namespace) -> int:
    announce(f"Deleting from {heat.target}: {', '.join(arguments.ids)}")
    delete_all(heat, "software_configs", arguments.ids)
    return 0


def delete_all(heat: Heat, collection: str, ids: list[str]) -> None:
    """Tries each of them. Raises CommandError if one cannot be deleted."""
    problems = []
    for one in ids:
        try:
            heat.delete(path_of(collection, one))
        except ApiError as error:
            problems.append(f"{one}: {error.message}")
    if problems:
        raise CommandError(f"not deleted: {'; '.join(problems)}")
