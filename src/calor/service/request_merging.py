"""Merges an update request into the stack's current request."""

from __future__ import annotations

from calor.language import reader
from calor.language.diagnostics import Report
from calor.language.library import World
from calor.language.request import resolve_request
from calor.resources.values import JsonMapping, JsonObject
from calor.service.requests import Request


def merged_request(before: Request, given: Request, cleared: tuple[str, ...], world: World) -> JsonObject:
    """The request of a stack with the given one merged into it. The parameters in `cleared` are reset to their
    defaults, and those that the template does not declare are dropped."""
    template = given.get("template")
    if template is None:
        template = before["template"]
    files = {**before["files"], **(given.get("files") or {})}
    old, new = (
        _environment(before, world),
        _environment({**given, "template": template, "files": files}, world),
    )
    retained = {name: value for name, value in old.pop("parameters").items() if name not in cleared}
    parameters = {**retained, **new.pop("parameters")}
    declared = _declared(template, world)
    return {
        "template": template,
        "files": files,
        "environment": _merged(old, new),
        "environment_files": [],
        "parameters": {name: value for name, value in parameters.items() if name in declared},
    }


def _environment(request: Request, world: World) -> JsonObject:
    """The merged environments of a request, with the parameters."""
    if not request.get("environment_files"):
        environment = dict(request.get("environment") or {})
        own = environment.get("parameters") or {}
        return {**environment, "parameters": {**own, **(request.get("parameters") or {})}}
    definition = resolve_request(request, world, Report(), require_parameters=False)
    return {"parameters": {}} if definition is None else definition.environment.shown()


def _declared(template: str | JsonMapping, world: World) -> set[str]:
    """The names of a template's parameters. Errors are reported when the template is used."""
    if isinstance(template, str):
        source = reader.read_mapping(template, "template", Report(), world.limits)
        template = source.data if source is not None else {}
    declared = template.get("parameters") or template.get("Parameters") or {}
    return set(declared) if isinstance(declared, dict) else set()


def _merged(before: JsonMapping, after: JsonMapping) -> JsonObject:
    """Merges two maps recursively."""
    made = dict(before)
    for name, value in after.items():
        old = made.get(name)
        made[name] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return made
