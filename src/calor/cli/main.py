"""Entry point: finds the command and runs it. Commands are imported when they are used, so that each starts
quickly."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from calor import __version__
from calor.cli.template import parser as template_parser


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="calor", description="Orchestrates cloud infrastructure from Heat templates."
    )
    parser.add_argument("--version", action="version", version=f"calor {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    template_parser.add_to(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; the result is the exit code: 0 done, 1 problems found, 2 wrong usage."""
    arguments = build_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever reads the output has had enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
