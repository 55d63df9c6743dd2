"""`calor template functions | versions | types | schema | explain`: the reference of the language."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import shutil
import sys
from collections.abc import Sequence

from calor.language.codes import CODES
from calor.language.diagnostics import did_you_mean
from calor.language.functions.logic import NotInConditions
from calor.language.versions import ALL_VERSIONS, NEWEST, VERSION_KEYS, Version, find
from calor.types import catalogue


def run(arguments: argparse.Namespace) -> int:
    verb: int = {
        "functions": _functions,
        "versions": _versions,
        "types": _types,
        "schema": _schema,
        "explain": _explain,
    }[arguments.verb](arguments)
    return verb


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _find_version(name: str) -> Version | None:
    """A version by its date or release, or in full: `heat_template_version.2021-04-16`."""
    for key in VERSION_KEYS:
        version = find(key, name.removeprefix(f"{key}."))
        if version is not None:
            return version
    return None


def _functions(arguments: argparse.Namespace) -> int:
    version = _find_version(arguments.version) if arguments.version else NEWEST
    if version is None:
        names = [name for known in ALL_VERSIONS for name in (known.date, *known.names)]
        hint = did_you_mean(arguments.version, names) or "see `calor template versions`"
        print(f"calor: there is no template version {arguments.version}; {hint}", file=sys.stderr)
        return 2
    rows = [(name, _first_line(function)) for name, function in version.all_functions.items()]
    if arguments.with_conditions:
        conditions = version.condition_functions or {}
        rows += [
            (name, _first_line(function))
            for name, function in sorted(conditions.items())
            if function is not NotInConditions and name not in version.all_functions
        ]
    if arguments.format == "json":
        print(json.dumps([{"functions": name, "description": text} for name, text in rows], indent=2))
    else:
        _table([("FUNCTION", "RESULT"), *rows])
    return 0


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").split("\n")[0]


def _versions(arguments: argparse.Namespace) -> int:
    rows = [
        (version.title, "hot" if version.is_hot else "cfn", ", ".join(version.names))
        for version in ALL_VERSIONS
    ]
    if arguments.format == "json":
        print(json.dumps([{"version": a, "type": b, "aliases": c} for a, b, c in rows], indent=2))
    else:
        _table([("VERSION", "TYPE", "ALIASES"), *rows])
    return 0


def _types(arguments: argparse.Namespace) -> int:
    from calor.cli import typedocs

    if not arguments.name:
        names = catalogue.names()
        if arguments.format == "json":
            print(json.dumps(names, indent=2))
        else:
            declarations = [found for name in names if (found := catalogue.declaration(name)) is not None]
            print(typedocs.type_table(declarations, hidden=arguments.all))
        return 0
    name = catalogue.ALIASES.get(arguments.name, arguments.name)
    declaration = catalogue.declaration(name)
    if declaration is None:
        hint = did_you_mean(arguments.name, catalogue.names()) or "see `calor template types`"
        print(f"calor: there is no resource type {arguments.name}; {hint}", file=sys.stderr)
        return 1
    width = min(shutil.get_terminal_size().columns, 110)
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(typedocs.type_page(declaration, color=color, width=width))
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from calor.cli.editor_schema import hot_schema

    print(json.dumps(hot_schema(catalogue.names(), catalogue.declaration), indent=1))
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    if not arguments.code:
        _table([(code.code, code.title) for code in CODES.values()])
        return 0
    found = CODES.get(arguments.code.upper())
    if found is None:
        hint = did_you_mean(arguments.code, CODES) or "see `calor template explain`"
        print(f"calor: there is no code {arguments.code}; {hint}", file=sys.stderr)
        return 2
    print(f"{found.code}: {found.title}\n\n{found.explanation}")
    if found.example:
        print("\nFor example:\n\n" + "\n".join(f"    {line}" for line in found.example.splitlines()))
    return 0
