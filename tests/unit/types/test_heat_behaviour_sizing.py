"""The arithmetic of scaling: new sizes, batches, cooldown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calor.resources.outcomes import ResourceFailed
from calor.types.heat.groups.rolling_updates import (
    Rolling,
    check_pauses,
    named_stages,
    resized,
    scaled_stages,
)
from calor.types.heat.groups.sizes import Adjustment, Batch, Sizes, batches, cooling, with_cooldown

REFERENCE = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "vectors.json"

CHANGE, EXACT, PERCENT = "change_in_capacity", "exact_capacity", "percent_change_in_capacity"


@pytest.mark.skipif(not REFERENCE.is_file(), reason="Heat's computed values are not at hand")
class TestHeatsValues:
    def cases(self, name: str) -> list[dict[str, Any]]:
        cases: list[dict[str, Any]] = json.loads(REFERENCE.read_text("utf-8"))[name]
        assert cases
        return cases

    def test_sizes(self) -> None:
        for case in self.cases("capacity"):
            adjustment = Adjustment(case["adjustment"], case["type"], case["min_step"])
            sizes = Sizes(case["min"], case["max"], None)
            assert adjustment.applied(case["current"], sizes) == case["result"], case

    def test_batches(self) -> None:
        for case in self.cases("rolling_batches"):
            found = batches(case["target"], case["current"], case["batch"], case["min_in_service"])
            assert [[batch.size, batch.changes] for batch in found] == case["batches"], case


class TestAdjustment:
    @pytest.mark.parametrize(
        ("kind", "amount", "step", "size", "result"),
        [
            (CHANGE, 2, None, 3, 5),
            (CHANGE, -1, None, 3, 2),
            ("ChangeInCapacity", 1, None, 3, 4),
            (CHANGE, 100, None, 3, 10),
            (CHANGE, -100, None, 3, 1),
            (EXACT, 4, None, 9, 4),
            ("ExactCapacity", 0, None, 9, 1),
            (PERCENT, 100, None, 4, 8),
            (PERCENT, 10, None, 4, 5),
            (PERCENT, -10, None, 4, 3),
            (PERCENT, 45, None, 4, 5),
            (PERCENT, -45, None, 4, 3),
            ("PercentChangeInCapacity", 50, 3, 4, 7),
            (PERCENT, -50, 3, 8, 4),
            (PERCENT, 0, 3, 8, 8),
        ],
    )
    def test_new_size(self, kind: str, amount: float, step: int | None, size: int, result: int) -> None:
        assert Adjustment(amount, kind, step).applied(size, Sizes(1, 10, None)) == result

    def test_least_step_out_of_an_empty_group(self) -> None:
        assert Adjustment(50, PERCENT, 2).applied(0, Sizes(0, 10, None)) == 2
        assert Adjustment(50, PERCENT).applied(0, Sizes(0, 10, None)) == 0

    def test_is_reported_in_the_cooldown(self) -> None:
        assert str(Adjustment(1.0, CHANGE)) == "change_in_capacity : 1"


class TestSizes:
    def test_at_the_start(self) -> None:
        assert Sizes(1, 5, 3).at_start == 3
        assert Sizes(1, 5, None).at_start == 1

    def test_an_update_resets_to_what_is_wanted(self) -> None:
        assert Sizes(1, 5, 3).next(5) == 3
        assert Sizes(1, 5, None).next(4) == 4
        assert Sizes(1, 3, None).next(4) == 3
        assert Sizes(2, 3, None).next(0) == 2


class TestBatches:
    @pytest.mark.parametrize("target", [0, 1, 2, 3, 7])
    @pytest.mark.parametrize("present", [0, 1, 3, 8])
    @pytest.mark.parametrize("largest", [0, 1, 2, 10])
    @pytest.mark.parametrize("in_service", [0, 1, 3, 10])
    @pytest.mark.parametrize("extras_go", [False, True])
    def test_end_at_the_target_with_enough_in_service(
        self, target: int, present: int, largest: int, in_service: int, extras_go: bool
    ) -> None:
        found = list(batches(target, present, largest, in_service, extras_go=extras_go))

        size = present
        for batch in found:
            assert batch.changes <= max(largest, 1)
            assert batch.size - batch.changes >= min(in_service, target, size)
            size = batch.size
        assert size == target

    def test_extra_members_that_go_are_not_counted(self) -> None:
        assert list(batches(3, 3, 2, 2, extras_go=True)) == [Batch(4, 2), Batch(4, 2), Batch(3, 0)]


class TestPauses:
    def test_must_fit_into_the_timeout(self) -> None:
        check_pauses(3, 10, 21)
        check_pauses(300, 10, None)

        with pytest.raises(ResourceFailed):
            check_pauses(3, 10, 20)


class TestCooldown:
    def test_ends(self) -> None:
        metadata = with_cooldown({"mine": 1}, "why", 60, 1000.0)

        assert metadata["mine"] == 1
        assert list(metadata["cooldown_end"].values()) == ["why"]
        assert metadata["scaling_in_progress"] is False
        assert cooling(metadata, 1059.0)
        assert not cooling(metadata, 1060.0)

    def test_is_written_as_a_time_in_utc(self) -> None:
        assert list(with_cooldown({}, "why", 0, 0.0)["cooldown_end"]) == ["1970-01-01T00:00:00.000000"]

    def test_is_never_cut_short(self) -> None:
        metadata = with_cooldown(with_cooldown({}, "long", 60, 1000.0), "short", 1, 1000.0)

        assert cooling(metadata, 1059.0)
        assert list(metadata["cooldown_end"].values()) == ["short"]

    @pytest.mark.parametrize("metadata", [{}, {"cooldown_end": "soon"}, {"cooldown_end": {}}])
    def test_none(self, metadata: dict[str, Any]) -> None:
        assert not cooling(metadata, 0.0)


OLD, NEW = {"type": "old"}, {"type": "new"}


class TestResizing:
    def test_members_keep_names_and_definitions(self) -> None:
        grown = resized({"a": OLD, "b": OLD}, NEW, 3)

        (name,) = set(grown) - {"a", "b"}
        assert grown == {"a": OLD, "b": OLD, name: NEW}
        assert len(name) == 12
        assert name == name.lower()

    def test_the_first_go_first(self) -> None:
        assert list(resized({"a": OLD, "b": OLD, "c": OLD}, NEW, 1)) == ["c"]

    def test_the_first_are_changed_first_and_count_as_younger(self) -> None:
        changed = resized({"a": OLD, "b": OLD, "c": OLD}, NEW, 3, changes=2)

        assert list(changed.items()) == [("c", OLD), ("a", NEW), ("b", NEW)]

    def test_new_members_count_as_changes(self) -> None:
        changed = resized({"a": OLD, "b": OLD}, NEW, 3, changes=1)

        assert [changed["a"], changed["b"]] == [OLD, OLD]


def sketch(stage: Any) -> str:
    """The members of a stage: O for an old definition, N for a new one."""
    return "".join("N" if member == NEW else "O" for member in stage.template["resources"].values())


class TestScaledStages:
    def stages(self, **given: Any) -> list[Any]:
        values: dict[str, Any] = {"wanted": None, "size": 3, "rolling": None, "timeout": None, **given}
        return list(scaled_stages(dict.fromkeys("abc", OLD), NEW, **values))

    def test_without_rolling_only_new_members_are_new(self) -> None:
        assert [sketch(stage) for stage in self.stages(size=4)] == ["OOON"]

    def test_one_by_one(self) -> None:
        stages = self.stages(rolling=Rolling(0, 1, 5))

        assert [sketch(stage) for stage in stages] == ["OON", "ONN", "NNN"]
        assert [stage.pause for stage in stages] == [5, 5, 0]
        assert all(set(stage.template["resources"]) == set("abc") for stage in stages)

    def test_all_in_service(self) -> None:
        assert [sketch(stage) for stage in self.stages(rolling=Rolling(3, 3, 0))] == ["OOONNN", "NNN"]

    def test_some_in_service(self) -> None:
        assert [sketch(stage) for stage in self.stages(rolling=Rolling(2, 2, 0))] == ["OONN", "NNN"]

    def test_then_to_the_size(self) -> None:
        stages = self.stages(rolling=Rolling(0, 3, 5), size=5)

        assert [sketch(stage) for stage in stages] == ["NNN", "NNNNN"]
        assert [stage.pause for stage in stages] == [0, 0]

    def test_members_that_would_go_anyway_are_not_changed(self) -> None:
        stages = self.stages(rolling=Rolling(0, 1, 0), wanted=1, size=1)

        assert [sketch(stage) for stage in stages] == ["N"]

    def test_nothing_rolls_when_nothing_changes(self) -> None:
        stages = scaled_stages(dict.fromkeys("abc", NEW), NEW, None, 3, Rolling(0, 1, 99), 1)

        assert [sketch(stage) for stage in stages] == ["NNN"]


class TestNamedStages:
    def stages(self, present: str, target: int, rolling: Rolling | None) -> list[Any]:
        members = dict.fromkeys(present, OLD)
        names = [str(index) for index in range(10)]
        return list(
            named_stages(members, lambda name: NEW, lambda size: names[:size], target, rolling, timeout=None)
        )

    def test_at_once(self) -> None:
        assert [sketch(stage) for stage in self.stages("012", 3, None)] == ["NNN"]

    def test_from_the_last_to_the_first(self) -> None:
        stages = self.stages("012", 3, Rolling(0, 1, 5))

        assert [sketch(stage) for stage in stages] == ["OON", "ONN", "NNN"]
        assert [stage.pause for stage in stages] == [5, 5, 0]

    def test_extra_members_keep_others_in_service(self) -> None:
        stages = self.stages("012", 3, Rolling(3, 1, 0))

        assert [sketch(stage) for stage in stages] == ["OOON", "OONN", "ONNN", "NNNN", "NNN"]
        assert list(stages[0].template["resources"]) == ["0", "1", "2", "3"]

    def test_creation_in_batches(self) -> None:
        assert [sketch(stage) for stage in self.stages("", 5, Rolling(0, 2, 0))] == ["NN", "NNNN", "NNNNN"]

    def test_members_out_of_range_go_at_once(self) -> None:
        stages = self.stages("01239", 3, Rolling(0, 1, 0))

        assert "9" not in stages[0].template["resources"]
        assert sketch(stages[-1]) == "NNN"

    def test_empty(self) -> None:
        assert [sketch(stage) for stage in self.stages("012", 0, Rolling(0, 1, 0))] == [""]
