"""Regular expressions are matched as Python matches them, wherever that is done."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calor.bounded import estimating, patterns
from calor.bounded.errors import BadPattern, TookTooLong, TooSlow
from calor.bounded.evaluator import evaluator
from calor.bounded.linear import engine, linear
from calor.bounded.patterns import Patterns


def nobody(task: dict[str, Any], seconds: float) -> dict[str, Any]:
    raise TookTooLong("no worker may be asked")


@pytest.fixture
def everything_is_expensive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimating, "is_cheap", lambda *_, **__: False)


class TestWhatPeopleWrite:
    @pytest.mark.parametrize(
        ("expression", "text"),
        [
            ("[a-z][a-z0-9-]{0,62}", "web-server-1"),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Abcdefgh1"),
            (r"([a-z0-9]+\.)+example\.com", "a.b.c.example.com"),
            (r"(\d{1,3}\.){3}\d{1,3}(/\d+)?", "192.0.2.1/24"),
            (r"(['\"]).*\1", "'quoted'"),
            ("", ""),
        ],
    )
    def test_is_matched_without_a_process(self, expression: str, text: str) -> None:
        assert Patterns(nobody).matches(expression, text)

    def test_the_match_has_to_reach_the_end(self) -> None:
        assert not Patterns(nobody).matches("a|ab", "ab")

    @pytest.mark.parametrize("expression", ["(", "[", "*", "a{99999999999}", "(?P<a>b)(?P<a>c)", "(?<=a+)b"])
    def test_is_refused_where_it_is_not_an_expression(self, expression: str) -> None:
        with pytest.raises(BadPattern):
            Patterns(nobody).check(expression)


@pytest.mark.skipif(engine() is None, reason="RE2 is not installed")
class TestLinearTime:
    @pytest.mark.parametrize(
        "expression", ["(a+)+$", "(a|aa)+b", "(.+)+!", "((.)+)+!", "(?:a{1,9}){1,9}!", ".*.*.*.*.*.*!"]
    )
    def test_what_backtracks_for_ever_is_answered_at_once(self, expression: str) -> None:
        assert not Patterns(nobody).matches(expression, "a" * 5_000 + "?")

    @given(
        st.text("ab.*+?|()[]^$\\dws\n", max_size=12),
        st.text("ab1 _\n\x1c", max_size=8),
        st.sampled_from([0, int(re.IGNORECASE), int(re.DOTALL)]),
        st.sampled_from(["match", "search", "fullmatch"]),
    )
    def test_the_answer_is_the_one_of_python(self, expression: str, text: str, flags: int, way: str) -> None:
        try:
            other = linear(expression, flags)
        except re.error:
            return
        if other is None or not other.takes(text):
            return

        ours, pythons = getattr(other.pattern, way)(text), getattr(re.compile(expression, flags), way)(text)

        assert (ours and ours.span()) == (pythons and pythons.span())

    @given(
        st.from_regex(r"(\[\^?[a-zé]-?[z\\w\\S]\]|\.|é|\\b|\(ab?\)|\|){1,5}", fullmatch=True),
        st.text("abzé- ", max_size=6),
    )
    def test_the_answer_is_the_one_of_python_for_classes(self, expression: str, text: str) -> None:
        try:
            other = linear(expression, 0)
        except re.error:
            return
        if other is None or not other.takes(text):
            return

        ours, pythons = other.pattern.search(text), re.search(expression, text)

        assert (ours and ours.span()) == (pythons and pythons.span())

    @pytest.mark.parametrize(
        ("expression", "text"),
        [(r"\w+$", "é"), ("a$", "a\n"), (r"\bé", "é"), ("(?i)s", "ſ"), ("a", "\ud800")],
    )
    def test_it_is_not_used_where_it_might_differ(self, expression: str, text: str) -> None:
        found = linear(expression)
        assert found is not None
        assert not found.takes(text)

    @pytest.mark.parametrize(
        "expression", [r"(a)\1", "(?=a)b", "(?<!a)b", "(a*)*", "(|a)+", r"\B", "(?m)^a", "(?a)\\w", "(?i)ſ"]
    )
    def test_it_is_not_used_for_what_it_lacks_or_sees_otherwise(self, expression: str) -> None:
        assert linear(expression) is None


class TestWorkers:
    @pytest.mark.usefixtures("everything_is_expensive")
    @pytest.mark.parametrize("way", ["match", "search", "fullmatch"])
    def test_the_answer_is_the_same(self, way: patterns.Way) -> None:
        for expression, text in ((r"(b)\1", "abbc"), ("(?=a)abb", "abb"), ("(a*)*b", "aab")):
            expected = getattr(re.compile(expression), way)(text)
            assert evaluator().end(expression, text, way) == (expected and expected.end())

    @pytest.mark.parametrize("expression", [r"(a)(a|aa)+\1!", "(?=(a+)+!)", "(a*)*!", "(?:(?:a?){30}){30}!"])
    def test_what_takes_too_long_is_stopped(self, expression: str) -> None:
        with pytest.raises(TooSlow):
            evaluator().matches(expression, "a" * 200)

    def test_what_is_slow_to_compile_is_not_compiled_here(self) -> None:
        slow = "(?i)" + "[\0-\U0010ffff]" * 400
        with pytest.raises(TooSlow):
            Patterns(nobody).check(slow)
        with pytest.raises(TooSlow):
            Patterns(nobody).check("a" * (estimating.LONGEST + 1))
        evaluator().check("a" * (estimating.LONGEST + 1))

    def test_others_are_answered_after_one_was_stopped(self) -> None:
        with pytest.raises(TooSlow):
            evaluator().matches("(a*)*!", "a" * 200)
        assert evaluator().matches("(a*)*!", "a" * 200 + "!")
