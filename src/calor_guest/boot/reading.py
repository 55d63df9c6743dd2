"""YAML by whatever reads it here. Whose it is, nobody knows: it must not take long, nor become large."""

from __future__ import annotations

from typing import Any

_MOST_BYTES = 1 << 20
_MOST_VALUES = 100_000
_MOST_LEVELS = 200
_MOST_CHARACTERS = 4 << 20


def read_yaml(data: bytes) -> Any:
    """Raises ValueError for what cannot be read."""
    import yaml

    if len(data) > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES} bytes")
    # The time that it takes to read grows with the square of the depth.
    if _depth(data) > _MOST_LEVELS:
        raise ValueError("it is nested too deeply")
    try:
        found = yaml.safe_load(data)
        values, characters = _extent(found, {})
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if values > _MOST_VALUES or characters > _MOST_CHARACTERS:
        raise ValueError("it becomes too large when its aliases are replaced")
    return found


def _depth(data: bytes) -> int:
    """How many brackets are open at once, or more: those in texts are counted, too."""
    deepest = depth = 0
    for byte in data:
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth = max(depth - 1, 0)
    return deepest


def _extent(value: Any, known: dict[int, tuple[float, float]]) -> tuple[float, float]:
    """How many values and characters there are, each alias counted as what it stands for. Something that contains
    itself has no end."""
    if isinstance(value, str | bytes):
        return 1, len(value)
    if not isinstance(value, list | dict | set | tuple):
        return 1, 0
    if id(value) not in known:
        known[id(value)] = float("inf"), 0
        inner = [*value, *value.values()] if isinstance(value, dict) else list(value)
        extents = [_extent(one, known) for one in inner]
        known[id(value)] = 1 + sum(one for one, _ in extents), sum(one for _, one in extents)
    return known[id(value)]
