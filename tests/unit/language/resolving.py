"""What the tests of the language share: resolving a template and looking at what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.request import resolve_request
from calor.language.view import resolved_view
from calor.types.world import offline_world

WORLD = offline_world()
NEWEST = "2021-04-16"


@dataclass(frozen=True)
class Resolved:
    definition: Definition | None
    report: Report

    @property
    def stack(self) -> Definition:
        assert self.definition is not None, self.messages
        return self.definition

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self.report.sorted()

    @property
    def errors(self) -> list[Diagnostic]:
        return [found for found in self.diagnostics if found.severity is Severity.ERROR]

    @property
    def codes(self) -> list[str]:
        return [found.code for found in self.diagnostics]

    @property
    def messages(self) -> list[str]:
        return [found.full_message for found in self.diagnostics]

    @property
    def only(self) -> Diagnostic:
        """The single finding."""
        assert len(self.diagnostics) == 1, self.messages
        return self.diagnostics[0]

    @property
    def kinds_and_paths(self) -> list[tuple[str, str, str]]:
        return [(found.code, found.kind, found.path) for found in self.diagnostics]

    @property
    def view(self) -> dict[str, Any]:
        return resolved_view(self.stack, show_secrets=False)

    @property
    def outputs(self) -> dict[str, Any]:
        outputs: dict[str, Any] = self.view["outputs"]
        return outputs

    @property
    def params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.view["params"]
        return params

    @property
    def edges(self) -> list[tuple[str, str]]:
        return [(node, needed) for node, needed in self.view["edges"]]

    def resource(self, name: str) -> ResourceDefinition:
        return self.stack.resources[name]

    def properties(self, name: str) -> dict[str, Any]:
        properties: dict[str, Any] = self.view["resources"][name]["properties"]
        return properties

    def below(self, *names: str) -> Definition:
        """The nested stack below a resource, or below one below it."""
        found = self.stack
        for name in names:
            child = found.resources[name].child
            assert child is not None, name
            found = child
        return found


def resolve(
    template: str,
    *,
    version: str | None = NEWEST,
    environment: str | Mapping[str, Any] | None = None,
    environment_files: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    world: World = WORLD,
    identity: StackIdentity | None = None,
    require_parameters: bool = True,
) -> Resolved:
    """Resolves a HOT template that is written without its first line, or with `version=None` any template."""
    text = dedent(template)
    if version is not None:
        text = f"heat_template_version: {version}\n{text}"
    request = {
        "template": text,
        "files": {name: dedent(content) for name, content in (files or {}).items()},
        "environment": dedent(environment) if isinstance(environment, str) else environment,
        "environment_files": list(environment_files),
        "parameters": dict(parameters or {}),
    }
    report = Report()
    definition = resolve_request(
        request, world, report, identity=identity, require_parameters=require_parameters
    )
    return Resolved(definition, report)


def child(text: str, version: str = NEWEST) -> str:
    """A template that is used as a type."""
    return f"heat_template_version: {version}\n{dedent(text)}"
