"""Builds a request from the command line: the template, environments, parameters and all files that they refer to."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calor.cli.api.client import Heat
from calor.cli.errors import CommandError, UsageError
from calor.cli.json_values import JsonMapping, JsonObject

if TYPE_CHECKING:
    from calor.language.diagnostics import Diagnostic
    from calor.language.files import Fetch
    from calor.language.source import Source

_HOOKS_FILE = "calor:hooks"


@dataclass(frozen=True, slots=True)
class StackRequest:
    """The body of a request about a stack, and the files that it was built from."""

    body: JsonObject
    template_url: str = ""
    environment_urls: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)


def from_arguments(heat: Heat, arguments: argparse.Namespace) -> StackRequest:
    """Raises CommandError, after printing the errors in files if there are several."""
    given = parameters(arguments.parameters, arguments.parameter_files)
    hooks = {
        name: list(getattr(arguments, name.replace("-", "_"), ())) for name in ("pre-create", "pre-update")
    }
    container = getattr(arguments, "files_container", None)
    if not arguments.template:
        return _with_hooks(_without_template(arguments, given, container), hooks)
    request = (
        _with_container(arguments, container)
        if container
        else gather_request(heat, arguments.template, arguments.environments)
    )
    body = {**request.body, "parameters": given}
    if not body.get("environment_files"):
        body.pop("environment_files", None)
    made = StackRequest(body, request.template_url, request.environment_urls, request.sources)
    return _with_hooks(made, hooks)


def _with_container(arguments: argparse.Namespace, container: str) -> StackRequest:
    """Reads only the template: the environments and all other files are in the container."""
    from calor.language import files, reader
    from calor.language.diagnostics import Report

    report = Report()
    source = reader.read_mapping(read_text(arguments.template).encode(), arguments.template, report)
    if source is None:
        raise error_from(report.sorted()[0])
    url = files.file_url(arguments.template, os.getcwd())
    body = {
        "template": source.data,
        "files": {},
        "files_container": container,
        "environment_files": list(arguments.environments),
    }
    return StackRequest(body, url, (), {url: source})


def gather_request(heat: Heat, template: str, environments: Iterable[str]) -> StackRequest:
    from calor.cli.fetching import fetcher, with_standard_input
    from calor.language import files
    from calor.language.diagnostics import Severity

    cwd = os.getcwd()
    template_url = files.file_url(template, cwd)
    environment_urls = tuple(files.file_url(name, cwd) for name in environments)
    fetch = with_standard_input(template, template_url, _with_token(heat, fetcher(False)))
    found = files.gather(template_url, environment_urls, fetch, cwd=cwd)
    problems = [one for one in found.report.sorted() if one.severity is Severity.ERROR]
    if len(problems) == 1:
        raise error_from(problems[0])
    if problems:
        print_problems(problems, found.sources)
        raise CommandError(f"{len(problems)} errors in {template} and the files it refers to")
    return StackRequest(found.request, template_url, environment_urls, found.sources)


def error_from(problem: Diagnostic) -> CommandError:
    """A diagnostic as an error of the command, with its position."""
    place = f"{problem.where}: " if problem.where else ""
    return CommandError(place + problem.message, problem.advice or "")


def print_problems(problems: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
    from calor.cli.render import plain, terminal

    if sys.stderr.isatty():
        shown = terminal.render(problems, sources, color="NO_COLOR" not in os.environ)
    else:
        shown = plain.render(problems)
    print(shown, file=sys.stderr)


def _with_token(heat: Heat, fetch: Fetch) -> Fetch:
    """A fetcher that falls back to the user's token for objects in the cloud's own object store."""

    def fetch_object(url: str) -> bytes:
        try:
            return fetch(url)
        except OSError:
            if not url.startswith("http") or not any(url.startswith(base) for base in _stores(heat)):
                raise
        answer = heat.http.send("GET", url, {"X-Auth-Token": heat.access.token or ""})
        if answer.status != 200:
            raise OSError(f"the object store responds with {answer.status}")
        return answer.body

    return fetch_object


def _stores(heat: Heat) -> list[str]:
    try:
        return [heat.service_url("object-store") + "/"]
    except CommandError:
        return []


def _without_template(
    arguments: argparse.Namespace, given: JsonMapping, container: str | None
) -> StackRequest:
    """A request without a template, for updating an existing stack."""
    body: JsonObject = {"parameters": dict(given)}
    if container:
        body |= {"files_container": container, "environment_files": list(arguments.environments)}
        return StackRequest(body)
    if arguments.environments:
        request = environments_only(arguments.environments)
        return StackRequest({**request, **body})
    return StackRequest(body)


def environments_only(names: Iterable[str]) -> JsonObject:
    """The keys of a request that come from environments."""
    from calor.cli.fetching import fetcher
    from calor.language import files

    cwd = os.getcwd()
    urls = [files.file_url(name, cwd) for name in names]
    read = fetcher(False)

    def fetch(url: str) -> bytes:
        # `gather` needs a template.
        return b"heat_template_version: 2013-05-23\n" if url == "calor:none" else read(url)

    found = files.gather("calor:none", urls, fetch, cwd=cwd)
    problems = found.report.sorted()
    if problems:
        raise error_from(problems[0])
    return {name: found.request[name] for name in ("files", "environment", "environment_files")}


def parameters(pairs: Iterable[str], file_pairs: Iterable[str] = ()) -> JsonObject:
    """Parameters from `name=value` pairs, also several separated by `;` in a single pair. A name that is given more
    than once gets a list. In `file_pairs`, the value is the name of a file with the value."""
    found: JsonObject = {}
    for name, value in key_values(pairs, "a parameter"):
        if name in found:
            before = found[name]
            found[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            found[name] = value
    for name, path in key_values(file_pairs, "a parameter file"):
        found[name] = read_text(path)
    return found


def key_values(pairs: Iterable[str], what: str) -> list[tuple[str, str]]:
    listed = list(pairs)
    if len(listed) == 1:
        parts = [part for part in listed[0].split(";") if part]
        # The semicolon may be part of the value.
        listed = parts if all("=" in part for part in parts) else listed
    made = []
    for pair in listed:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"`{pair}` is not {what}", "write it as name=value")
        made.append((name, value))
    return made


def read_text(path: str) -> str:
    """The content of a file, a URL, or standard input (`-`)."""
    from calor.cli.fetching import fetcher, with_standard_input
    from calor.language.files import file_url

    try:
        url = file_url(path, os.getcwd())
        return with_standard_input(path, url, fetcher(False))(url).decode("utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8 text") from None


def _with_hooks(request: StackRequest, hooks: Mapping[str, list[str]]) -> StackRequest:
    """The request with hooks in its environment, and in an additional environment file: a service that merges
    environment files itself ignores the environment."""
    registry: JsonObject = {}
    for hook, paths in hooks.items():
        for path in paths:
            at = registry
            for name in path.split("/"):
                at = at.setdefault(name, {})
            at.setdefault("hooks", []).append(hook)
    if not registry:
        return request
    body = dict(request.body)
    extra = {"resource_registry": {"resources": registry}}
    if body.get("environment_files"):
        body["files"] = {**body.get("files", {}), _HOOKS_FILE: json.dumps(extra)}
        body["environment_files"] = [*body["environment_files"], _HOOKS_FILE]
    body["environment"] = _merged(body.get("environment") or {}, extra)
    return StackRequest(body, request.template_url, request.environment_urls, request.sources)


def _merged(below: JsonMapping, above: JsonMapping) -> JsonObject:
    made = dict(below)
    for key, value in above.items():
        before = made.get(key)
        both = isinstance(before, dict) and isinstance(value, dict)
        made[key] = _merged(before, value) if both and isinstance(before, dict) else value
    return made
