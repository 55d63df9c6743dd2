"""The engine touches only users that it has made itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from calor.service.commands import NewStack
from calor.store import database, records, tables
from tests.support.workbench import CALLER, Workbench

VICTIM = "calors-own-service-user"
TYPES = {
    "OS::Heat::WaitConditionHandle": {"signal_transport": "CFN_SIGNAL"},
    "AWS::CloudFormation::WaitConditionHandle": {},
    "AWS::IAM::User": {},
    "OS::Heat::ScalingPolicy": {
        "auto_scaling_group_id": "g",
        "scaling_adjustment": 1,
        "adjustment_type": "change_in_capacity",
    },
    "OS::Heat::HARestarter": {"InstanceId": "i"},
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(f"sqlite:///{tmp_path}/calor.db")
    yield made
    made.close()


@pytest.fixture
def touched(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The users that the engine has enabled, disabled or deleted."""
    found: list[str] = []
    bench.accounts.users.add(VICTIM)
    monkeypatch.setattr(bench.accounts, "enable_user", lambda user, enabled: found.append(user))
    monkeypatch.setattr(bench.accounts, "delete_user", found.append)
    return found


def adopted(bench: Workbench, type_name: str, **left: Any) -> records.Stack:
    resource = {"type": type_name, "properties": TYPES[type_name]}
    template = {"heat_template_version": "2021-04-16", "resources": {"r": resource}}
    data = {"resource_id": VICTIM, "resource_data": {"user_id": VICTIM}, **left}
    new = NewStack("t", {"template": template})
    return bench.wait(bench.commands.transfers.adopt(CALLER, new, {"resources": {"r": data}}))


@pytest.mark.parametrize("type_name", TYPES)
def test_an_adopted_resource_has_a_user_of_its_own(
    bench: Workbench, touched: list[str], type_name: str
) -> None:
    stack = adopted(bench, type_name)
    for verb in ("suspend", "resume"):
        bench.commands.stacks.act(CALLER, bench.stack(stack.id), verb)
        assert bench.wait(stack).status == "COMPLETE"
    bench.delete(stack)
    assert bench.wait(stack).state == "DELETE_COMPLETE"

    assert VICTIM not in touched
    assert len(set(touched)) == 1


def test_an_id_in_a_row_is_not_a_record_of_a_user(bench: Workbench, touched: list[str]) -> None:
    """As it may be in the database from before such ids were refused."""
    stack = adopted(bench, "OS::Heat::WaitConditionHandle")
    bench.stop()
    own = set(touched)
    with database.reading(bench.database).connect() as connection:
        row = connection.execute(select(tables.resource)).one()
    left = {name: value for name, value in row.data.items() if name != "_user"}
    with bench.database.begin() as connection:
        connection.execute(tables.resource.update().values(data={**left, "user_id": VICTIM}))
    accounts = bench.accounts
    bench.start()
    bench.accounts.delete_user = accounts.delete_user  # type: ignore[method-assign]
    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert set(touched) == own


def test_the_data_of_signals_stays_with_a_handle(bench: Workbench) -> None:
    stack = adopted(bench, "OS::Heat::WaitConditionHandle", metadata={"1": {"status": "SUCCESS"}})

    assert bench.resources(stack)["r"].metadata == {"1": {"status": "SUCCESS"}}
