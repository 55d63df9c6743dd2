"""Runs the embedded cloud alone: python -m calor.localcloud --database cloud.db"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from calor.localcloud.backend_selection import BACKENDS
from calor.localcloud.config import AnnouncedService, CloudConfig
from calor.localcloud.server import initialize, serve
from calor.observe.escaping import EscapedLines


def main(arguments: list[str] | None = None) -> None:
    config = _config(arguments)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(EscapedLines("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    for user, password in initialize(config).passwords.items():
        # They are not stored, and so are shown only now.
        print(f"{user} {password}", flush=True)
    serve(config)


def _config(arguments: list[str] | None) -> CloudConfig:
    parser = argparse.ArgumentParser(
        prog="python -m calor.localcloud", description="A small OpenStack-like cloud."
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: %(default)s)")
    parser.add_argument("--port", type=int, default=5000, help="the port to listen at (default: %(default)s)")
    parser.add_argument("--database", type=Path, required=True, help="the SQLite database file")
    parser.add_argument(
        "--announce",
        action="append",
        default=[],
        type=_announced_service,
        metavar="TYPE[:NAME]=URL",
        help="an additional service in the catalog; %%(project_id)s is replaced by the project ID",
    )
    parser.add_argument("--backend", choices=BACKENDS, default="auto", help="the backend for servers")
    given = parser.parse_args(arguments)
    return CloudConfig(given.host, given.port, given.database, tuple(given.announce), given.backend)


def _announced_service(written: str) -> AnnouncedService:
    kind, separator, url = written.partition("=")
    type_, _, name = kind.partition(":")
    if not (type_ and separator and url):
        raise argparse.ArgumentTypeError(f"{written} is not of the form TYPE=URL")
    return AnnouncedService(type_, name or type_, url)


if __name__ == "__main__":
    main()
