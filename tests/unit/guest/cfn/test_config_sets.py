"""Config sets."""

from __future__ import annotations

from typing import Any

import pytest

from calor_guest.cfn.config_sets import selected_configs
from calor_guest.cfn.problems import Problem

SETS = {
    "default": ["a", {"ConfigSet": "more"}],
    "more": ["b", "c"],
    "other": ["d"],
    "empty": [],
    "loop": [{"ConfigSet": "back"}],
    "back": [{"ConfigSet": "loop"}],
    "broken": [{"Config": "a"}],
    "unknown": [{"ConfigSet": "nowhere"}],
}


@pytest.mark.parametrize(
    ("section", "selection", "configs"),
    [
        ({}, None, ["config"]),
        ({"configSets": SETS}, None, ["a", "b", "c"]),
        ({"configSets": SETS}, "other, more", ["d", "b", "c"]),
    ],
)
def test_selection(section: dict[str, Any], selection: str | None, configs: list[str]) -> None:
    assert selected_configs(section, selection) == configs


@pytest.mark.parametrize(
    ("section", "selection", "message"),
    [
        ({}, "other", "no configSets"),
        ({"configSets": {"other": ["d"]}}, None, "no config set named default"),
        ({"configSets": SETS}, "nowhere", "no config set nowhere"),
        ({"configSets": SETS}, "unknown", "no config set nowhere"),
        ({"configSets": SETS}, "empty", "is empty"),
        ({"configSets": SETS}, "loop", "loop, back, loop"),
        ({"configSets": SETS}, "broken", "neither a config nor a ConfigSet"),
    ],
)
def test_mistakes(section: dict[str, Any], selection: str | None, message: str) -> None:
    with pytest.raises(Problem, match=message):
        selected_configs(section, selection)
