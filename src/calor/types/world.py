"""The surroundings of the language without a cloud."""

from __future__ import annotations

from functools import cache
from importlib import resources

from calor.bounded.evaluator import evaluator
from calor.language.library import Fetch, World, no_fetch
from calor.types import catalogue, custom_constraints


@cache
def _shipped_templates() -> dict[str, str]:
    folder = resources.files("calor.types") / "templates"
    return {
        entry.name: entry.read_text("utf-8") for entry in folder.iterdir() if entry.name.endswith(".yaml")
    }


def offline_world(fetch: Fetch = no_fetch) -> World:
    """Every name and id exists, every service is there; only what can be judged by itself is judged."""
    return World(
        declaration=catalogue.declaration,
        custom=custom_constraints.offline,
        expressions=evaluator(),
        common={**catalogue.ALIASES, **catalogue.STAND_INS},
        old_names=catalogue.ALIASES,
        common_files=_shipped_templates(),
        fetch=fetch,
        type_names=catalogue.names,
    )
