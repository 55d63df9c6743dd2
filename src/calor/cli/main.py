"""Entry point: finds the command and runs it. Commands are imported when they are used, so that each starts
quickly."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from calor import __version__
from calor.cli import config, processes, serve
from calor.cli.template import parser as template_parser


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="calor", description="Orchestrates cloud infrastructure from Heat templates."
    )
    parser.add_argument("--version", action="version", version=f"calor {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    serve.add_to(commands)
    processes.add_to(commands)
    config.add_to(commands)
    template_parser.add_to(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; the result is the exit code: 0 done, 1 problems found, 2 wrong usage."""
    # Templates hold any text, also such as the terminal cannot show.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    arguments = build_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever reads the output has had enough, as `head` does.
        _drop_output()
        return 0
    except OSError as error:
        print(f"calor: {error}", file=sys.stderr)
        _drop_output()
        return 1
    except KeyboardInterrupt:
        return 130


def _drop_output() -> None:
    """What is still to be written would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
