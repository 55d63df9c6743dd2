"""Decisions about resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from calor.language.schema import Property
from calor.language.values import Secret, Unknown, definitely_differs
from calor.plan.decision import decide, decide_with_nested_stack
from calor.plan.kinds import Decision, Kind
from calor.plan.states import Present, Wanted
from calor.resources.contract import ResourceType


class Plain(ResourceType):
    type_name = "Test::Plain"
    properties = {
        "size": Property(int, update_allowed=True),
        "colour": Property(str, update_allowed=True),
        "place": Property(str),
        "serial": Property(str, update_allowed=True, immutable=True),
    }

    @classmethod
    def update(cls, ctx: Any, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        """Nothing has to be done."""


class Unchangeable(ResourceType):
    type_name = "Test::Unchangeable"
    properties = Plain.properties


class Choosy(Plain):
    """Grows in place, but does not shrink."""

    type_name = "Test::Choosy"

    @classmethod
    def needs_replacement(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> bool:
        return "size" in changed and bool(after["size"] < before["size"])


class Paired(Plain):
    """Changes one thing at a time."""

    type_name = "Test::Paired"

    @classmethod
    def needs_replacement(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> bool:
        return len(changed) > 1


class Growing(Plain):
    """Never shrinks."""

    type_name = "Test::Growing"

    @classmethod
    def refusal(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> str | None:
        size = after["size"]
        return "It cannot shrink." if isinstance(size, int) and size < before["size"] else None


class Moody(Plain):
    type_name = "Test::Moody"
    may_need_replacement = True


class Distant(Plain):
    type_name = "Test::Distant"
    update_when_unchanged = True


class Fleeting(Plain):
    type_name = "Test::Fleeting"
    always_replaced = True


class Sturdy(Plain):
    type_name = "Test::Sturdy"

    @classmethod
    async def is_healthy(cls, ctx: Any) -> bool:
        return True


class Reclaimable(Plain):
    @classmethod
    async def revert_replace(cls, ctx: Any) -> None: ...


class Renewed(Plain):
    type_name = "Test::Renewed"

    @classmethod
    def is_always_replaced(cls, props: Mapping[str, Any]) -> bool:
        return bool(props["colour"] == "red")


class Group(Plain):
    type_name = "Test::Group"
    nested_stack = True
    stack_template = None


PROPERTIES = {"size": 1, "colour": "red", "place": "here", "serial": "s"}


def present(kind: type[ResourceType] = Plain, state: str = "CREATE_COMPLETE", **more: Any) -> Present:
    action, status = state.split("_", 1)
    given = {"metadata": {}, "update_policy": {}, "implementation": kind.type_name, **more}
    return Present(kind.type_name, action, status, PROPERTIES, **given)


def wanted(kind: type[ResourceType] = Plain, **changes: Any) -> Wanted:
    others = {
        name: changes.pop(name)
        for name in ("metadata", "update_policy", "restricted", "external_id", "adopting")
        if name in changes
    }
    given = {"metadata": {}, "update_policy": {}, **others}
    return Wanted(kind.type_name, kind, {**PROPERTIES, **changes}, **given)


def kinds(decision: Decision) -> set[Kind]:
    return set(decision.possible) or {decision.kind}


class TestWhatIsThere:
    @pytest.mark.parametrize("state", ["INIT_COMPLETE", "DELETE_COMPLETE"])
    def test_a_resource_that_does_not_exist_is_created(self, state: str) -> None:
        assert decide(present(state=state), wanted()).kind is Kind.CREATE

    def test_an_interrupted_creation_is_resumed_and_shown_as_creation(self) -> None:
        decision = decide(present(state="CREATE_IN_PROGRESS"), wanted())
        assert decision.kind is Kind.RESUME
        assert decision.foreseen.kind is Kind.CREATE

    def test_a_resource_of_a_stack_that_adopts_is_adopted(self) -> None:
        decision = decide(None, wanted(adopting=True))
        assert (decision.kind, decision.foreseen.kind) == (Kind.ADOPT, Kind.CREATE)
        assert decide(present(state="ADOPT_IN_PROGRESS"), wanted()).kind is Kind.ADOPT

    def test_an_external_resource_is_referred_to(self) -> None:
        decision = decide(None, wanted(external_id="x"))
        assert (decision.kind, decision.foreseen.kind) == (Kind.REFER, Kind.CREATE)
        interrupted = decide(present(state="CHECK_IN_PROGRESS", external_id="x"), wanted(external_id="x"))
        assert (interrupted.kind, interrupted.foreseen.kind) == (Kind.REFER, Kind.KEEP)

    def test_a_resource_that_was_to_be_replaced_is_reclaimed_if_its_type_can(self) -> None:
        decision = decide(present(Reclaimable, replaced=True), wanted(Reclaimable))
        assert (decision.kind, decision.foreseen.kind) == (Kind.RECLAIM, Kind.KEEP)
        assert decide(present(Reclaimable, replaced=True), wanted(Reclaimable, place="there")).replaces
        assert decide(present(replaced=True), wanted()).kind is Kind.KEEP

    def test_what_was_never_begun_is_created(self) -> None:
        assert decide(None, wanted()).kind is Kind.CREATE

    @pytest.mark.parametrize(
        "state", ["CREATE_FAILED", "UPDATE_FAILED", "CHECK_FAILED", "DELETE_FAILED", "DELETE_IN_PROGRESS"]
    )
    def test_what_failed_or_is_being_deleted_is_replaced(self, state: str) -> None:
        decision = decide(present(state=state), wanted())
        assert (decision.kind, decision.reason) == (Kind.REPLACE, f"it is in state {state}")

    def test_a_failed_stack_mends_itself(self) -> None:
        assert decide(present(Group, "UPDATE_FAILED"), wanted(Group)).kind is Kind.UPDATE

    def test_a_failed_resource_is_kept_if_it_turns_out_to_be_well(self) -> None:
        for state in ("CREATE_FAILED", "UPDATE_FAILED", "SUSPEND_FAILED"):
            decision = decide(present(Sturdy, state), wanted(Sturdy))
            assert (decision.kind, decision.possible) == (Kind.RECOVER, {Kind.UPDATE, Kind.REPLACE})
            assert decision.foreseen.kind is Kind.UNDECIDED
        assert decide(present(Sturdy, "UPDATE_FAILED"), wanted(Sturdy, size=2)).changed == {"size"}

    def test_what_a_check_or_a_user_marks_unhealthy_is_replaced(self) -> None:
        assert decide(present(Sturdy, "CHECK_FAILED"), wanted(Sturdy)).kind is Kind.REPLACE
        assert decide(present(Sturdy, "UPDATE_FAILED", unhealthy=True), wanted(Sturdy)).kind is Kind.REPLACE

    def test_a_failed_resource_that_cannot_be_changed_so_is_replaced(self) -> None:
        assert decide(present(Sturdy, "UPDATE_FAILED"), wanted(Sturdy, place="there")).kind is Kind.REPLACE

    def test_an_interrupted_update_is_done_again(self) -> None:
        assert decide(present(state="UPDATE_IN_PROGRESS"), wanted()).kind is Kind.UPDATE


class TestTypes:
    def test_another_type_replaces(self) -> None:
        decision = decide(present(), wanted(Choosy))
        assert decision.kind is Kind.REPLACE
        assert decision.reason == "its type changes from Test::Plain to Test::Choosy"

    def test_another_name_for_the_same_type_does_not(self) -> None:
        assert decide(present(Choosy, implementation="Test::Plain"), wanted()).kind is Kind.KEEP

    def test_the_same_name_for_another_type_does(self) -> None:
        assert decide(present(implementation="template"), wanted()).kind is Kind.REPLACE

    def test_the_declared_successor_of_a_type_takes_its_resources_over(self) -> None:
        assert decide(present(substitute="Test::Choosy"), wanted(Choosy)).kind is Kind.KEEP
        assert decide(present(Choosy), wanted()).kind is Kind.REPLACE

    def test_some_types_are_replaced_by_every_update(self) -> None:
        assert decide(present(Fleeting), wanted(Fleeting)).kind is Kind.REPLACE

    def test_some_properties_have_a_resource_replaced_by_every_update(self) -> None:
        assert decide(present(Renewed), wanted(Renewed)).kind is Kind.REPLACE
        assert decide(present(Renewed), wanted(Renewed, colour="blue")).kind is Kind.UPDATE


class TestProperties:
    def test_nothing_changes(self) -> None:
        assert decide(present(), wanted()) == Decision(Kind.KEEP, "nothing changes")

    def test_a_change_in_place_has_both_values(self) -> None:
        decision = decide(present(), wanted(size=2))
        assert (decision.kind, decision.reason) == (Kind.UPDATE, "size changes in place")
        assert [(c.name, c.before, c.after) for c in decision.changes] == [("size", 1, 2)]

    def test_one_change_that_is_impossible_in_place_replaces(self) -> None:
        decision = decide(present(), wanted(size=2, place="there"))
        assert decision.kind is Kind.REPLACE
        assert decision.reason == "place cannot be changed in place; size could be"
        assert decide(present(), wanted(place="there")).reason == "place cannot be changed in place"

    def test_what_is_gone_counts_as_changed(self) -> None:
        assert decide(present(), wanted(place=None)).kind is Kind.REPLACE

    def test_what_is_immutable_forbids_the_change(self) -> None:
        decision = decide(present(), wanted(serial="t", place="there"))
        assert (decision.kind, decision.error) == (Kind.FORBIDDEN, "NotSupported")

    def test_a_type_that_cannot_change_anything_is_replaced(self) -> None:
        assert decide(present(Unchangeable), wanted(Unchangeable, size=2)).kind is Kind.REPLACE
        assert decide(present(Unchangeable), wanted(Unchangeable)).kind is Kind.KEEP

    def test_a_type_may_demand_its_replacement_by_what_changes(self) -> None:
        assert decide(present(Choosy), wanted(Choosy, size=2)).kind is Kind.UPDATE
        assert decide(present(Choosy), wanted(Choosy, size=0)).kind is Kind.REPLACE

    def test_only_what_demands_a_replacement_is_named_as_its_reason(self) -> None:
        decision = decide(present(Choosy), wanted(Choosy, size=0, colour="blue"))
        assert decision.reason == "its type does not change size in place; colour could be"
        assert [change.name for change in decision.changes] == ["size", "colour"]
        decision = decide(present(Choosy), wanted(Choosy, size=0, colour="blue", place="there"))
        assert decision.reason == "place, size cannot be changed in place; colour could be"

    def test_where_only_all_changes_together_demand_a_replacement_all_are_named(self) -> None:
        decision = decide(present(Paired), wanted(Paired, size=2, colour="blue"))
        assert decision.reason == "its type does not change size, colour in place"

    def test_a_type_may_refuse_what_can_never_be_done(self) -> None:
        assert decide(present(Growing), wanted(Growing, size=2)).kind is Kind.UPDATE
        assert not decide(present(Growing), wanted(Growing, size=Unknown("r"))).may_be(Kind.FORBIDDEN)
        assert decide(present(Growing), wanted(Growing, size=0, place="there")).kind is Kind.REPLACE
        decision = decide(present(Growing), wanted(Growing, size=0))
        assert (decision.kind, decision.reason) == (Kind.FORBIDDEN, "It cannot shrink.")

    def test_a_type_that_decides_during_the_update_leaves_it_undecided(self) -> None:
        assert kinds(decide(present(Moody), wanted(Moody, size=2))) == {Kind.UPDATE, Kind.REPLACE}

    def test_remote_stacks_are_compared_on_every_update(self) -> None:
        decision = decide(present(Distant), wanted(Distant))
        assert decision.kind is Kind.UPDATE
        assert decision.reason == "every update compares it with the remote stack"

    def test_a_secret_is_compared_by_what_it_hides(self) -> None:
        assert decide(present(), wanted(colour=Secret("red"))).kind is Kind.KEEP
        assert decide(present(), wanted(colour=Secret("blue"))).kind is Kind.UPDATE


class TestWhatIsNotAProperty:
    def test_metadata_alone_change_in_place(self) -> None:
        assert decide(present(), wanted(metadata={"a": 1})).reason == "its metadata changes"
        assert decide(present(Unchangeable), wanted(Unchangeable, metadata={"a": 1})).kind is Kind.UPDATE

    def test_the_update_policy_alone_changes_in_place(self) -> None:
        decision = decide(present(), wanted(update_policy={"batch": 1}))
        assert (decision.kind, decision.reason) == (Kind.UPDATE, "its update policy changes")

    def test_what_belongs_to_somebody_else_is_never_touched(self) -> None:
        assert decide(present(external_id="x"), wanted(external_id="x", place="there")).kind is Kind.KEEP

    @pytest.mark.parametrize("after", ["x", "y", None])
    def test_what_could_not_be_found_is_looked_for_again(self, after: str | None) -> None:
        for before in ("x", ""):
            failed = present(state="CHECK_FAILED", external_id=before)
            assert decide(failed, wanted(external_id=after)).foreseen.kind is Kind.REPLACE

    @pytest.mark.parametrize(("before", "after"), [(None, "x"), ("x", None), ("x", "y")])
    def test_whom_it_belongs_to_cannot_change(self, before: str | None, after: str | None) -> None:
        decision = decide(present(external_id=before), wanted(external_id=after))
        assert (decision.kind, decision.error) == (Kind.FORBIDDEN, "NotSupported")
        assert decision.untouched

    def test_whom_it_belongs_to_cannot_change_either_after_a_failure(self) -> None:
        failed = present(state="UPDATE_FAILED", external_id="x")
        assert decide(failed, wanted(external_id="y")).kind is Kind.FORBIDDEN
        assert decide(failed, wanted(external_id="x")).reason == "it is in state UPDATE_FAILED"


class TestUnknownValues:
    @pytest.mark.parametrize(
        ("changes", "possible"),
        [
            ({"size": Unknown()}, {Kind.KEEP, Kind.UPDATE}),
            ({"place": Unknown()}, {Kind.KEEP, Kind.REPLACE}),
            ({"serial": Unknown()}, {Kind.KEEP, Kind.FORBIDDEN}),
            ({"size": Unknown(), "place": Unknown()}, {Kind.KEEP, Kind.UPDATE, Kind.REPLACE}),
            ({"size": 2, "colour": Unknown()}, {Kind.UPDATE}),
            ({"size": 2, "place": Unknown()}, {Kind.UPDATE, Kind.REPLACE}),
            ({"place": "there", "size": Unknown()}, {Kind.REPLACE}),
            ({"serial": "t", "place": Unknown()}, {Kind.FORBIDDEN}),
            ({"metadata": {"a": Unknown()}}, {Kind.KEEP, Kind.UPDATE}),
            ({"metadata": {"a": Unknown()}, "place": "there"}, {Kind.REPLACE}),
        ],
    )
    def test_leave_only_their_dependants_undecided(
        self, changes: dict[str, Any], possible: set[Kind]
    ) -> None:
        decision = decide(present(), wanted(**changes))
        assert kinds(decision) == possible
        assert (decision.kind is Kind.UNDECIDED) is (len(possible) > 1)

    def test_are_named(self) -> None:
        assert decide(present(), wanted(size=Unknown())).reason == "size is not known yet"

    def test_a_type_that_looks_at_values_may_see_it_either_way(self) -> None:
        decision = decide(present(Choosy), wanted(Choosy, size=Unknown()))
        assert kinds(decision) == {Kind.KEEP, Kind.UPDATE, Kind.REPLACE}


class TestRestrictions:
    def test_a_restricted_action_is_forbidden_in_heats_words(self) -> None:
        decision = decide(present(), wanted(size=2, restricted=("update",)))
        assert decision.kind is Kind.FORBIDDEN
        assert decision.reason == "update is restricted for resource."
        assert decision.error == "ResourceActionRestricted"

    def test_the_other_action_is_not(self) -> None:
        assert decide(present(), wanted(size=2, restricted=("replace",))).kind is Kind.UPDATE
        assert decide(present(), wanted(place="there", restricted=("update",))).kind is Kind.REPLACE

    def test_also_what_failed_or_has_another_type_is_not_replaced_then(self) -> None:
        assert decide(present(state="CREATE_FAILED"), wanted(restricted=("replace",))).kind is Kind.FORBIDDEN
        assert decide(present(), wanted(Choosy, restricted=("replace",))).kind is Kind.FORBIDDEN

    def test_what_need_not_change_is_kept(self) -> None:
        assert decide(present(), wanted(restricted=("update", "replace"))).kind is Kind.KEEP

    def test_what_may_change_may_be_forbidden(self) -> None:
        decision = decide(present(), wanted(size=Unknown(), restricted=("update",)))
        assert kinds(decision) == {Kind.KEEP, Kind.FORBIDDEN}

    def test_what_can_only_end_in_restrictions_is_forbidden(self) -> None:
        decision = decide(present(Moody), wanted(Moody, size=2, restricted=("update",)))
        assert (decision.kind, decision.reason) == (Kind.FORBIDDEN, "update is restricted for resource.")


class TestStacksBelow:
    def test_a_stack_that_differs_is_updated_although_its_resource_does_not_change(self) -> None:
        shall = wanted(Group)
        assert decide_with_nested_stack(decide(present(Group), shall), shall, True).kind is Kind.UPDATE
        assert decide_with_nested_stack(decide(present(Group), shall), shall, False).kind is Kind.KEEP

    def test_undecided_becomes_an_update_when_the_nested_stack_changes(self) -> None:
        shall = wanted(Group, size=Unknown())
        assert decide_with_nested_stack(decide(present(Group), shall), shall, True).kind is Kind.UPDATE

    def test_restrictions_hold_for_it_as_well(self) -> None:
        shall = wanted(Group, restricted=("update",))
        assert decide_with_nested_stack(decide(present(Group), shall), shall, True).kind is Kind.FORBIDDEN


class TestWhatIsCertain:
    """Although a value is not known yet."""

    def decided(self, found: type[ResourceType], before: dict[str, Any], after: dict[str, Any]) -> Decision:
        present = Present(found.type_name, "CREATE", "COMPLETE", before, {}, {}, found.type_name)
        return decide(present, Wanted(found.type_name, found, after, {}, {}))

    def test_a_new_id_is_a_change(self) -> None:
        before = {"size": 1, "colour": "red", "place": "here", "serial": None}
        new = Unknown("other", is_new=True)

        assert self.decided(Plain, before, {**before, "colour": new}).kind is Kind.UPDATE
        assert self.decided(Plain, before, {**before, "place": new}).kind is Kind.REPLACE
        assert self.decided(Plain, before, {**before, "serial": new}).kind is Kind.FORBIDDEN
        assert self.decided(Plain, before, {**before, "place": Unknown("other")}).kind is Kind.UNDECIDED

    @pytest.mark.parametrize(
        ("before", "after", "differs"),
        [
            ([], [Unknown()], True),
            (["a"], [Unknown()], False),
            (["a", "b"], ["c", Unknown()], True),
            ({"a": 1, "b": 2}, {"a": 1, "b": Unknown()}, False),
            ({"a": 1, "b": 2}, {"a": 3, "b": Unknown()}, True),
            ({"a": 1}, {"a": 1, "b": Unknown()}, True),
            ({"a": [1]}, {"a": [Unknown(is_new=True)]}, True),
            ("text", Secret(Unknown(is_new=True)), True),
            ("text", ["text", Unknown()], True),
        ],
    )
    def test_a_known_difference_is_a_change_whatever_stands_beside_it(
        self, before: Any, after: Any, differs: bool
    ) -> None:
        assert definitely_differs(before, after) is differs

    def test_a_type_decides_if_it_does_not_read_unknown_values(self) -> None:
        before = {"size": 5, "colour": "red", "place": None, "serial": None}
        new = Unknown("other", is_new=True)

        assert self.decided(Choosy, before, {**before, "size": 4, "colour": new}).kind is Kind.REPLACE
        assert self.decided(Choosy, before, {**before, "size": 6, "colour": new}).kind is Kind.UPDATE
        assert self.decided(Choosy, before, {**before, "size": new}).kind is Kind.UNDECIDED

    def test_what_a_type_refuses_is_named(self) -> None:
        before = {"size": 5, "colour": "red", "place": None, "serial": "1"}

        assert self.decided(Growing, before, {**before, "size": 4}).refused == ("size",)
        assert self.decided(Plain, before, {**before, "serial": "2"}).refused == ("serial",)
        assert self.decided(Plain, before, {**before, "place": "there"}).refused == ()
