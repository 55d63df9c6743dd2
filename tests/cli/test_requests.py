"""What is sent to a service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from calor.cli.api.client import Heat
from calor.cli.errors import CommandError, UsageError
from calor.cli.main import parse
from calor.cli.stack.request import StackRequest, from_arguments, parameters

NOBODY = cast(Heat, None)


def request(*words: str) -> StackRequest:
    return from_arguments(NOBODY, parse(["stack", "create", "name", *words]))


def body(*words: str) -> dict[str, Any]:
    return request(*words).body


class TestParameters:
    @pytest.mark.parametrize(
        ("pairs", "expected"),
        [
            (["a=1"], {"a": "1"}),
            (["a=1;b=2"], {"a": "1", "b": "2"}),
            (["a=1;b=2", "c=3"], {"a": "1;b=2", "c": "3"}),
            (["a=x;y"], {"a": "x;y"}),
            (["a=b=c"], {"a": "b=c"}),
            (["a=1", "a=2", "a=3"], {"a": ["1", "2", "3"]}),
            (["a="], {"a": ""}),
        ],
    )
    def test_are_names_and_values(self, pairs: list[str], expected: dict[str, Any]) -> None:
        assert parameters(pairs) == expected

    @pytest.mark.parametrize("pair", ["a", "=1"])
    def test_without_a_name_or_a_value_are_none(self, pair: str) -> None:
        with pytest.raises(UsageError):
            parameters([pair])


class TestFiles:
    def test_are_sent_along_by_their_urls(self, templates: Path) -> None:
        made = body("-t", "outer.yaml")

        url = f"file://{templates}/inner.yaml"
        assert made["template"]["resources"]["inner"]["type"] == url
        assert list(made["files"]) == [url]
        assert "environment_files" not in made

    def test_environments_are_merged_and_listed(self, templates: Path) -> None:
        (templates / "a.yaml").write_text("parameters: {x: 1, y: 1}\n")
        (templates / "b.yaml").write_text("parameters: {y: 2}\n")

        made = body("-t", "outer.yaml", "-e", "a.yaml", "-e", "b.yaml")

        assert made["environment"] == {"parameters": {"x": 1, "y": 2}}
        assert made["environment_files"] == [f"file://{templates}/a.yaml", f"file://{templates}/b.yaml"]

    def test_with_a_container_only_the_template_is_read_here(self, templates: Path) -> None:
        (templates / "t.yaml").write_text(
            "heat_template_version: 2018-08-31\nresources: {a: {type: only/there.yaml}}\n"
        )

        made = body("-t", "t.yaml", "-e", "env.yaml", "-s", "files")

        assert made["template"]["resources"]["a"]["type"] == "only/there.yaml"
        assert made["files_container"] == "files"
        assert made["environment_files"] == ["env.yaml"]
        assert made["files"] == {}

    def test_what_cannot_be_read_is_reported_with_its_place(self, templates: Path) -> None:
        (templates / "t.yaml").write_text(
            "heat_template_version: 2018-08-31\nresources: {a: {type: no.yaml}}\n"
        )

        with pytest.raises(CommandError) as raised:
            request("-t", "t.yaml")

        assert raised.value.line().startswith("t.yaml:2:23: no.yaml cannot be read")


class TestBreakpoints:
    def test_are_in_the_environment(self, templates: Path) -> None:
        made = body("-t", "outer.yaml", "--pre-create", "inner/deep", "--pre-create", "first")

        assert made["environment"]["resource_registry"]["resources"] == {
            "inner": {"deep": {"hooks": ["pre-create"]}},
            "first": {"hooks": ["pre-create"]},
        }

    def test_are_a_file_more_for_services_that_merge_files_themselves(self, templates: Path) -> None:
        (templates / "e.yaml").write_text("parameters: {word: x}\n")

        made = body("-t", "outer.yaml", "-e", "e.yaml", "--pre-create", "first")

        last = made["environment_files"][-1]
        assert json.loads(made["files"][last])["resource_registry"]["resources"]["first"]
