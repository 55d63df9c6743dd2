"""The database crashes and is restarted: nothing is lost, and requests fail with a message."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from calor.store.outages import is_transient
from tests.support.databases import DatabaseServer
from tests.support.workbench import Probe, Workbench, probe, template


class Unlucky(Probe, extends=True):
    """Meets a database that is away for a moment, the first time."""

    type_name = "Test::Unlucky"
    met: ClassVar[bool] = False

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        await ctx.sleep(0.01)
        if not cls.met:
            cls.met = True
            raise OperationalError("SELECT", {}, Exception(), connection_invalidated=True)
        cls.note(ctx, "create", props["value"])


def test_a_connection_that_is_lost_fails_no_resource(database_url: str) -> None:
    Unlucky.met = False
    bench = Workbench(database_url, [Unlucky])
    resources = {"unlucky": {"type": "Test::Unlucky"}, "beside": probe("1", seconds=0.2)}

    stack = bench.create(template(resources))

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert {row.state for row in bench.resources(stack).values()} == {"CREATE_COMPLETE"}
    assert [event for event in bench.events(stack) if event[1].endswith("FAILED")] == []
    bench.close()


def test_connections_that_are_ended_fail_no_stack(bench: Workbench) -> None:
    names = {f"r{number}" for number in range(4)}
    stacks = [
        bench.create(template({name: probe(name, seconds=0.05) for name in names}), name=f"s{number}")
        for number in range(12)
    ]
    beside = create_engine(bench.database.url, poolclass=NullPool)

    def all_ended() -> bool:
        end_connections(beside)
        time.sleep(0.02)
        return all(ended(bench, stack.id) for stack in stacks)

    bench.until(all_ended)

    assert {bench.wait(stack).state for stack in stacks} == {"CREATE_COMPLETE"}
    for stack in stacks:
        assert [event for event in bench.events(stack) if event[1].endswith("FAILED")] == []


def ended(bench: Workbench, id: str) -> bool:
    with contextlib.suppress(DBAPIError):
        return bench.stack(id).status != "IN_PROGRESS"
    return False


def end_connections(engine: Engine) -> None:
    """Ends all others, whatever they are doing."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )
            )
            return
        others = (
            "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"
        )
        for id in list(connection.execute(text(others)).scalars()):
            with contextlib.suppress(DBAPIError):
                connection.execute(text(f"KILL {int(id)}"))


@pytest.fixture
def bench(database_server: DatabaseServer) -> Iterator[Workbench]:
    made = Workbench(database_server.prepared(), waits=True)
    yield made
    made.close()


def test_a_run_continues_when_the_database_is_back(bench: Workbench, database_server: DatabaseServer) -> None:
    chain = {f"r{n}": probe(str(n), seconds=0.1, depends_on=[f"r{n - 1}"] if n else []) for n in range(12)}
    stack = bench.create(template(chain))
    bench.until(lambda: len(bench.resources(stack)) >= 3)

    database_server.kill()
    time.sleep(0.5)
    database_server.start()

    done = bench.wait(stack)
    assert done.state == "CREATE_COMPLETE", done.reason
    assert {row.state for row in bench.resources(stack).values()} == {"CREATE_COMPLETE"}


def test_new_work_is_found_after_the_database_was_away(
    bench: Workbench, database_server: DatabaseServer
) -> None:
    database_server.kill()
    time.sleep(1.5)
    database_server.start()

    assert bench.wait(bench.create(template({"a": probe("x")}))).state == "CREATE_COMPLETE"


def test_a_request_fails_while_the_database_is_down_and_the_next_one_succeeds(
    database_server: DatabaseServer,
) -> None:
    bench = Workbench(database_server.prepared())
    bench.stop()
    database_server.kill()
    try:
        with pytest.raises(DBAPIError) as reported:
            bench.roots()
        assert is_transient(reported.value)
    finally:
        database_server.start()

    assert bench.roots() == []
    bench.close()
