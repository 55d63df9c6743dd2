"""Which regular expressions of users are tried."""

from __future__ import annotations

import pytest

from calor.service.queries.patterns import LONGEST, matcher

NAME = "OS::Neutron::Port"


def matches(expression: str) -> bool:
    """Whether the expression is tried, and the name begins with it."""
    found = matcher(expression, len(NAME))
    return found is not None and bool(found(NAME))


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "OS::Neutron",
        ".*Port",
        ".*Neutron.*Port.*",
        ".*?Port$",
        "(?i)os::neutron::",
        "OS::(Nova|Neutron)::[A-Z][a-z]+",
        "(OS::)?(Neutron::)?",
        "(?P<letters>[A-Z]{2}):{2}",
        "([A-Z:])+",
        r"\w+\W\W[^:]",
    ],
)
def test_what_people_write_is_tried(expression: str) -> None:
    assert matches(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "(.+)+!",
        "(.*)*!",
        "(.+?)+?!",
        "((.)+)+!",
        "(?:.{1,9}){1,9}!",
        "(?:OS|O|S|:)*!",
        "(.?){40}!",
        ".*.*.*.*.*.*!",
        ".?" * 30 + "!",
        "(|)" * 30 + "!",
        "(?:(?:(?:^){15}){15}){15}",
        "(?:){4000000000}",
        r"(.+)\1!",
        "(?=(.+)+!)",
        "(?<!O)S",
        "(O)?(?(1)S|T)",
        "(" * 50 + "a" + "+)" * 50 + "+!",
        "a" * (LONGEST + 1),
    ],
)
def test_what_could_take_for_ever_is_not(expression: str) -> None:
    assert matcher(expression, len(NAME)) is None


@pytest.mark.parametrize("expression", ["(", "[", "*", "a{99999999999}", "(?P<a>b)(?P<a>c)"])
def test_neither_is_what_is_no_expression(expression: str) -> None:
    assert matcher(expression, len(NAME)) is None
