"""`calor template graph`: draws the dependencies of resources."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from calor.cli.drawing import dot, from_definition, svg, text
from calor.cli.render import plain
from calor.cli.template import loading
from calor.language.diagnostics import Severity


def run(arguments: argparse.Namespace) -> int:
    loaded = loading.load(arguments.path, arguments, require_parameters=False)
    problems = [found for found in loaded.report.sorted() if found.severity is Severity.ERROR]
    if problems:
        print(plain.render(problems), file=sys.stderr)
    if loaded.definition is None:
        return 1
    drawing = from_definition(loaded.definition, nested=arguments.nested)
    if arguments.format == "dot":
        picture = dot.render(drawing)
    elif arguments.format == "svg":
        picture = svg.render(drawing)
    else:
        colored = sys.stdout.isatty() and not arguments.output and "NO_COLOR" not in os.environ
        picture = text.render(drawing, color=colored)
    if arguments.output:
        try:
            Path(arguments.output).write_text(picture, encoding="utf-8")
        except OSError as error:
            print(f"calor: -o {arguments.output}: {error.strerror}", file=sys.stderr)
            return 2
    else:
        print(picture)
    return 1 if problems else 0
