"""Commands that read stacks: lists, single stacks, templates, environments, files and outputs."""

from __future__ import annotations

import argparse
import json

from calor.cli.api.client import Heat, path_of
from calor.cli.errors import CommandError, UsageError
from calor.cli.json_values import JsonObject
from calor.cli.render import ansi, records, secrets
from calor.cli.stack.explaining import explaining
from calor.cli.stack.request import from_arguments, key_values

_FULL = (
    "id",
    "stack_name",
    "description",
    "creation_time",
    "updated_time",
    "stack_status",
    "stack_status_reason",
    "parameters",
    "outputs",
    "links",
)
_OUTPUTS = records.columns("output_key", "description")


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    query = {"resolve_outputs": "false"} if arguments.no_resolve_outputs else None
    found = heat.get(stack.path, query)["stack"]
    first = {key: found[key] for key in _FULL if key in found}
    records.print_record(arguments, secrets.stack(arguments, {**first, **found}))
    return 0


def list_(heat: Heat, arguments: argparse.Namespace) -> int:
    query: JsonObject = {}
    for name, value in key_values(arguments.filters, "a filter"):
        query.setdefault(name, []).append(value)
    query |= {
        "show_deleted": arguments.deleted,
        "show_nested": arguments.nested,
        "show_hidden": arguments.hidden,
        "global_tenant": arguments.all_projects or arguments.long,
        "tags": arguments.tags,
        "tags_any": arguments.tags_any,
        "not_tags": arguments.not_tags,
        "not_tags_any": arguments.not_tags_any,
        "marker": arguments.marker,
        **_sorting(arguments.sort, arguments.sort_dir),
    }
    if arguments.tags and arguments.tag_mode:
        mode = {"any": "tags_any", "not": "not_tags", "not-any": "not_tags_any"}[arguments.tag_mode]
        query |= {"tags": None, mode: arguments.tags}
    if arguments.project:
        query |= {"tenant": _project(heat, arguments), "global_tenant": True}
    found = list(heat.pages("/stacks", "stacks", query, arguments.limit))
    names = ["id:ID", "stack_name:Stack Name"]
    if query["global_tenant"] and any("project" in one for one in found):
        names.append("project:Project")
    if arguments.long or arguments.show_owner:
        names.append("stack_owner:Stack Owner")
    names += ["stack_status:Stack Status"]
    if not arguments.short:
        names += ["creation_time:Creation Time", "updated_time:Updated Time"]
    if arguments.nested:
        names.append("parent:Parent")
    if arguments.deleted:
        names.append("deletion_time:Deletion Time")
    if arguments.legacy:
        names = [name.partition(":")[0] for name in names]
    records.print_list(arguments, records.columns(*names), found)
    return 0


def _project(heat: Heat, arguments: argparse.Namespace) -> str:
    """The id of the project named on the command line; a name that cannot be looked up is taken to be an id."""
    query = {"name": arguments.project, "domain_id": arguments.project_domain}
    try:
        url = heat.service_url("identity")
        base = url if url.endswith("/v3") else f"{url}/v3"
        from urllib.parse import urlencode

        asked = urlencode({name: value for name, value in query.items() if value})
        answer = heat.http.send("GET", f"{base}/projects?{asked}", heat.headers())
        found = (answer.json() or {}).get("projects") or []
    except CommandError:
        found = []
    return str(found[0]["id"]) if found else str(arguments.project)


def _sorting(stated: str | None, direction: str | None) -> JsonObject:
    """The query for `key[:dir],…`. The API has one direction for all keys: the first that is given."""
    if not stated:
        return {"sort_dir": direction}
    keys = []
    for part in stated.replace(";", ",").split(","):
        key, _, own = part.partition(":")
        if own and own not in ("asc", "desc"):
            raise UsageError(f"`{own}` is not a sort direction", "use asc or desc")
        keys.append(key)
        direction = direction or own or None
    return {"sort_keys": keys, "sort_dir": direction}


def template(heat: Heat, arguments: argparse.Namespace) -> int:
    records.print_document(arguments, heat.get(f"{heat.find(arguments.stack).path}/template"))
    return 0


def environment(heat: Heat, arguments: argparse.Namespace) -> int:
    records.print_document(arguments, heat.get(f"{heat.find(arguments.stack).path}/environment"))
    return 0


def files(heat: Heat, arguments: argparse.Namespace) -> int:
    records.print_document(arguments, heat.get(f"{heat.find(arguments.stack).path}/files"))
    return 0


def outputs(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    records.print_list(arguments, _OUTPUTS, heat.get(f"{stack.path}/outputs")["outputs"])
    return 0


def output(heat: Heat, arguments: argparse.Namespace) -> int:
    """Shows one output or all. The old client and the format `value` print only the value. An output given by name is
    never masked."""
    stack = heat.find(arguments.stack)
    if not arguments.output and not arguments.all:
        raise UsageError("no output is given", "name one, or use --all")
    if arguments.all:
        every = [secrets.output(arguments, one) for one in heat.get(stack.path)["stack"].get("outputs") or []]
        if arguments.legacy:
            ansi.print_text(json.dumps(every, indent=2, ensure_ascii=False))
        else:
            records.print_record(arguments, {one["output_key"]: one for one in every})
        return 0
    found = heat.get(f"{stack.path}{path_of('outputs', arguments.output)}")["output"]
    if found.get("output_error"):
        raise CommandError(f"the output {arguments.output} has no value: {found['output_error']}")
    bare = arguments.legacy and not arguments.with_detail
    if not bare and not (arguments.format == "value" and not arguments.columns):
        records.print_record(arguments, found)
        return 0
    value = found.get("output_value")
    as_is = isinstance(value, str) and arguments.format != "json"
    ansi.print_text(value if as_is else json.dumps(value, indent=2, ensure_ascii=False))
    return 0


def validate(heat: Heat, arguments: argparse.Namespace) -> int:
    """Validates a template with the service."""
    request = from_arguments(heat, arguments)
    query = {"show_nested": arguments.show_nested, "ignore_errors": arguments.ignore_errors}
    with explaining(request):
        found = heat.post("/validate", request.body, query)
    if arguments.legacy:
        ansi.print_text(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        records.print_record(arguments, found)
    return 0
