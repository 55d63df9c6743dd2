"""What templates can use on a server: resource types, functions, and what its operator adds."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from calor.fetching.slots import FetchSlots
from calor.observe import fields
from calor.server.settings import Settings

if TYPE_CHECKING:
    from calor.language.library import World

log = logging.getLogger("calor")


FETCHES_AT_ONCE, FETCHES_OF_A_PROJECT = 16, 8
"""How many templates a process fetches at once. Together with waiting ones, fewer than its request threads."""
_WAITING, _PATIENCE, _MANY = 8, 5.0, 1000


def configured_world(settings: Settings, *, waits: bool = False) -> World:
    """With `waits`, fetching waits long for its turn, as an engine can; a request cannot."""
    from calor.fetching.web import Fetcher
    from calor.language import operator, reader
    from calor.language.budget import Sizes
    from calor.language.diagnostics import Report
    from calor.types.operator_defaults import with_defaults
    from calor.types.world import offline_world

    engine, limits = settings.configured.engine, settings.configured.limits
    fetcher = Fetcher(settings.configured.fetch_allowed, engine.fetch_timeout)
    waiting, patience = (_MANY, engine.fetch_timeout) if waits else (_WAITING, _PATIENCE)
    slots = FetchSlots(FETCHES_AT_ONCE, FETCHES_OF_A_PROJECT, waiting, patience)

    def fetch(url: str) -> str:
        with slots.slot(fields.current().get("project", "")):
            return fetcher.text(url, limits.template_size)

    world = with_defaults(offline_world(fetch), engine.property_defaults)
    world = replace(
        world,
        max_depth=limits.nested_depth,
        max_members=limits.resources_per_stack,
        limits=replace(reader.DEFAULT_LIMITS, size=limits.template_size),
        sizes=Sizes(limits.value_size, limits.stack_values_size),
        checks_outputs=False,
        common_files={**world.common_files, **_texts(engine.template_dir)},
    )
    report = Report()
    shared = operator.load(_texts(engine.environment_dir), _file_at, report)
    for problem in report:
        log.warning("%s: %s", engine.environment_dir, problem.full_message)
    return shared.over(world)


def _texts(folder: Path | None) -> dict[str, str]:
    """The texts of a directory's files by name, without hidden ones; empty if the directory does not exist."""
    if folder is None or not folder.is_dir():
        return {}
    files = (path for path in folder.iterdir() if path.name[:1] != "." and path.is_file())
    return {path.name: path.read_text("utf-8", "replace") for path in files}


def _file_at(url: str) -> str:
    return Path(unquote(urlsplit(url).path)).read_text("utf-8")
