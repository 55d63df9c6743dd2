"""Places that only the command line knows: it has read the files that a request is made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calor.language.diagnostics import Diagnostic, Path, Position
    from calor.language.source import Source

_UNKNOWN_PARAMETER = "E207"
_WRONG_VALUES = ("E209", "E210")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a request was made of, as far as it tells where a parameter's value came from."""

    template: str
    environments: Sequence[str]
    given: Collection[str]
    """The parameters that were given beside the environments, over which they win."""
    sources: Mapping[str, Source]


def in_environment(problem: Diagnostic, inputs: Inputs) -> Diagnostic:
    """A parameter that the template does not have, or whose value is wrong, is wrong where it is given, if that is in
    an environment."""
    if problem.code == _UNKNOWN_PARAMETER:
        where = _given_in(inputs, re.compile("`(.*?)`"), problem.message, ("parameters",))
        return replace(problem, where=where) if where else problem
    if problem.code in _WRONG_VALUES and problem.where and _is_of(problem.where, inputs):
        sections = ("parameters", "parameter_defaults")
        where = _given_in(inputs, re.compile("Parameter '(.*?)'"), problem.message, sections)
        if where:
            return replace(problem, where=where, hint=problem.hint or f"it is declared at {problem.where}")
    return problem


def _is_of(where: Position, inputs: Inputs) -> bool:
    """Whether it is in the template itself: those below get their parameters from there."""
    source = inputs.sources.get(inputs.template)
    return source is not None and source.name == where.file


def _given_in(
    inputs: Inputs, naming: re.Pattern[str], message: str, sections: Sequence[str]
) -> Position | None:
    """Where the parameter that a message names gets its value; the last environment that has it wins."""
    named = naming.search(message)
    if named is None or named[1] in inputs.given:
        return None
    for section in sections:
        for url in reversed(inputs.environments):
            source = inputs.sources.get(url)
            data = source.data if source is not None and isinstance(source.data, dict) else {}
            values = data.get(section)
            if source is not None and isinstance(values, dict) and values.get(named[1]) is not None:
                return source.locate((section, named[1]))
    return None


def of_type(message: str, sources: Mapping[str, Source]) -> Position | None:
    """Where a resource type that a message is about is used first."""
    for source in sources.values():
        data = source.data if isinstance(source.data, dict) else {}
        for section in ("resources", "Resources"):
            for path, type_name in _types(data.get(section), (section,)):
                if re.search(rf"(?<![\w:]){re.escape(type_name)}(?![\w:])", message):
                    return source.locate(path, True)
    return None


_PATH = re.compile(r"([Rr]esources(?:\.[^.:\s]+)+): ")


def at_path(message: str, sources: Mapping[str, Source], template: str) -> Position | None:
    """Where the place is that a message begins with; for one in a nested stack, the resource that it belongs to."""
    source = sources.get(template)
    named = _PATH.match(message)
    if source is None or named is None:
        return None
    return source.locate(tuple(named[1].split(".")), True)


def _types(value: Any, at: Path) -> Iterator[tuple[Path, str]]:
    """Also those of the members of groups."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("type", "Type") and isinstance(item, str) and "::" in item:
                yield (*at, key), item
            else:
                yield from _types(item, (*at, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _types(item, (*at, place))
