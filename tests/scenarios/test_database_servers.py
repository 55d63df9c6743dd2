"""A stack on each kind of database server: all scenarios run there in `make test-all`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import KINDS, server_of
from tests.support.databases import DatabaseServer
from tests.support.workbench import Workbench, probe, template


@pytest.fixture(params=list(KINDS))
def bench(request: pytest.FixtureRequest, database_servers: dict[str, DatabaseServer]) -> Iterator[Workbench]:
    made = Workbench(server_of(request.param, database_servers).prepared())
    yield made
    made.close()


def test_a_stack_is_created_updated_and_deleted(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("one"), "b": probe({"get_attr": ["a", "value"]})}))
    assert bench.wait(stack).state == "CREATE_COMPLETE"

    bench.update(stack, template({"a": probe("two")}))
    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert set(bench.resources(stack)) == {"a"}

    bench.delete(stack)
    assert bench.wait(stack).state == "DELETE_COMPLETE"
