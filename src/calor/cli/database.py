"""`calor db`: the tables, what is old in them, and the key that encrypts them."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from calor.cli.stored import NotAtHand, Stored, add_place_to, stored

if TYPE_CHECKING:
    from sqlalchemy import Engine

AGE = 90
GRANULARITIES = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def add_to(commands: Any) -> None:
    parser = commands.add_parser("db", help="make, upgrade and clean the database")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    upgrade = verbs.add_parser("upgrade", help="make the tables, or bring them up to date")
    check = verbs.add_parser("check", help="tell whether the database can be used as it is")
    purge = verbs.add_parser("purge-deleted", help="forget stacks that were deleted long ago")
    add_purging_to(purge)
    rotate = verbs.add_parser("rotate-key", help="encrypt what is encrypted with another key")
    rotate.add_argument(
        "--old-keys", metavar="FILE", help="keys from before, one a line, where the key in use is configured"
    )
    for verb, run in ((upgrade, run_upgrade), (check, run_check), (purge, run_purge), (rotate, run_rotate)):
        add_place_to(verb)
        verb.set_defaults(run=told(run))


def add_purging_to(command: argparse.ArgumentParser) -> None:
    command.add_argument("age", nargs="?", type=_age, default=AGE, help=f"how long ago at least; {AGE}")
    command.add_argument("-g", "--granularity", choices=GRANULARITIES, default="days", help="of the age")
    command.add_argument("-p", "--project-id", metavar="PROJECT", help="only stacks of this project")
    command.add_argument("-b", "--batch-size", type=_size, default=1000, help="rows to delete at once")


def _age(text: str) -> float:
    age = float(text)
    if not 0 <= age < float("inf"):
        raise argparse.ArgumentTypeError("an age is not negative")
    return age


def _size(text: str) -> int:
    size = int(text)
    if size < 1:
        raise argparse.ArgumentTypeError("a batch has a row at least")
    return size


def told(work: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The command, which tells in one line what keeps it from working."""

    def run(arguments: argparse.Namespace) -> int:
        from sqlalchemy.exc import SQLAlchemyError

        from calor.store.cipher import WrongKey
        from calor.store.schema import Unusable

        try:
            return work(arguments)
        except (NotAtHand, Unusable, WrongKey) as error:
            print(f"calor: {error}", file=sys.stderr)
        except SQLAlchemyError as error:
            reason = str(error).partition("\n")[0]
            print(f"calor: the database cannot be used: {reason}", file=sys.stderr)
        return 1

    return run


def run_upgrade(arguments: argparse.Namespace) -> int:
    from calor.store import schema

    before = schema.upgrade(stored(arguments).connect())
    if before is None:
        print(f"made the tables of revision {schema.HEAD}")
    elif before == schema.HEAD:
        print(f"up to date at revision {before}")
    else:
        print(f"upgraded from revision {before} to {schema.HEAD}")
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    from calor.store import database, schema

    place = stored(arguments)
    engine = place.connect(place.cipher)
    schema.check(engine)
    database.seal_of(engine)
    print(f"up to date at revision {schema.HEAD}")
    return 0


def run_purge(arguments: argparse.Namespace) -> int:
    from calor.engine.cleaning import Cleaner, Keeping
    from calor.store import schema

    place = stored(arguments)
    engine = place.connect(place.cipher)
    schema.check(engine)
    keeping = Keeping(
        deleted_stack_age=arguments.age * GRANULARITIES[arguments.granularity],
        project=arguments.project_id,
        batch=arguments.batch_size,
    )
    # What was deleted a moment ago is older than nothing.
    Cleaner(engine, keeping, clock=lambda: time.time() + 0.001).clean()
    return 0


def run_rotate(arguments: argparse.Namespace) -> int:
    from calor.store import schema

    place = stored(arguments)
    engine = place.connect()
    schema.check(engine)
    with _alone(place, engine):
        return _rotated(arguments, place, engine)


@contextmanager
def _alone(place: Stored, engine: Engine) -> Iterator[None]:
    """Sees to it that no server runs: one that does has read its keys already. Raises NotAtHand."""
    from calor.server.holding import StateDirTaken, hold_alone
    from calor.service.queries.services import Services
    from calor.store.database import reading

    try:
        hold, _ = hold_alone(place.key_file.parent)
    except StateDirTaken as error:
        raise NotAtHand(f"{error}; stop it first") from None
    try:
        for one in Services(reading(engine), time.time).all():
            if one.is_up:
                left = one.service.updated_at + 2 * one.service.report_interval - time.time()
                raise NotAtHand(
                    f"an engine on {one.service.host} works with the database; stop it first or, if it was killed, "
                    f"wait {left:.0f} seconds"
                )
        yield
    finally:
        hold.truncate(0)
        hold.close()


def _rotated(arguments: argparse.Namespace, place: Stored, engine: Engine) -> int:
    """Can be stopped and started again, as the keys from before are kept until all is done."""
    from pathlib import Path

    from calor.server.secrets import write_private
    from calor.store.cipher import Cipher
    from calor.store.rotation import rotate

    keys = place.keys
    if arguments.old_keys:
        keys += tuple(Path(arguments.old_keys).read_bytes().split())
    if not keys:
        raise NotAtHand(f"there is no key in {place.key_file}, and none is configured")
    if place.configured_key is None:
        if len(keys) == 1:
            keys = (Cipher.new_key(), *keys)
        write_private(place.key_file, b"\n".join(keys).decode())
    new, *old = keys
    changed = sum(rotate(engine, key, new) for key in old)
    if place.configured_key is None:
        write_private(place.key_file, new.decode())
    print(f"encrypted {changed} rows anew")
    return 0
