"""Generates pages of the documentation from the source when it is built, so that they cannot be out of date.

mkdocs calls `on_files`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from calor.cli import typedocs
from calor.config.options import sections
from calor.language.codes import CODES
from calor.language.functions.logic import Removed
from calor.language.schema import Attribute, Property, Status
from calor.language.versions import ALL_VERSIONS, NEWEST, Version
from calor.resources.contract import ResourceType
from calor.types import catalogue


def pages() -> dict[str, str]:
    """The text of every page, by its path."""
    found = {
        "reference/functions.md": _functions(),
        "reference/types.md": _types(),
        "reference/codes.md": _codes(),
        "reference/options.md": _options(),
    }
    for declaration in _declarations():
        found[f"reference/types/{_slug(declaration)}.md"] = "\n".join(_type(declaration)) + "\n"
    return found


def on_files(files: Any, config: Any, **_: Any) -> Any:
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


# Functions.


def _functions() -> str:
    lines = [
        "# Functions",
        "",
        "The functions of templates and their results. The version of a template determines which of them it can use.",
        "",
        "## HOT",
        "",
        *_function_table(NEWEST),
        "",
    ]
    for version in (one for one in ALL_VERSIONS if not one.is_hot):
        lines += [f"## {version.title}", "", *_function_table(version, since=False), ""]
    lines += ["## Versions", "", "| version | aliases |", "|---|---|"]
    lines += [f"| `{one.title}` | {', '.join(one.names)} |" for one in ALL_VERSIONS]
    return "\n".join(lines) + "\n"


def _function_table(version: Version, *, since: bool = True) -> Iterator[str]:
    functions: dict[str, object] = {**_conditions(version), **version.all_functions}
    yield "| function | what it gives | since |" if since else "| function | what it gives |"
    yield "|---|---|---|" if since else "|---|---|"
    for name, function in sorted(functions.items()):
        first = next((one for one in ALL_VERSIONS if one.is_hot and _knows(one, name)), None)
        row = f"| `{name}` | {_cell(inspect.getdoc(function) or '')} |"
        yield f"{row} {first.date if first else ''} |" if since else row


def _conditions(version: Version) -> dict[str, object]:
    found = (version.condition_functions or {}).items()
    return {name: function for name, function in found if function is not Removed}


def _knows(version: Version, function: str) -> bool:
    return function in version.all_functions or function in _conditions(version)


# Types.


def _declarations() -> list[type[ResourceType]]:
    found = (catalogue.declaration(name) for name in catalogue.names())
    return [one for one in found if one is not None and one.support.status is not Status.HIDDEN]


def _slug(declaration: type[ResourceType]) -> str:
    return declaration.type_name.replace("::", "-")


def _types() -> str:
    lines = ["# Resource types", ""]
    for family, members in groupby(_declarations(), lambda one: one.type_name.rpartition("::")[0]):
        lines += [f"## {family}", "", "| type | |", "|---|---|"]
        for one in members:
            mark = "" if one.support.status is Status.SUPPORTED else f"*{one.support.status.value.lower()}* "
            lines.append(
                f"| [{one.type_name}](types/{_slug(one)}.md) | {mark}{_cell(typedocs.summary(one))} |"
            )
        lines.append("")
    return "\n".join(lines)


def _type(declaration: type[ResourceType]) -> Iterator[str]:
    yield f"# {declaration.type_name}"
    yield ""
    yield f"*{typedocs.status(declaration.support)}*"
    for paragraph in typedocs.paragraphs(declaration):
        yield ""
        yield _plain(paragraph)
    if declaration.service:
        yield ""
        extension = f" with the extension {declaration.extension}" if declaration.extension else ""
        yield f"Needs the service {declaration.service}{extension}."
    if declaration.placeholder:
        yield ""
        yield "Templates that use it are still accepted, with any properties, but nothing is created."
    for title, declared in (
        ("Properties", declaration.properties),
        ("Update policy", declaration.update_policy),
    ):
        if declared:
            yield from ("", f"## {title}", "")
            yield from _properties(declared, 0, top=title == "Properties")
    if declaration.attributes:
        yield from ("", "## Attributes", "")
        for name, attribute in sorted(
            declaration.attributes.items(), key=lambda item: typedocs.rank(item[1])
        ):
            yield _attribute(name, attribute)
    yield from ("", "## Example", "", "```yaml", *typedocs.example(declaration).splitlines(), "```")


def _properties(properties: Mapping[str, Property], depth: int, *, top: bool) -> Iterator[str]:
    for name, declared in sorted(properties.items(), key=lambda item: typedocs.rank(item[1])):
        facts = [typedocs.kind_of(declared)]
        facts += ["**required**"] if declared.required else []
        facts += [f"default `{declared.default!r}`"] if declared.default is not None else []
        facts += [typedocs.on_change(declared)] if top else []
        if declared.support.status is not Status.SUPPORTED:
            facts.append(f"*{typedocs.status(declared.support)}*")
        facts += [] if declared.implemented else ["*not implemented*"]
        inner = declared.items or declared
        limits = (*declared.constraints, *(inner.constraints if declared.items else ()))
        text = " ".join((_plain(declared.doc), *(f"({_plain(typedocs.described(one))})" for one in limits)))
        yield f"{'    ' * depth}- `{name}`: {', '.join(facts)}. {text}".rstrip()
        while inner.items:
            inner = inner.items
        if inner.fields:
            yield from _properties(inner.fields, depth + 1, top=False)


def _attribute(name: str, attribute: Attribute) -> str:
    status = attribute.support
    mark = f" *{typedocs.status(status)}*" if status.status is not Status.SUPPORTED else ""
    return f"- `{name}`:{mark} {_plain(attribute.doc)}".rstrip()


# Codes and options.


def _codes() -> str:
    lines = ["# Diagnostics", "", "`calor template explain CODE` shows the same.", ""]
    for code in CODES.values():
        lines += [f"## {code.code}", "", f"**{_plain(code.title)}**", "", _plain(code.explanation), ""]
        if code.example:
            lines += ["```yaml", *code.example.splitlines(), "```", ""]
    return "\n".join(lines)


def _options() -> str:
    lines = ["# Options", "", "[Configuration](../configuration.md) says how to give them.", ""]
    for section, options in sections().items():
        lines += [f"## [{section}]", ""]
        for option in options:
            default = option.default
            text = "" if default in (None, "", []) else f" Default: `{default}`."
            lines.append(f"- `{option.name}`: {_plain(option.help or '')}{text}")
        lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text with Markdown's special characters escaped, except in code."""
    parts = " ".join(text.split()).split("`")
    for index in range(0, len(parts), 2):
        for mark in ("\\", "*", "_", "<", "["):
            parts[index] = parts[index].replace(mark, f"\\{mark}")
    return "`".join(parts)


def _cell(text: str) -> str:
    first: Iterable[str] = text.split("\n\n")[:1]
    return _plain(" ".join(first)).replace("|", "\\|")
