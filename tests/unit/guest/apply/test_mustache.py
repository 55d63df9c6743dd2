"""Templates as os-apply-config renders them."""

from __future__ import annotations

import pytest

from calor_guest.apply.mustache import TemplateError, render

CASES = [
    ("a {{x}} b", {"x": "1"}, "a 1 b"),
    ("{{ x.y.z }}", {"x": {"y": {"z": "deep"}}}, "deep"),
    ("{{missing}}|{{x.missing}}|{{none}}", {"x": "text", "none": None}, "||"),
    ("{{x}}", {"x": "<&>"}, "<&>"),
    ("{{{x}}} {{&x}} {{& x }}", {"x": '"'}, '" " "'),
    ("{{x}}", {"x": {"a": [1, True, None]}}, '{"a": [1, true, null]}'),
    ("{{x}} {{y}}", {"x": 1.5, "y": False}, "1.5 false"),
    ("{{#x}}{{a}},{{/x}}", {"x": [{"a": 1}, {"a": 2}]}, "1,2,"),
    ("{{#x}}{{.}},{{/x}}", {"x": ["p", "q"]}, "p,q,"),
    ("{{#x}}{{a}}{{b}}{{/x}}", {"x": {"a": 1}, "b": "outer"}, "1outer"),
    ("{{#x}}[{{.}}]{{/x}}", {"x": "text"}, "[text]"),
    ("{{#x}}no{{/x}}{{^x}}yes{{/x}}", {"x": []}, "yes"),
    ("{{#x}}no{{/x}}{{^x}}yes{{/x}}", {"x": 0}, "yes"),
    ("{{^x}}no{{/x}}", {"x": "set"}, ""),
    ("{{#a.b}}{{c}}{{/a.b}}", {"a": {"b": {"c": 3}}}, "3"),
    ("a{{! a comment\nof two lines }}b", {}, "ab"),
    ("{{=<% %>=}}<%x%>{{x}}<%={{ }}=%>{{x}}", {"x": "v"}, "v{{x}}v"),
    ("a{{> partial}}b", {}, "ab"),
    ("begin\n{{#x}}\nline {{.}}\n{{/x}}\nend\n", {"x": [1, 2]}, "begin\nline 1\nline 2\nend\n"),
    ("  {{#x}}  \r\nline\r\n  {{/x}}", {"x": True}, "line\r\n"),
    ("{{#x}}\n{{/x}}", {"x": True}, ""),
    ("a {{#x}} b\n{{/x}}\nc", {"x": True}, "a  b\nc"),
    ("{{", {}, None),
    ("{{#x}}", {}, None),
    ("{{/x}}", {}, None),
    ("{{#x}}{{/y}}", {}, None),
    ("{{=<%=}}", {}, None),
]


@pytest.mark.parametrize(("template", "context", "expected"), CASES)
def test_rendering(template: str, context: object, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(TemplateError):
            render(template, context)
    else:
        assert render(template, context) == expected


def test_values_are_not_rendered_again() -> None:
    assert render("{{x}}", {"x": "{{y}}", "y": "no"}) == "{{y}}"
