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

    from calor.store.cipher import Cipher
    from calor.store.records import Service

AGE = 90
GRANULARITIES = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def add_to(commands: Any) -> None:
    parser = commands.add_parser("db", help="make, upgrade and clean the database")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    upgrade = verbs.add_parser("upgrade", help="make the tables, or bring them up to date")
    check = verbs.add_parser("check", help="tell whether the database can be used as it is")
    purge = verbs.add_parser("purge-deleted", help="forget stacks that were deleted long ago")
    add_purging_to(purge)
    rotate = verbs.add_parser("rotate-key", help="encrypt again, with a new key, what is encrypted")
    rotate.add_argument(
        "--old-keys",
        metavar="FILE",
        help="keys from before, one per line, that are neither configured nor in the state directory",
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
    old = _old_keys(arguments.old_keys) if arguments.old_keys else ()
    with _unnoticed(place, engine) if len(place.keys) > 1 and not old else _alone(place, engine):
        return _rotated(place, old, engine)


def _old_keys(file: str) -> tuple[bytes, ...]:
    from pathlib import Path

    from calor.config.keys import UnusableKey, old_keys

    try:
        return old_keys(Path(file).read_text())
    except (OSError, UnicodeDecodeError, UnusableKey) as error:
        raise NotAtHand(f"--old-keys {file}: {error}") from None


@contextmanager
def _unnoticed(place: Stored, engine: Engine) -> Iterator[None]:
    """Servers that know all keys may run meanwhile. Raises NotAtHand if an engine was started before the keys were
    changed: it would not be able to read what is encrypted with the new key."""
    for one in _running_engines(place, engine):
        if one.created_at < place.keys_changed_at:
            raise NotAtHand(
                f"the engine on {one.host} was started before the keys were last changed; restart it, and all other "
                "engines and APIs, first"
            )
    yield


@contextmanager
def _alone(place: Stored, engine: Engine) -> Iterator[None]:
    """Sees to it that no server runs: one that does has read its keys already. Raises NotAtHand."""
    from calor.server.holding import StateDirTaken, hold_keys

    try:
        held = hold_keys(place.key_file.parent)
    except StateDirTaken as error:
        raise NotAtHand(f"{error}; stop it first, or see `Keys` in docs/operating.md") from None
    with held:
        for one in _running_engines(place, engine):
            left = one.updated_at + 2 * one.report_interval - time.time()
            raise NotAtHand(
                f"an engine on {one.host} works with the database; stop it first or, if it was killed, "
                f"wait {left:.0f} seconds"
            )
        yield


def _running_engines(place: Stored, engine: Engine) -> list[Service]:
    from calor.service.queries.services import Services
    from calor.store.database import reading

    return [one.service for one in Services(reading(engine), time.time, place.is_dead).all() if one.is_up]


def _check_readable(place: Stored, cipher: Cipher) -> None:
    """Raises WrongKey if the database was encrypted with a key that nobody has named."""
    from calor.store import database

    engine = place.connect(cipher)
    try:
        database.seal_of(engine)
    finally:
        engine.dispose()


def _rotated(place: Stored, old: tuple[bytes, ...], engine: Engine) -> int:
    """Can be stopped and started again, as the keys from before are kept until all is done."""
    from calor.server.secrets import write_private
    from calor.store.cipher import Cipher
    from calor.store.rotation import rotate

    keys = (*place.keys, *old)
    if not keys:
        raise NotAtHand(f"there is no key in {place.key_file}, and none is configured")
    if not place.configured_keys:
        if len(keys) == 1:
            keys = (Cipher.new_key(), *keys)
        write_private(place.key_file, b"\n".join(keys).decode())
    _check_readable(place, Cipher(*keys))
    new, *others = keys
    changed = rotate(engine, others, new) if others else 0
    if not place.configured_keys:
        write_private(place.key_file, new.decode())
    print(f"encrypted {changed} {'row' if changed == 1 else 'rows'} again")
    return 0
