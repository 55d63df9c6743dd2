"""The shared state of the steps that define a stack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from calor.language.budget import Budget
from calor.language.definition import Definition
from calor.language.diagnostics import Report
from calor.language.environment import Environment
from calor.language.expressions import Compiler
from calor.language.library import Library
from calor.language.scope import FunctionErrors, TemplateScope
from calor.language.template import Template
from calor.language.values import TemplateValue
from calor.language.versions import Version, Words


@dataclass(slots=True)
class Tree:
    """A stack with all its nested stacks: the number of resources so far, and the size of their values."""

    budget: Budget
    resources: int = 0
    violations: set[str] = field(default_factory=set)
    """The errors reported about values of parameters, which are not repeated where the values are used."""


@dataclass(frozen=True, slots=True)
class Work:
    """The template that is being defined. `strict` is off in nested stacks, whose values come from properties that have
    been checked; `define` defines a nested stack."""

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

    def compile(self, data: object, *path: str | int) -> TemplateValue:
        return self.compiler.compile(data, path)
