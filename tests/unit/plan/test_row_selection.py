"""Selecting the current row of a resource."""

from __future__ import annotations

from dataclasses import dataclass

from calor.plan.row_selection import current, visible


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    action: str = "CREATE"
    status: str = "COMPLETE"
    created_at: float = 0.0
    replaced_by: str | None = None
    definition: str | None = "new"
    name: str = "a"


OLD = Row("old", created_at=1, replaced_by="young", definition="before")


def going_on_from(*rows: Row, target: str | None = None) -> str:
    return current(rows, target)["a"].id


def seen(*rows: Row) -> str:
    [row] = visible(rows)
    return row.id


def test_a_replacement_that_is_there_stands_for_the_resource() -> None:
    young = Row("young", created_at=2)
    assert going_on_from(OLD, young) == seen(OLD, young) == "young"


def test_a_failed_replacement_is_shown_but_actions_continue_from_the_replaced_resource() -> None:
    young = Row("young", status="FAILED", created_at=2)
    assert going_on_from(OLD, young) == "old"
    assert seen(OLD, young) == "young"


def test_on_the_way_back_what_still_follows_the_old_definition_is_preferred() -> None:
    young = Row("young", created_at=2)
    assert going_on_from(OLD, young, target="before") == "old"
    assert going_on_from(OLD, young, target="another") == "young"


def test_but_not_if_it_failed_or_is_being_deleted() -> None:
    young = Row("young", created_at=2)
    failed = Row("old", status="FAILED", created_at=1, replaced_by="young", definition="before")
    going = Row("old", action="DELETE", created_at=1, replaced_by="young", definition="before")
    assert going_on_from(failed, young, target="before") == "young"
    assert going_on_from(going, young, target="before") == "young"


def test_each_name_has_one() -> None:
    rows = [OLD, Row("young", created_at=2), Row("other", name="b")]
    assert {name: row.id for name, row in current(rows).items()} == {"a": "young", "b": "other"}
    assert [row.id for row in visible(rows)] == ["young", "other"]
