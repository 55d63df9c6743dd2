"""What the types do that need no cloud."""

from __future__ import annotations

import string
from typing import Any

import pytest

from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeContext, properties_of, run
from calor.types.heat.delay import Delay
from calor.types.heat.none import Nothing
from calor.types.heat.random_string import RandomString
from calor.types.heat.test_resource import TestResource as Probe
from calor.types.heat.value import Value


def created(kind: Any, **given: Any) -> FakeContext:
    props = properties_of(kind, **given)
    context = FakeContext(kind, props)
    run(kind.create(context, props))
    return context


class TestNone:
    def test_has_an_id_and_no_attributes(self) -> None:
        context = created(Nothing)

        assert context.physical_id is not None
        assert Nothing.attribute(context, "anything") is None


class TestTestResource:
    def test_stores_its_value(self) -> None:
        context = created(Probe, value="kept")

        assert context.physical_id == "web-thing-000000000000"
        assert Probe.attribute(context, "output") == "kept"
        assert context.slept == []

    def test_does_not_wait_for_its_attributes(self) -> None:
        assert Probe.attribute(created(Probe, attr_wait_secs=99), "output") == "test_string"

    def test_fails_when_asked_to(self) -> None:
        with pytest.raises(ResourceFailed) as raised:
            created(Probe, fail=True)

        assert raised.value.kind == "ValueError"

    def test_failing_makes_nothing_but_takes_its_time(self) -> None:
        props = properties_of(Probe, fail=True, wait_secs=3)
        context = FakeContext(Probe, props)

        with pytest.raises(ResourceFailed):
            run(Probe.create(context, props))

        assert context.slept == [3]
        assert context.physical_id is None

    def test_waits(self) -> None:
        assert created(Probe, wait_secs=2.5).slept == [2.5]

    def test_single_actions_have_times_of_their_own(self) -> None:
        times = {"create": 0, "delete": 7}
        context = created(Probe, wait_secs=2, action_wait_secs=times)
        run(Probe.update(context, {**context.properties, "value": "new"}, frozenset({"value"})))
        run(Probe.delete(context))

        assert context.slept == [2, 7]

    def test_minus_one_never_ends(self) -> None:
        with pytest.raises(AssertionError, match="still waits"):
            created(Probe, wait_secs=-1)

    def test_update_of_the_value(self) -> None:
        context = created(Probe, value="old", wait_secs=1)
        run(Probe.update(context, {**context.properties, "value": "new"}, frozenset({"value"})))

        assert Probe.attribute(context, "output") == "new"
        assert context.slept == [1, 1]

    def test_update_of_anything_else_is_quick(self) -> None:
        context = created(Probe)
        run(Probe.update(context, {**context.properties, "wait_secs": 5}, frozenset({"wait_secs"})))

        assert context.slept == []

    def test_change_of_the_value_replaces_when_asked_to(self) -> None:
        context = created(Probe)
        wanted = {**context.properties, "value": "new", "update_replace": True}

        assert Probe.needs_replacement(context.properties, wanted, frozenset({"value", "update_replace"}))
        assert not Probe.needs_replacement(context.properties, wanted, frozenset({"update_replace"}))

    def test_failing_update_keeps_the_value(self) -> None:
        context = created(Probe, value="old")

        with pytest.raises(ResourceFailed):
            run(
                Probe.update(
                    context, {**context.properties, "value": "new", "fail": True}, frozenset({"value"})
                )
            )

        assert Probe.attribute(context, "output") == "old"

    def test_deletion_never_fails(self) -> None:
        run(Probe.delete(FakeContext(Probe, properties_of(Probe, fail=True))))

    def test_check_needs_an_object(self) -> None:
        Probe.check(created(Probe))

        with pytest.raises(ResourceFailed):
            Probe.check(FakeContext(Probe))


class TestValue:
    @pytest.mark.parametrize("value", ["text", 1, [1, {"a": None}], False])
    def test_gives_what_it_got(self, value: Any) -> None:
        assert Value.attribute(created(Value, value=value), "value") == value

    def test_gives_null(self) -> None:
        context = FakeContext(Value, {"value": None})
        run(Value.create(context, context.properties))

        assert Value.attribute(context, "value") is None

    def test_update(self) -> None:
        context = created(Value, value=1)
        Value.update(context, properties_of(Value, value=2), frozenset({"value"}))

        assert Value.attribute(context, "value") == 2


class TestRandomString:
    def value(self, **given: Any) -> str:
        context = created(RandomString, **given)
        value: str = RandomString.attribute(context, "value")
        assert context.reference == value
        assert context.physical_id == "web-thing-000000000000"
        return value

    def test_letters_and_digits(self) -> None:
        value = self.value()

        assert len(value) == 32
        assert set(value) <= set(string.ascii_letters + string.digits)

    def test_is_another_each_time(self) -> None:
        assert self.value() != self.value()

    @pytest.mark.parametrize(
        ("name", "characters"),
        [
            ("letters", string.ascii_letters),
            ("lowercase", string.ascii_lowercase),
            ("uppercase", string.ascii_uppercase),
            ("digits", string.digits),
            ("hexdigits", string.digits + "ABCDEF"),
            ("octdigits", "01234567"),
        ],
    )
    def test_classes(self, name: str, characters: str) -> None:
        value = self.value(length=512, character_classes=[{"class": name, "min": 1}])

        assert set(value) == set(characters)

    def test_each_set_has_its_least_share(self) -> None:
        classes = [{"class": "digits", "min": 3}, {"class": "uppercase", "min": 2}]
        sequences = [{"sequence": "()&", "min": 4}]

        value = self.value(length=9, character_classes=classes, character_sequences=sequences)

        assert sum(c in string.digits for c in value) == 3
        assert sum(c in string.ascii_uppercase for c in value) == 2
        assert sum(c in "()&" for c in value) == 4

    def test_sequences_alone(self) -> None:
        sequences = [{"sequence": "ab", "min": 1}]

        assert set(self.value(length=50, character_classes=[], character_sequences=sequences)) == {"a", "b"}


class TestDelay:
    def test_waits_at_creation(self) -> None:
        assert created(Delay, min_wait=3).slept == [3]

    def test_jitter(self) -> None:
        (seconds,) = created(Delay, min_wait=1, max_jitter=2, jitter_multiplier=10).slept

        assert 1 <= seconds <= 21

    def test_only_during_its_actions(self) -> None:
        context = created(Delay, min_wait=3, actions=["DELETE", "RESUME"])
        run(Delay.suspend(context))
        assert context.slept == []

        run(Delay.resume(context))
        run(Delay.delete(context))
        assert context.slept == [3, 3]
