"""Whatever the text, the reader gives data or says why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from calor.language.diagnostics import Report
from calor.language.reader import Limits, read, read_mapping
from tests.property.template_strategies import anything, texts

LINES = st.sampled_from(
    (
        *(
            "a: b",
            "- x",
            "? k",
            ": v",
            "a: &x [1, 2]",
            "b: *x",
            "<<: *x",
            "c: !!int 3",
            "!tag d: e",
            "---",
            "...",
        ),
        *(
            "%YAML 1.1",
            "# note",
            "a: |",
            "  text",
            "b: >-",
            "'q': \"r\\u263a\"",
            "{a: 1, b: [2]}",
            "[",
            "}",
            "\t- t",
        ),
        *(
            "n: 12:30:45",
            "i: .inf",
            "o: 0o7",
            "h: 0x_",
            "e: =",
            "a: b: c",
            "k: 'open",
            "d: 2001-01-01",
            "*x : y",
        ),
        *("heat_template_version: 2021-04-16", "resources:", "  r: {type: OS::Heat::None}", "\ufeffx: y", ""),
    )
)
yaml_like = st.lists(st.tuples(st.integers(0, 3), LINES), max_size=8).map(
    lambda lines: "\n".join("  " * indent + line for indent, line in lines)
)
json_tokens = st.sampled_from(
    (
        *"{}[],:",
        '"a"',
        '"\\ud800"',
        '"\\u0000"',
        "1",
        "-0",
        "1e999",
        "NaN",
        "true",
        "null",
        " ",
        "\n",
        '"',
        "'",
    )
)
json_like = st.lists(json_tokens, max_size=20).map(lambda tokens: "{" + "".join(tokens))
any_text = st.one_of(st.text(), yaml_like, json_like)
any_bytes = st.one_of(st.binary(), any_text.map(lambda text: text.encode("utf-8", "surrogatepass")))


@given(st.one_of(any_text, any_bytes))
@example("[" * 5000)
@example("{a: " * 5000)
@example('{"a":' * 5000 + "1" + "}" * 5000)
@example("- " * 5000)
@example("a: &a [*a]")
@example("&a " * 3)
@example("? " * 300)
@example("\x85\u2028\u2029")
@example('{"\\ud800": 1}')
@example("9" * 5000)
@example("0b_")
@example("!!float _")
def test_any_text_is_read_or_refused_with_a_reason(text: str | bytes) -> None:
    report = Report()

    source = read_mapping(text, "input", report)

    assert (source is None) == report.has_errors
    assert source is None or isinstance(source.data, dict)


@given(st.one_of(any_text, any_bytes))
def test_a_refusal_points_into_the_text(text: str | bytes) -> None:
    report = Report()
    read(text, "input", report)

    lines = text.count(b"\n" if isinstance(text, bytes) else "\n")
    for found in report:
        assert found.where is not None
        assert found.where.file == "input"
        # Beyond \n, YAML breaks lines at \r, NEL and the separators of Unicode, which no other count knows.
        assert 1 <= found.where.line <= max(lines, len(text)) + 2
        assert found.where.column >= 1


@given(anything(leaves=12))
def test_json_is_read_as_json(data: Any) -> None:
    text = json.dumps({"data": data}, skipkeys=True)

    source = read_mapping(text, "input", Report())

    assert source is not None
    assert json.dumps(source.data) == json.dumps(json.loads(text))


plain_data = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts),
    lambda part: st.one_of(st.lists(part, max_size=3), st.dictionaries(texts, part, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(texts, plain_data, max_size=3))
def test_what_yaml_writes_is_read_back(data: dict[str, Any]) -> None:
    text = yaml.safe_dump(data)

    source = read_mapping(text, "input", Report())

    assert source is not None
    assert source.data == data


@given(plain_data, st.integers(1, 12))
def test_no_data_is_deeper_or_larger_than_the_limits(data: Any, depth: int) -> None:
    limits = Limits(size=300, depth=depth)
    for text in (json.dumps([data]), yaml.safe_dump([data])):
        report = Report()

        source = read(text, "input", report, limits)

        refused = len(text.encode()) > limits.size or _depth([data]) > depth
        assert (source is None) == refused
        assert [found.code for found in report] in ([], ["E104"], ["E106"])


def _depth(data: Any) -> int:
    if isinstance(data, dict):
        return 1 + max(map(_depth, data.values()), default=0)
    return 1 + max(map(_depth, data), default=0) if isinstance(data, list) else 0


names = st.text("abxyz", min_size=1, max_size=4)
documents = st.recursive(
    st.dictionaries(names, st.one_of(names, st.lists(names, max_size=2)), max_size=3),
    lambda part: st.dictionaries(names, part, min_size=1, max_size=3),
    max_leaves=6,
)


@given(documents, st.sampled_from((json.dumps, yaml.safe_dump)), st.sampled_from((None, 2)))
def test_every_key_is_found_where_it_stands(data: Any, write: Any, indent: int | None) -> None:
    text = write(data, indent=indent)
    source = read_mapping(text, "input", Report())
    assert source is not None

    lines = text.splitlines()
    for path in _paths(data):
        at = source.locate(path)
        assert lines[at.line - 1][at.column - 1 :].lstrip("\"'").startswith(path[-1])


def _paths(data: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *below) for below in _paths(value))
