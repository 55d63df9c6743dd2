"""`heat-manage`: the subcommands of Heat's command, for existing scripts."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from calor.cli import database
from calor.cli.database_access import add_database_options_to, select_database

if TYPE_CHECKING:
    from calor.service.queries.services import ServiceState


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="heat-manage", description="Heat's subcommands for Calor's database. `calor db` has more."
    )
    add_database_options_to(parser)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)

    def verb(name: str, run: Any, help: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=help)
        # The options may also come before the verb.
        add_database_options_to(made, argparse.SUPPRESS)
        made.set_defaults(run=database.reporting(run))
        return made

    verb("db_version", run_version, "show the revision of the tables")
    sync = verb("db_sync", database.run_upgrade, "create the tables, or upgrade them")
    sync.add_argument(
        "version", nargs="?", help="ignored: the tables are always upgraded to the newest revision"
    )
    database.add_purging_to(
        verb("purge_deleted", database.run_purge, "purge stacks that were deleted long ago")
    )
    service = verb("service", run_service, "list the engines, or remove those that have ended")
    service.add_argument("action", choices=("list", "clean"))
    data = verb("resource_data_list", run_data, "list the data of a resource")
    data.add_argument("resource_id")
    reset = verb("reset_stack_status", run_reset, "reset a stack that is in progress to failed")
    reset.add_argument("stack_id")
    params = verb("update_params", run_params, "see encrypt_parameters_and_properties")
    params.add_argument("action", choices=("encrypt", "decrypt"))
    verb("migrate_properties_data", run_nothing, "nothing to do: there is only one format")
    convergence = verb("migrate_convergence_1", run_nothing, "nothing to do: there is only one engine")
    convergence.add_argument("-s", "--stack_id")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    arguments = build_parser().parse_args(argv)
    code: int = arguments.run(arguments)
    return code


def run_version(arguments: argparse.Namespace) -> int:
    from calor.store import schema

    print(schema.revision(select_database(arguments).connect()) or "none")
    return 0


def run_service(arguments: argparse.Namespace) -> int:
    from calor.service.queries.services import Services
    from calor.store import engines
    from calor.store.database import reading

    database = select_database(arguments)
    engine = database.connect()
    services = Services(reading(engine), time.time, database.is_dead).all()
    if arguments.action == "list":
        for line in _table(services):
            print(line)
        return 0
    gone = [one.service.id for one in services if not one.is_up]
    with engine.begin() as connection:
        engines.delete(connection, gone)
    print(f"removed {len(gone)} of {len(services)}")
    return 0


def _table(services: Sequence[ServiceState]) -> list[str]:
    lines = [("Hostname", "Binary", "Engine ID", "Host", "Topic", "Status", "Updated at")]
    for one in services:
        known = one.service
        seen = datetime.fromtimestamp(known.updated_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = "up" if one.is_up else "down"
        lines.append((known.hostname, known.binary, known.engine, known.host, known.topic, status, seen))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]


def run_data(arguments: argparse.Namespace) -> int:
    from calor.store import resources
    from calor.store.database import reading

    database = select_database(arguments)
    with reading(database.connect(database.cipher)).connect() as connection:
        data = resources.get_data(connection, arguments.resource_id)
    if data is None:
        print(f"heat-manage: there is no resource {arguments.resource_id}", file=sys.stderr)
        return 1
    for name, value in data.items():
        # The others are internal to the engine.
        if not name.startswith("_"):
            print(f"{name} = {value}")
    return 0


def run_reset(arguments: argparse.Namespace) -> int:
    from calor.service.reset import reset

    print("The action on the stack is aborted, and the stack and its resources in progress become FAILED.")
    if input("Continue? (yes/no) ").strip().lower() != "yes":
        return 1
    database = select_database(arguments)
    if not reset(database.connect(database.cipher), arguments.stack_id):
        print(f"heat-manage: there is no stack {arguments.stack_id} in progress", file=sys.stderr)
        return 1
    return 0


def run_params(arguments: argparse.Namespace) -> int:
    print(
        "Nothing was changed. Stacks with hidden parameters are always encrypted; with "
        "encrypt_parameters_and_properties, other stacks are encrypted by their next update."
    )
    return 0


def run_nothing(arguments: argparse.Namespace) -> int:
    print("There is nothing to do.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
