"""`calor serve`: runs all parts of a server."""

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
    command.add_argument(
        "--port", type=int, help="the port of the API, 8004 unless configured; the other ports follow it"
    )
    add_backend_to(command)
    command.set_defaults(run=run)


def add_backend_to(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--cloud-backend",
        choices=("auto", "linux", "simulated"),
        default="auto",
        help="how the embedded cloud runs servers; `calor cloud probe` shows what auto selects",
    )


def add_places_to(command: argparse.ArgumentParser) -> None:
    """Options for the state directory and the configuration files."""
    command.add_argument("--state-dir", metavar="DIR", help="the state directory (CALOR_STATE_DIR)")
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
    """Runs a function with the settings of the server. Startup errors are reported in one line."""
    import logging

    from calor.cli.config import load_files
    from calor.config.translating import settings_of
    from calor.observe import logs
    from calor.server.settings import server_settings
    from calor.server.startup_errors import STARTUP_ERRORS

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
    except STARTUP_ERRORS as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    return 0
