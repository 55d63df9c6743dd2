"""`calor template resolve`: shows templates, one or thousands, with all values resolved."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterable
from typing import IO

from calor.cli.errors import UsageError
from calor.cli.fetching import fetcher
from calor.cli.json_values import JsonObject
from calor.cli.render import plain
from calor.cli.template import loading
from calor.language.diagnostic_json import diagnostic_to_json
from calor.language.diagnostics import Report, Severity
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.request import resolve_request
from calor.language.suppression import select
from calor.language.view import resolved_view


def run(arguments: argparse.Namespace) -> int:
    if arguments.batch:
        return _batch(arguments)
    if not arguments.path:
        raise UsageError("name a template, or --batch")
    return _one(arguments)


def _one(arguments: argparse.Namespace) -> int:
    loaded = loading.load(arguments.path, arguments, require_parameters=True, stack_name=arguments.stack_name)
    found = select(loaded.report.sorted(), loaded.sources, only=arguments.select, without=arguments.ignore)
    view: JsonObject = {}
    if loaded.definition is not None:
        view = resolved_view(loaded.definition, show_secrets=arguments.show_secrets)
    if arguments.format == "json":
        view["diagnostics"] = [diagnostic_to_json(one) for one in found]
        print(json.dumps(view, indent=2, ensure_ascii=False, default=str))
    else:
        if view:
            import yaml

            yaml.dump(
                view,
                sys.stdout,
                Dumper=yaml.CSafeDumper,
                sort_keys=False,
                allow_unicode=True,
                default_flow_style=False,
            )
        if found:
            print(plain.render(found), file=sys.stderr)
    return 1 if any(one.severity is Severity.ERROR for one in found) else 0


def _batch(arguments: argparse.Namespace) -> int:
    report = Report()
    world = loading.world(arguments, report, fetcher(arguments.offline))
    identity = StackIdentity(name=arguments.stack_name) if arguments.stack_name else StackIdentity()
    with contextlib.ExitStack() as stack:
        # Bytes, so that a line that is not text is an error of that line only.
        lines: IO[bytes] = sys.stdin.buffer
        if arguments.batch != "-":
            try:
                lines = stack.enter_context(open(arguments.batch, "rb"))
            except OSError as error:
                raise UsageError(f"--batch {arguments.batch}: {error.strerror}") from None
        return _answer(lines, world, identity)


def _answer(lines: Iterable[bytes], world: World, identity: StackIdentity) -> int:
    code = 0
    write = sys.stdout.write
    for line in lines:
        if not line.strip():
            continue
        answer = _answer_one(line, world, identity)
        if any(one["severity"] == "error" for one in answer["diagnostics"]):
            code = 1
        write(json.dumps(answer, default=str) + "\n")
    return code


def _answer_one(line: bytes, world: World, identity: StackIdentity) -> JsonObject:
    report = Report()
    answer: JsonObject = {"params": {}, "conditions": {}, "resources": {}, "edges": [], "outputs": {}}
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        report.error("E101", f"the line is not JSON: {error}", kind="ValueError")
        request = None
    if request is not None and not isinstance(request, dict):
        report.error("E103", "the line is not a request: a map with a template", kind="ValueError")
        request = None
    if request is not None:
        definition = resolve_request(request, world, report, identity=identity)
        if definition is not None:
            answer = resolved_view(definition, show_secrets=True)
    answer["diagnostics"] = [diagnostic_to_json(one) for one in report.sorted()]
    return answer
