"""`calor serve`: everything in one command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from calor.cli.config import add_files_to


def add_to(commands: Any) -> None:
    command = commands.add_parser("serve", help="run Calor with its embedded cloud")
    command.add_argument("--state-dir", metavar="DIR", help="where to keep everything (CALOR_STATE_DIR)")
    add_files_to(command)
    command.add_argument("--host", help="the address to listen on; 127.0.0.1 unless configured")
    command.add_argument("--port", type=int, help="the API's, 8004 unless configured; the others follow it")
    command.add_argument("--cloud-backend", choices=("auto", "linux", "simulated"), default="auto")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    import logging

    from calor.api.auth import BackendMissing
    from calor.api.policy import PolicyUnusable
    from calor.cli.config import load_files
    from calor.config.loading import ConfigError
    from calor.config.translating import settings_of
    from calor.observe import logs
    from calor.observe.logs import LogUnusable
    from calor.observe.tracing import TracingMissing
    from calor.server.embedded import DatabaseUnusable, StateDirTaken, serve
    from calor.server.settings import DEFAULT_HOST, DEFAULT_PORT, Settings, default_state_dir
    from calor.server.sockets import PortTaken
    from calor.server.tls import CertificateUnusable
    from calor.store.cipher import WrongKey

    try:
        loaded = load_files(arguments)
        configured = settings_of(loaded)
        wanted = configured.logging
        logs.start(json_lines=wanted.json_lines, debug=wanted.debug, file=wanted.file)
        for finding in loaded.findings():
            level = logging.INFO if finding.known else logging.WARNING
            logging.getLogger("calor").log(level, "%s", finding)
        state_dir = Path(arguments.state_dir) if arguments.state_dir else default_state_dir()
        settings = Settings(
            state_dir.absolute(),
            configured,
            arguments.host or configured.api.rest.host or DEFAULT_HOST,
            arguments.port or configured.api.rest.port or DEFAULT_PORT,
            arguments.cloud_backend,
        )
        serve(settings)
    except (
        BackendMissing,
        CertificateUnusable,
        ConfigError,
        DatabaseUnusable,
        LogUnusable,
        PolicyUnusable,
        PortTaken,
        StateDirTaken,
        TracingMissing,
        WrongKey,
    ) as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    return 0
