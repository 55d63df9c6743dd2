"""`heat-manage`: the verbs of Heat's command, for scripts that call it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from calor.cli import database
from calor.cli.stored import add_place_to, stored

if TYPE_CHECKING:
    from calor.service.queries.services import ServiceState


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="heat-manage", description="Heat's verbs for Calor's database. `calor db` has more."
    )
    add_place_to(parser)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)

    def verb(name: str, run: Any, help: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=help)
        # May stand before the verb, too.
        add_place_to(made, argparse.SUPPRESS)
        made.set_defaults(run=database.told(run))
        return made

    verb("db_version", run_version, "show the revision of the tables")
    sync = verb("db_sync", database.run_upgrade, "make the tables, or bring them up to date")
    sync.add_argument("version", nargs="?", help="ignored: the tables are always brought to the newest")
    database.add_purging_to(verb("purge_deleted", database.run_purge, "forget stacks deleted long ago"))
    service = verb("service", run_service, "list the engines, or forget those that are gone")
    service.add_argument("action", choices=("list", "clean"))
    data = verb("resource_data_list", run_data, "list what is kept with a resource")
    data.add_argument("resource_id")
    reset = verb("reset_stack_status", run_reset, "end what is under way on a stack, as failed")
    reset.add_argument("stack_id")
    params = verb("update_params", run_params, "see encrypt_parameters_and_properties")
    params.add_argument("action", choices=("encrypt", "decrypt"))
    verb("migrate_properties_data", run_nothing, "nothing to do: the data have one form")
    convergence = verb("migrate_convergence_1", run_nothing, "nothing to do: there is one engine")
    convergence.add_argument("-s", "--stack_id")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    arguments = build_parser().parse_args(argv)
    code: int = arguments.run(arguments)
    return code


def run_version(arguments: argparse.Namespace) -> int:
    from calor.store import schema

    print(schema.revision(stored(arguments).connect()) or "none")
    return 0


def run_service(arguments: argparse.Namespace) -> int:
    from calor.service.queries.services import Services
    from calor.store import tables
    from calor.store.database import reading

    place = stored(arguments)
    engine = place.connect()
    services = Services(reading(engine), time.time, place.is_dead).all()
    if arguments.action == "list":
        for line in _table(services):
            print(line)
        return 0
    gone = [one.service.id for one in services if not one.is_up]
    with engine.begin() as connection:
        connection.execute(tables.service.delete().where(tables.service.c.id.in_(gone)))
    print(f"forgot {len(gone)} of {len(services)}")
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
    from sqlalchemy import select

    from calor.store import tables
    from calor.store.database import reading

    place = stored(arguments)
    query = select(tables.resource.c.data).where(tables.resource.c.id == arguments.resource_id)
    with reading(place.connect(place.cipher)).connect() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        print(f"heat-manage: there is no resource {arguments.resource_id}", file=sys.stderr)
        return 1
    for name, value in (row.data or {}).items():
        # The others are the engine's own.
        if not name.startswith("_"):
            print(f"{name} = {value}")
    return 0


def run_reset(arguments: argparse.Namespace) -> int:
    from calor.service.resetting import reset

    print(
        "What is under way on the stack is given up where it is, and the stack and its resources become FAILED."
    )
    if input("Continue? (yes/no) ").strip().lower() != "yes":
        return 1
    place = stored(arguments)
    if not reset(place.connect(place.cipher), arguments.stack_id):
        print(
            f"heat-manage: there is no stack {arguments.stack_id} with something under way", file=sys.stderr
        )
        return 1
    return 0


def run_params(arguments: argparse.Namespace) -> int:
    print(
        "Nothing was changed. Stacks with hidden parameters are always encrypted; with "
        "encrypt_parameters_and_properties all are, each from its next update on."
    )
    return 0


def run_nothing(arguments: argparse.Namespace) -> int:
    print("There is nothing to do.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
