"""`calor template validate`: reports all problems of templates in one run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from calor.cli.render import machine, plain, terminal
from calor.cli.template import loading
from calor.language import environment, reader
from calor.language.codes import CODES
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.lint import lint
from calor.language.source import Source
from calor.language.suppression import select
from calor.language.template import is_template

_ENDINGS = (".yaml", ".yml", ".template", ".json")
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})


def run(arguments: argparse.Namespace) -> int:
    found: dict[Diagnostic, None] = {}
    sources: dict[str, Source] = {}
    count = 0
    for path in _files(arguments.paths, arguments.templates_only):
        count += 1
        for diagnostic in _check(path, arguments, sources):
            found[diagnostic] = None
    shown = sorted(
        select(found, sources, only=arguments.select, without=arguments.ignore), key=lambda one: one.sort_key
    )
    _print(shown, sources, count, arguments.format)
    return 1 if any(one.severity is Severity.ERROR for one in shown) else 0


def _files(paths: list[str], templates_only: bool) -> Iterator[str]:
    """The given files, and the templates and environments in given folders."""
    for name in paths:
        path = Path(name)
        if not path.is_dir():
            if not templates_only or not path.is_file() or _is_template_or_environment(path):
                yield name
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _SKIPPED)
            for file in sorted(files):
                if file.endswith(_ENDINGS) and _is_template_or_environment(Path(folder, file)):
                    yield os.path.join(folder, file)


def _is_template_or_environment(path: Path) -> bool:
    """Whether a file in a folder is a template or an environment; other YAML files are ignored."""
    try:
        content = path.read_bytes()
    except OSError:
        # Unreadable files in the folder are reported.
        return True
    source = reader.read(content, str(path), Report())
    if source is None:
        return b"heat_template_version" in content or b"TemplateFormatVersion" in content
    return is_template(source.data) or _is_environment(source.data)


def _is_environment(data: object) -> bool:
    return (
        isinstance(data, dict)
        and not is_template(data)
        and bool(data)
        and all(key in environment.SECTIONS for key in data)
    )


def _check(path: str, arguments: argparse.Namespace, sources: dict[str, Source]) -> Iterator[Diagnostic]:
    loaded = loading.load(path, arguments, require_parameters=False)
    sources.update(loaded.sources)
    root = next(iter(loaded.sources.values()), None)
    if root is not None and _is_environment(root.data):
        report = Report(root.place)
        environment.parse(root.data, report)
        yield from report
        return
    yield from loaded.report
    if loaded.definition is not None:
        yield from lint(loaded.definition)


def _print(found: list[Diagnostic], sources: dict[str, Source], count: int, form: str) -> None:
    if form == "auto":
        form = "terminal" if sys.stdout.isatty() else "plain"
    if form == "json":
        print(machine.to_json(found))
    elif form == "sarif":
        print(machine.to_sarif(found, lambda code: CODES[code].title if code in CODES else None))
    elif form == "github":
        print(machine.to_github(found))
    elif form == "plain":
        print(*([plain.render(found)] if found else []), terminal.summary(found, count), sep="\n")
    else:
        color = "NO_COLOR" not in os.environ
        blocks = [terminal.render(found, sources, color=color), ""] if found else []
        print(*blocks, terminal.summary(found, count, color=color), sep="\n")
