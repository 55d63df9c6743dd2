"""The request that an update amounts to: a whole one, or one laid over what the stack has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language import reader
from calor.language.diagnostics import Report
from calor.language.library import World
from calor.language.request import resolve_request

Request = Mapping[str, Any]


def laid_over(before: Request, given: Request, cleared: tuple[str, ...], world: World) -> dict[str, Any]:
    """What a stack has, with what is given laid over it. Of the parameters those in `cleared` go back to their
    defaults, and those that the template does not have are dropped."""
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


def _environment(request: Request, world: World) -> dict[str, Any]:
    """All that a request says of its environment as one, with the parameters."""
    if not request.get("environment_files"):
        environment = dict(request.get("environment") or {})
        own = environment.get("parameters") or {}
        return {**environment, "parameters": {**own, **(request.get("parameters") or {})}}
    definition = resolve_request(request, world, Report(), require_parameters=False)
    return {"parameters": {}} if definition is None else definition.environment.shown()


def _declared(template: Any, world: World) -> set[str]:
    """The names of a template's parameters. What is wrong with it is told when it is used."""
    if isinstance(template, str):
        source = reader.read_mapping(template, "template", Report(), world.limits)
        template = source.data if source is not None else {}
    declared = template.get("parameters") or template.get("Parameters") or {}
    return set(declared) if isinstance(declared, dict) else set()


def _merged(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Two maps as one, and so the maps in them."""
    made = dict(before)
    for name, value in after.items():
        old = made.get(name)
        made[name] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return made
