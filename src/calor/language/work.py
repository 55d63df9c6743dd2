"""What the steps of defining a stack share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from calor.language.definition import Definition
from calor.language.diagnostics import Report
from calor.language.environment import Environment
from calor.language.expressions import Compiler
from calor.language.library import Library
from calor.language.scope import FunctionErrors, TemplateScope
from calor.language.template import Template
from calor.language.versions import Version, Words


@dataclass(slots=True)
class Tree:
    """A stack with all stacks below it: the number of its resources that have been met so far."""

    resources: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """One template on its way to a definition. `strict` is off in nested stacks, whose values come from
    properties that are checked already; `define` makes a nested stack's definition."""

    template: Template
    environment: Environment
    library: Library
    report: Report
    errors: FunctionErrors
    scope: TemplateScope
    compiler: Compiler
    strict: bool
    depth: int
    tree: Tree
    define: Callable[..., Definition]

    @property
    def version(self) -> Version:
        return self.template.version

    @property
    def words(self) -> Words:
        return self.template.version.words

    def compile(self, data: Any, *path: str | int) -> Any:
        return self.compiler.compile(data, path)
