"""The options of `calor template …`."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any


def _runner(module: str) -> Callable[[argparse.Namespace], int]:
    """A command whose module is imported when it runs."""

    def run(arguments: argparse.Namespace) -> int:
        code: int = importlib.import_module(f"calor.cli.template.{module}").run(arguments)
        return code

    return run


def add_to(commands: Any) -> None:
    template = commands.add_parser("template", help="check, resolve and draw templates")
    verbs = template.add_subparsers(title="commands", metavar="COMMAND", required=True)

    validate = verbs.add_parser("validate", help="check templates and report all problems")
    validate.add_argument(
        "paths",
        nargs="+",
        metavar="FILE|DIR",
        help="templates, or folders with templates; - for standard input",
    )
    _add_inputs(validate)
    _add_selection(validate)
    validate.add_argument(
        "--format",
        choices=("auto", "terminal", "plain", "json", "sarif", "github"),
        default="auto",
        help="the output format; auto: terminal, or plain if piped",
    )
    validate.add_argument(
        "--templates-only",
        action="store_true",
        help="ignore files that are neither templates nor environments, as in folders",
    )
    validate.set_defaults(run=_runner("validate"))

    resolve = verbs.add_parser("resolve", help="show a template with all values resolved")
    resolve.add_argument("path", nargs="?", metavar="FILE", help="the template; - for standard input")
    _add_inputs(resolve)
    _add_selection(resolve)
    resolve.add_argument("--format", choices=("yaml", "json"), default="yaml")
    resolve.add_argument("--show-secrets", action="store_true", help="show the values of hidden parameters")
    resolve.add_argument("--stack-name", metavar="NAME", help="the value of OS::stack_name")
    resolve.add_argument(
        "--batch",
        metavar="FILE|-",
        help="read requests as JSON lines and write a line with the result of each",
    )
    resolve.set_defaults(run=_runner("resolve"))

    graph = verbs.add_parser("graph", help="draw the dependency graph of a template")
    graph.add_argument("path", metavar="FILE", help="the template; - for standard input")
    _add_inputs(graph)
    graph.add_argument("--format", choices=("text", "dot", "svg"), default="text")
    graph.add_argument("--nested", action="store_true", help="include nested stacks")
    graph.add_argument("-o", "--output", metavar="FILE", help="write to this file")
    graph.set_defaults(run=_runner("graph"))

    functions = verbs.add_parser("functions", help="list the functions of a template version")
    functions.add_argument("version", nargs="?", help="such as 2021-04-16 or wallaby; default: the newest")
    functions.add_argument("--with-conditions", action="store_true", help="include condition functions")
    _add_listing_format(functions)
    functions.set_defaults(run=_runner("reference"), verb="functions")

    versions = verbs.add_parser("versions", help="list the template versions")
    _add_listing_format(versions)
    versions.set_defaults(run=_runner("reference"), verb="versions")

    types = verbs.add_parser("types", help="list the resource types, or show one")
    types.add_argument("name", nargs="?", metavar="TYPE")
    types.add_argument(
        "--all", action="store_true", help="include hidden types, accepted only in old templates"
    )
    _add_listing_format(types)
    types.set_defaults(run=_runner("reference"), verb="types")

    schema = verbs.add_parser("schema", help="print a JSON Schema of templates for editors")
    schema.set_defaults(run=_runner("reference"), verb="schema")

    explain = verbs.add_parser("explain", help="explain the code of a diagnostic")
    explain.add_argument("code", nargs="?", metavar="CODE", help="such as E410; default: list all")
    explain.set_defaults(run=_runner("reference"), verb="explain")


def _add_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-e",
        "--environment",
        action="append",
        default=[],
        metavar="ENV",
        help="an environment file; repeatable",
    )
    command.add_argument(
        "-P", "--parameter", action="append", default=[], metavar="K=V", help="a parameter; repeatable"
    )
    command.add_argument("--environment-dir", metavar="DIR", help="a folder with the operator's environments")
    command.add_argument("--offline", action="store_true", help="do not fetch URLs or query a cloud")


def _add_selection(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="CODE",
        help="report only these codes or prefixes",
    )
    command.add_argument(
        "--ignore", action="append", default=[], metavar="CODE", help="do not report these codes"
    )


def _add_listing_format(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("table", "json"), default="table")
