"""One collection from all sources."""

import logging
from importlib import import_module
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

from calor_guest.collect.cache import LIST, Cache, unique
from calor_guest.collect.deployments import Item, with_deployments
from calor_guest.collect.options import COLLECTORS, Settings
from calor_guest.collect.source import MetadataSource, NotAvailable, NotConfigured, log


class Collected(NamedTuple):
    paths: List[str]
    """Of all metadata, in order."""
    changed: Set[str]
    """The names of what the command has not accepted yet."""


def configured_sources(settings: Settings) -> List[MetadataSource]:
    """Raises ValueError for a source that does not exist."""
    names = settings.general.many("collectors")
    unknown = [name for name in names if name not in COLLECTORS]
    if unknown:
        raise ValueError(
            "Unknown collectors {}. Valid collectors are: {}".format(
                ", ".join(unknown), ", ".join(COLLECTORS)
            )
        )
    return [import_module("calor_guest.collect.sources." + name).Source(settings) for name in names]


def collect(sources: Sequence[MetadataSource]) -> Dict[str, Any]:
    """All metadata by its names."""
    return dict(item for source in sources for item in _items(source))


def store(sources: Sequence[MetadataSource], cache: Cache, backup: str) -> Collected:
    """Collects into the cache, and copies that if something has changed.

    A source that was available before and is not now still has the metadata that it had; otherwise, an outage of one
    source would take back what it has brought, as soon as another one changes."""
    items: List[Item] = []
    taken = [*COLLECTORS, LIST]
    for source in sources:
        own, others = _split(source, _items(source, cache))
        names = unique([name for name, _ in others], taken)
        taken += names
        items += [*own, *((name, value) for name, (_, value) in zip(names, others))]
    paths, changed = [], set()
    for name, value in items:
        stored = cache.store(name, value)
        paths.append(stored.path)
        if stored.changed:
            changed.add(name)
    if changed:
        cache.store_list([name for name, _ in items])
        _copy(cache, backup)
    return Collected(paths, changed)


def _copy(cache: Cache, backup: str) -> None:
    try:
        cache.copy_to(backup)
    except OSError as error:
        log.warning("%s cannot be replaced: %s", backup, error)


def _items(source: MetadataSource, cache: Optional[Cache] = None) -> List[Item]:
    try:
        return source.collect()
    except NotConfigured as problem:
        source.note(logging.INFO, f"Not configured. {problem}")
    except NotAvailable as problem:
        source.note(logging.WARNING, f"Unavailable. {problem}")
        kept = cache.read(source.name) if cache is not None and source.keeps else None
        if kept is not None:
            return with_deployments(source.name, kept, source.deployment_keys)
    return []


def _split(source: MetadataSource, items: List[Item]) -> "tuple[List[Item], List[Item]]":
    """What the source itself has, and what else it brings, whose names may be any."""
    own = [item for item in items[:1] if item[0] == source.name]
    return own, items[len(own) :]
