"""`calor api`, `calor api-cfn`, `calor engine`, `calor cloud`: the parts of a server as separate processes."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from calor.cli.cloud import add_verbs_to
from calor.cli.serve import add_backend_to, add_places_to, start

if TYPE_CHECKING:
    from calor.server.settings import Address, Settings

NAMES = ("api", "api-cfn", "engine", "cloud")
WAIT_SECONDS = 10.0


def add_to(commands: Any) -> None:
    api = commands.add_parser("api", help="run only the REST API")
    _add_address_to(api, "as configured, else 127.0.0.1:8004")
    _add_wait_to(api)
    api.set_defaults(run=run_api)
    api_cfn = commands.add_parser("api-cfn", help="run only the CFN API")
    _add_address_to(api_cfn, "as configured, else the REST API's port plus 1")
    _add_wait_to(api_cfn)
    api_cfn.set_defaults(run=run_api_cfn)
    engine = commands.add_parser("engine", help="run only an engine; there may be several")
    add_places_to(engine)
    _add_wait_to(engine)
    engine.set_defaults(run=run_engine)
    cloud = commands.add_parser("cloud", help="run only the embedded cloud")
    _add_address_to(cloud, "default: the REST API's port plus 2")
    add_backend_to(cloud)
    cloud.set_defaults(run=run_cloud)
    add_verbs_to(cloud)


def _add_address_to(command: argparse.ArgumentParser, otherwise: str) -> None:
    add_places_to(command)
    command.add_argument("--host", help="the address at which this process listens")
    command.add_argument("--port", type=int, help=f"the port on which this process listens; {otherwise}")


def _add_wait_to(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--wait",
        type=float,
        metavar="SECONDS",
        default=WAIT_SECONDS,
        help="how long to wait for the database and the identity service; %(default)s",
    )


def run_api(arguments: argparse.Namespace) -> int:
    def main(settings: Settings) -> None:
        from calor.server.processes import api

        api(settings, _address(arguments, settings.host, settings.port), arguments.wait)

    return start(arguments, main)


def run_api_cfn(arguments: argparse.Namespace) -> int:
    def main(settings: Settings) -> None:
        from calor.server.processes import api_cfn

        api_cfn(settings, _address(arguments, settings.cfn_host, settings.cfn_port), arguments.wait)

    return start(arguments, main)


def run_engine(arguments: argparse.Namespace) -> int:
    from calor.server.processes import engine

    return start(arguments, partial(engine, patience=arguments.wait))


def run_cloud(arguments: argparse.Namespace) -> int:
    def main(settings: Settings) -> None:
        from calor.server.processes import cloud

        cloud(settings, _address(arguments, settings.cloud_host, settings.cloud_port))

    return start(arguments, main)


def _address(arguments: argparse.Namespace, host: str, port: int) -> Address:
    from calor.server.settings import Address

    return Address(arguments.host or host, arguments.port or port)
