"""`calor db`: creates, upgrades and purges the database, and rotates its key."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from calor.cli.database_access import DatabaseAccess, NotAvailable, add_database_options_to, select_database

if TYPE_CHECKING:
    from calor.store.cipher import Cipher
    from calor.store.database import Database
    from calor.store.records import Service

AGE = 90
GRANULARITIES = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def add_to(commands: Any) -> None:
    parser = commands.add_parser("db", help="create, upgrade and clean up the database")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    upgrade = verbs.add_parser("upgrade", help="create the tables, or upgrade them")
    check = verbs.add_parser("check", help="check whether the database is up to date")
    purge = verbs.add_parser("purge-deleted", help="purge stacks that were deleted long ago")
    add_purging_to(purge)
    rotate = verbs.add_parser("rotate-key", help="encrypt the database with a new key")
    rotate.add_argument(
        "--old-keys",
        metavar="FILE",
        help="old keys, one per line, that are neither configured nor in the state directory",
    )
    for verb, run in ((upgrade, run_upgrade), (check, run_check), (purge, run_purge), (rotate, run_rotate)):
        add_database_options_to(verb)
        verb.set_defaults(run=reporting(run))


def add_purging_to(command: argparse.ArgumentParser) -> None:
    command.add_argument("age", nargs="?", type=_age, default=AGE, help=f"the minimal age; default: {AGE}")
    command.add_argument(
        "-g", "--granularity", choices=GRANULARITIES, default="days", help="the unit of the age"
    )
    command.add_argument("-p", "--project-id", metavar="PROJECT", help="only stacks of this project")
    command.add_argument(
        "-b", "--batch-size", type=_size, default=1000, help="how many rows to delete at a time"
    )


def _age(text: str) -> float:
    age = float(text)
    if not 0 <= age < float("inf"):
        raise argparse.ArgumentTypeError("the age cannot be negative")
    return age


def _size(text: str) -> int:
    size = int(text)
    if size < 1:
        raise argparse.ArgumentTypeError("a batch has at least one row")
    return size


def reporting(work: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Wraps a command so that its errors are reported in one line."""

    def run(arguments: argparse.Namespace) -> int:
        from calor.store.cipher import WrongKey
        from calor.store.errors import DatabaseError
        from calor.store.schema import Unusable

        try:
            return work(arguments)
        except (NotAvailable, Unusable, WrongKey) as error:
            print(f"calor: {error}", file=sys.stderr)
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            print(f"calor: the database cannot be used: {reason}", file=sys.stderr)
        return 1

    return run


def run_upgrade(arguments: argparse.Namespace) -> int:
    from calor.store import schema

    before = schema.upgrade(select_database(arguments).connect())
    if before is None:
        print(f"created the tables of revision {schema.HEAD}")
    elif before == schema.HEAD:
        print(f"up to date at revision {before}")
    else:
        print(f"upgraded from revision {before} to {schema.HEAD}")
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    from calor.store import database, schema

    access = select_database(arguments)
    engine = access.connect(access.cipher)
    schema.check(engine)
    database.seal_of(engine)
    print(f"up to date at revision {schema.HEAD}")
    return 0


def run_purge(arguments: argparse.Namespace) -> int:
    from calor.store import schema
    from calor.store.purging import Cleaner, Retention

    access = select_database(arguments)
    engine = access.connect(access.cipher)
    schema.check(engine)
    retention = Retention(
        deleted_stack_age=arguments.age * GRANULARITIES[arguments.granularity],
        project=arguments.project_id,
        batch=arguments.batch_size,
    )
    # With an age of 0, everything that is deleted is purged.
    Cleaner(engine, retention, clock=lambda: time.time() + 0.001).clean()
    return 0


def run_rotate(arguments: argparse.Namespace) -> int:
    from calor.store import schema

    access = select_database(arguments)
    engine = access.connect()
    schema.check(engine)
    old = _old_keys(arguments.old_keys) if arguments.old_keys else ()
    with (
        _while_running(access, engine) if len(access.keys) > 1 and not old else _while_stopped(access, engine)
    ):
        return _rotated(access, old, engine)


def _old_keys(file: str) -> tuple[bytes, ...]:
    from pathlib import Path

    from calor.config.keys import UnusableKey, old_keys

    try:
        return old_keys(Path(file).read_text())
    except (OSError, UnicodeDecodeError, UnusableKey) as error:
        raise NotAvailable(f"--old-keys {file}: {error}") from None


@contextmanager
def _while_running(access: DatabaseAccess, engine: Database) -> Iterator[None]:
    """Servers that have all keys may keep running. Raises NotAvailable if an engine was started before the keys were
    changed: it could not decrypt with the new key."""
    for one in _running_engines(access, engine):
        if one.created_at < access.keys_changed_at:
            raise NotAvailable(
                f"the engine on {one.host} was started before the keys were last changed; restart it, and all other "
                "engines and APIs, first"
            )
    yield


@contextmanager
def _while_stopped(access: DatabaseAccess, engine: Database) -> Iterator[None]:
    """Checks that no server is running, since it would have read its keys already. Raises NotAvailable."""
    from calor.server.locks import StateDirInUse, lock_keys

    try:
        held = lock_keys(access.key_file.parent)
    except StateDirInUse as error:
        raise NotAvailable(f"{error}; stop it first, or see `Keys` in docs/operating.md") from None
    with held:
        for one in _running_engines(access, engine):
            left = one.updated_at + 2 * one.report_interval - time.time()
            raise NotAvailable(
                f"an engine on {one.host} uses the database; stop it first or, if it was killed, "
                f"wait {left:.0f} seconds"
            )
        yield


def _running_engines(access: DatabaseAccess, engine: Database) -> list[Service]:
    from calor.service.queries.services import Services
    from calor.store.database import reading

    return [one.service for one in Services(reading(engine), time.time, access.is_dead).all() if one.is_up]


def _check_readable(access: DatabaseAccess, cipher: Cipher) -> None:
    """Raises WrongKey if the database was encrypted with a key that is not known."""
    from calor.store import database

    engine = access.connect(cipher)
    try:
        database.seal_of(engine)
    finally:
        engine.dispose()


def _rotated(access: DatabaseAccess, old: tuple[bytes, ...], engine: Database) -> int:
    """Can be interrupted and repeated: old keys are kept until everything is re-encrypted."""
    from calor.config.keys import format_key_file
    from calor.server.secrets import write_private
    from calor.store.cipher import Cipher
    from calor.store.rotation import rotate

    keys = (*access.keys, *old)
    if not keys:
        raise NotAvailable(f"there is no key in {access.key_file}, and none is configured")
    if not access.configured_keys:
        if len(keys) == 1:
            keys = (Cipher.new_key(), *keys)
        write_private(access.key_file, format_key_file(*keys))
    _check_readable(access, Cipher(*keys))
    new, *others = keys
    changed = rotate(engine, others, new) if others else 0
    if not access.configured_keys:
        write_private(access.key_file, format_key_file(new))
    print(f"re-encrypted {changed} {'row' if changed == 1 else 'rows'}")
    return 0
