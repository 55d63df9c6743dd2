"""Resolves a request of a client: template, environments, files and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from calor.language import environment as environments
from calor.language import merging, reader
from calor.language import template as structure
from calor.language.defining import define
from calor.language.definition import Definition
from calor.language.diagnostics import Locator, Path, Place, Report, limit_comparisons
from calor.language.library import Library, World
from calor.language.parameters import ParameterType, StackIdentity
from calor.language.registry import Registry
from calor.language.source import Source
from calor.language.values import TemplateValue

MOST_ENVIRONMENTS = 100
"""The maximum number of environments. Each may be as large as a template, and may be listed several times."""


@limit_comparisons()
def resolve_request(
    request: Mapping[str, TemplateValue],
    world: World,
    report: Report,
    *,
    name: str = "template",
    identity: StackIdentity | None = None,
    sources: Mapping[str, Source] | None = None,
    require_parameters: bool = True,
) -> Definition | None:
    """The stack that a request defines; None if its template cannot be read at all.

    `sources` are texts of the request that have been read already, by their names. Without `require_parameters`,
    parameters without a value are unknown instead of missing.
    """
    sources = sources or {}
    if not _is_sound(request, world.limits.depth, report):
        return None
    files = request.get("files") or {}
    data = _template_data(request.get("template"), name, world, report, sources)
    if data is None:
        return None
    if not isinstance(request.get("template"), (str, bytes)):
        report.locate = (sources.get(name) or Source(name, "", data)).place
    template = structure.parse(data, name, report, world.checks)
    if template is None:
        return None
    library = Library(world, files, sources)
    environment = _environment(request, library, template, report, sources)
    library.parameter_defaults = environment.parameter_defaults
    return define(
        template, environment, library, report, identity=identity, require_parameters=require_parameters
    )


def _is_sound(request: Mapping[str, TemplateValue], depth: int, report: Report) -> bool:
    """Whether the other parts of the request have the expected types."""
    files = request.get("files") or {}
    names = request.get("environment_files") or []
    wrong = [part for part in ("files", "parameters") if not isinstance(request.get(part) or {}, dict)]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        wrong.append("environment_files")
    elif len(names) > MOST_ENVIRONMENTS:
        report.error("E103", f"there are more than {MOST_ENVIRONMENTS} environment_files", kind="ValueError")
        return False
    for part in wrong:
        expected = "a list of names" if part == "environment_files" else "a map"
        report.error("E103", f"`{part}` of the request must be {expected}", kind="ValueError")
    for name, content in files.items() if isinstance(files, dict) else ():
        if not isinstance(name, str) or not isinstance(content, (str, bytes, dict)):
            report.error("E103", f"the content of the file `{name}` must be a string", kind="ValueError")
            wrong.append("files")
    for part in ("environment", "parameters", "files"):
        if reader.too_deep(request.get(part), depth):
            report.error("E104", f"`{part}` is nested deeper than {depth} levels", kind="ValueError")
            wrong.append(part)
    return not wrong


def _template_data(
    given: object, name: str, world: World, report: Report, sources: Mapping[str, Source]
) -> Mapping[str, TemplateValue] | None:
    if isinstance(given, dict):
        if name not in sources and reader.too_deep(given, world.limits.depth):
            report.error("E104", f"nested deeper than {world.limits.depth} levels", kind="InvalidTemplate")
            return None
        return given
    if isinstance(given, (str, bytes)):
        source = reader.read_mapping(given, name, report, world.limits)
        if source is None:
            return None
        report.locate = source.place
        data: Mapping[str, TemplateValue] = source.data
        return data
    report.error("E103", "the template is not a mapping", kind="InvalidTemplate")
    return None


def _environment(
    request: Mapping[str, TemplateValue],
    library: Library,
    template: structure.Template,
    report: Report,
    sources: Mapping[str, Source],
) -> environments.Environment:
    files = request.get("files") or {}
    given = request.get("environment")
    source: Source | None = Source("environment", "", given)
    if isinstance(given, (str, bytes)):
        source = reader.read_mapping(given, "environment", report, library.world.limits)
        given = source.data if source else {}
    parts = [source] if source is not None else []
    report_of_environment = Report(_located_in(parts))
    if request.get("environment_files"):
        read = []
        for name in request["environment_files"]:
            source = sources.get(name) or _environment_file(name, files, library.world, report)
            if source is not None:
                own = Report(source.place)
                read.append((name, environments.check(source.data, own)))
                report.extend(own)
                parts.append(source)
        merged = merging.merge(read, _kinds(template, files, library), report_of_environment)
        given = {**merged, environments.PARAMETERS: _completed(merged, given)}
    parsed = environments.parse(given, report_of_environment, flat=True)
    report.extend(report_of_environment)
    common = library.world.common_defaults
    whole = replace(
        parsed,
        parameter_defaults={**common, **parsed.parameter_defaults},
        registry=Registry(parsed.registry.user, library.world.common),
        inherited=frozenset(common) - frozenset(parsed.parameter_defaults),
        locate=report_of_environment.locate,
    )
    return whole.with_parameters(request.get("parameters") or {})


def _located_in(parts: Sequence[Source]) -> Locator:
    """Finds entries of merged environments: in the last one that has the entry."""

    def located(path: Path, value: bool) -> Place | None:
        for part in reversed(parts):
            section = part.data.get(path[0]) if path and isinstance(part.data, dict) else None
            if section is not None and (len(path) == 1 or _has(section, path[1])):
                return part.place(path, value)
        return None

    return located


def _has(section: object, entry: object) -> bool:
    return isinstance(section, dict) and section.get(entry) is not None


def _completed(merged: Mapping[str, TemplateValue], given: object) -> dict[str, TemplateValue]:
    """The parameters of the merged environment files, and those that only the request's `environment` has."""
    beside = given.get(environments.PARAMETERS) if isinstance(given, dict) else None
    return {**(beside if isinstance(beside, dict) else {}), **merged.get(environments.PARAMETERS, {})}


def _environment_file(
    name: str, files: Mapping[str, TemplateValue], world: World, report: Report
) -> Source | None:
    if name not in files:
        report.error(
            "E308", f"the environment {name} is not among the files of the request", kind="ValueError"
        )
        return None
    content = files[name]
    if isinstance(content, dict):
        return Source(name, "", content)
    return reader.read_mapping(content, name, report, world.limits)


def _kinds(
    template: structure.Template, files: Mapping[str, TemplateValue], library: Library
) -> dict[str, ParameterType]:
    """The types of the parameters of the template and of all templates among the files."""
    kinds: dict[str, ParameterType] = {}
    for name in files:
        read = library.read(name) if name.endswith((".yaml", ".yml", ".template", ".json")) else None
        child = read[0] if isinstance(read, tuple) else None
        if child is not None:
            kinds.update({parameter.name: parameter.kind for parameter in child.parameters.values()})
    kinds.update({parameter.name: parameter.kind for parameter in template.parameters.values()})
    return kinds
