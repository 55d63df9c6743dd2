"""The database is ended as by a loss of power, and started again. Nothing is lost; whoever asks meanwhile is told."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from database_servers import DatabaseServer
from sqlalchemy.exc import DBAPIError
from workbench import Workbench, probe, template

from calor.store.outages import is_passing


@pytest.fixture
def bench(database_server: DatabaseServer) -> Iterator[Workbench]:
    made = Workbench(database_server.prepared(), waits=True)
    yield made
    made.close()


def test_a_run_goes_on_when_the_database_is_back(bench: Workbench, database_server: DatabaseServer) -> None:
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


def test_a_request_is_told_that_the_database_is_away_and_the_next_one_is_answered(
    database_server: DatabaseServer,
) -> None:
    bench = Workbench(database_server.prepared())
    bench.stop()
    database_server.kill()
    try:
        with pytest.raises(DBAPIError) as told:
            bench.roots()
        assert is_passing(told.value)
    finally:
        database_server.start()

    assert bench.roots() == []
    bench.close()
