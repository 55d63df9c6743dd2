"""Loads the templates, environments and parameters given on the command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from calor.cli.errors import UsageError
from calor.cli.fetching import fetcher, with_standard_input
from calor.cli.json_values import JsonObject
from calor.language import files, operator
from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.request import resolve_request
from calor.language.source import Source
from calor.types.world import offline_world


@dataclass(frozen=True, slots=True)
class LoadedTemplate:
    """A template with its files, and its diagnostics."""

    definition: Definition | None
    report: Report
    sources: Mapping[str, Source]


def parameters(pairs: Iterable[str]) -> JsonObject:
    """The parameters from `-P` options. A name that is given more than once gets a list."""
    found: JsonObject = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"-P {pair}: write it as name=value")
        if not _is_text(pair):
            raise UsageError(f"-P {name}: the value is not UTF-8 text")
        if name in found:
            before = found[name]
            found[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            found[name] = value
    return found


def _is_text(argument: str) -> bool:
    """Whether a command-line argument could be decoded."""
    return not any("\udc80" <= char <= "\udcff" for char in argument)


def world(arguments: argparse.Namespace, report: Report, fetch: files.Fetch) -> World:
    """The world for a command: offline, with the operator's environment if a folder is given."""
    made = offline_world(lambda url: fetch(url).decode("utf-8", "replace"))
    if not arguments.environment_dir:
        return made
    folder = Path(arguments.environment_dir)
    if not folder.is_dir():
        raise UsageError(f"--environment-dir {folder}: there is no such folder")
    try:
        texts = {str(path): path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError as error:
        raise UsageError(f"--environment-dir {folder}: {error.filename}: {error.strerror}") from None
    return operator.load(texts, lambda url: fetch(url).decode("utf-8", "replace"), report).over(made)


def _url(path: str, cwd: str) -> str:
    try:
        return files.file_url(path, cwd)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def load(
    path: str,
    arguments: argparse.Namespace,
    *,
    require_parameters: bool,
    stack_name: str | None = None,
) -> LoadedTemplate:
    """Loads a template with its environments and resolves it as far as possible."""
    report = Report()
    cwd = os.getcwd()
    url = _url(path, cwd)
    fetch = with_standard_input(path, url, fetcher(arguments.offline))
    made = world(arguments, report, fetch)
    environments = [_url(name, cwd) for name in arguments.environment]
    given = parameters(arguments.parameter)
    gathered = files.gather(url, environments, fetch, parameters=given, cwd=cwd)
    report.extend(gathered.report)
    if not gathered.request:
        return LoadedTemplate(None, report, gathered.sources)
    definition = resolve_request(
        gathered.request,
        made,
        report,
        name=gathered.url,
        identity=StackIdentity(name=stack_name) if stack_name else None,
        sources=gathered.sources,
        require_parameters=require_parameters,
    )
    return LoadedTemplate(definition, _told_once(report), gathered.sources)


def _told_once(report: Report) -> Report:
    """Without the types that are missing because their file cannot be read, which is reported at the same place."""
    unread = {_spot(found) for found in report if found.code in ("E501", "E502")} - {None}
    kept = Report()
    kept.extend(found for found in report if found.code != "E402" or _spot(found) not in unread)
    return kept


def _spot(diagnostic: Diagnostic) -> tuple[str, int, int] | None:
    where = diagnostic.where
    return (where.file, where.line, where.column) if where is not None else None
