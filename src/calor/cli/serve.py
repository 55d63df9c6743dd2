"""`calor serve`: everything in one command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    command = commands.add_parser("serve", help="run Calor with its embedded cloud")
    command.add_argument("--state-dir", metavar="DIR", help="where to keep everything (CALOR_STATE_DIR)")
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("--port", type=int, default=8004, help="the API's; the others follow it")
    command.add_argument("--cloud-backend", choices=("auto", "linux", "simulated"), default="auto")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    import logging

    from calor.server.embedded import StateDirTaken, serve
    from calor.server.settings import Settings, default_state_dir
    from calor.server.sockets import PortTaken
    from calor.store.cipher import WrongKey

    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    state_dir = Path(arguments.state_dir) if arguments.state_dir else default_state_dir()
    settings = Settings(state_dir.absolute(), arguments.host, arguments.port, arguments.cloud_backend)
    try:
        serve(settings)
    except (PortTaken, StateDirTaken, WrongKey) as error:
        print(f"calor: {error}", file=sys.stderr)
        return 1
    return 0
