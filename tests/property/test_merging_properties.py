"""Merging environments one after the other, in whatever groups.

Overwriting is associative. The other strategies are so for texts, lists, whole numbers and flat maps, once the
strategy is stated again: what was merged does not carry it on. Not associative, and therefore not tested, are
`deep_merge` where a map meets something else in between (what follows is merged into the map before it, or
replaces it, depending on the grouping), and sums of fractions, which round.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from calor.language import environment
from calor.language.diagnostics import Report
from calor.language.merging import merge
from calor.language.parameters import ParameterType
from tests.property.template_strategies import PARAMETERS, anything, broken, environments

KINDS = {name: ParameterType(kind) for name, (kind, _) in PARAMETERS.items()}


def merged(*parts: dict[str, Any]) -> dict[str, Any]:
    return merge([(f"e{number}.yaml", part) for number, part in enumerate(parts)], KINDS, Report())


names = st.sampled_from((*PARAMETERS, "other"))
values = st.dictionaries(names, anything(leaves=4), max_size=3)
overwriting = st.fixed_dictionaries(
    {},
    optional={
        "parameters": values,
        "parameter_defaults": values,
        "resource_registry": st.dictionaries(
            st.sampled_from(("A::B", "C::*", "resources")),
            st.one_of(
                st.none(), st.sampled_from(("D::E", "f.yaml")), st.just({"r": {"hooks": "pre-create"}})
            ),
        ),
        "event_sinks": st.lists(st.just({"type": "zaqar-queue"}), max_size=2),
        "encrypted_param_names": st.lists(names, max_size=2),
    },
)


@given(overwriting, overwriting, overwriting)
def test_overwriting_is_associative(a: Any, b: Any, c: Any) -> None:
    assert same(merged(merged(a, b), c), merged(a, merged(b, c)))
    assert same(merged(merged(a, b), c), merged(a, b, c))


@given(overwriting)
def test_an_empty_environment_changes_nothing(a: Any) -> None:
    assert same(merged(a, {}), merged(a))
    assert same(merged({}, a), merged(a))


@given(overwriting, overwriting)
def test_the_later_value_wins(a: Any, b: Any) -> None:
    for section in ("parameters", "parameter_defaults"):
        given_later = {name: value for name, value in b.get(section, {}).items() if value is not None}
        result = merged(a, b).get(section, {})
        assert same({name: result[name] for name in given_later}, given_later)


BY_KIND = {
    "p_text": st.text(max_size=5),
    "p_number": st.integers(),
    "p_list": st.one_of(st.lists(st.text(max_size=3), max_size=3), st.text("ab,", max_size=5)),
    "p_map": st.dictionaries(st.sampled_from("abc"), st.one_of(st.integers(), st.text(max_size=3))),
}
merging = st.fixed_dictionaries({}, optional=BY_KIND).map(
    lambda given: {"parameters": given, "parameter_merge_strategies": {"default": "merge"}}
)


@given(merging, merging, merging)
def test_merging_texts_lists_numbers_and_flat_maps_is_associative(a: Any, b: Any, c: Any) -> None:
    again = {"parameter_merge_strategies": {"default": "merge"}}

    left = merged({**merged(a, b), **again}, c)
    right = merged(a, {**merged(b, c), **again})

    assert left == right == merged(a, b, c)


@given(st.lists(st.one_of(environments(anything(leaves=4)), broken(environments())), max_size=3))
def test_any_environments_are_merged_or_refused_with_a_reason(given_ones: list[Any]) -> None:
    report = Report()
    checked = [(f"e{number}.yaml", environment.check(one, report)) for number, one in enumerate(given_ones)]

    result = merge(checked, KINDS, report)
    environment.parse(result, report)

    assert set(result) <= set(environment.SECTIONS)


def same(one: Any, other: Any) -> bool:
    """Equality in which a number that is not a number is itself."""
    return repr(one) == repr(other) or one == other
