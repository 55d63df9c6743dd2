"""`calor serve`: everything in one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calor.cli.config import add_files_to

if TYPE_CHECKING:
    from calor.server.settings import Settings as ServerSettings


def add_to(commands: Any) -> None:
    command = commands.add_parser("serve", help="run Calor with its embedded cloud")
    add_places_to(command)
    command.add_argument("--host", help="the address to listen on; 127.0.0.1 unless configured")
    command.add_argument("--port", type=int, help="the API's, 8004 unless configured; the others follow it")
    add_backend_to(command)
    command.set_defaults(run=run)


def add_backend_to(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--cloud-backend",
        choices=("auto", "linux", "simulated"),
        default="auto",
        help="what servers of the embedded cloud run on; `calor cloud probe` tells what auto is",
    )


def add_places_to(command: argparse.ArgumentParser) -> None:
    """Where everything is kept, and configured."""
    command.add_argument("--state-dir", metavar="DIR", help="where to keep everything (CALOR_STATE_DIR)")
    add_files_to(command)


def run(arguments: argparse.Namespace) -> int:
    from calor.server.embedded import serve

    return start(arguments, serve, arguments.host, arguments.port)


def start(
    arguments: argparse.Namespace,
    main: Callable[[ServerSettings], None],
    host: str | None = None,
    port: int | None = None,
) -> int:
    """Runs something with the settings of the server. What keeps it from starting is told in one line."""
    import logging

    from calor.cli.config import load_files
    from calor.config.translating import settings_of
    from calor.observe import logs
    from calor.server.refusals import REFUSALS
    from calor.server.settings import server_settings

    try:
        loaded = load_files(arguments)
        configured = settings_of(loaded)
        wanted = configured.logging
        logs.start(json_lines=wanted.json_lines, debug=wanted.debug, file=wanted.file)
        for finding in loaded.findings():
            level = logging.INFO if finding.known else logging.WARNING
            logging.getLogger("calor").log(level, "%s", finding)
        main(
            server_settings(
                configured, arguments.state_dir, host, port, getattr(arguments, "cloud_backend", "auto")
            )
        )
    except REFUSALS as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    return 0
