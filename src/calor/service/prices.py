"""The prices that an operator sets, with which templates are estimated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calor.language import reader
from calor.language.diagnostics import Report

EVERY_OTHER = "*"
"""The name in a price list that stands for all others."""


class PricesUnusable(Exception):
    """A price list is invalid."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by name; `EVERY_OTHER` stands for the names that are not listed, whose price is otherwise 0."""

    currency: str = ""
    servers: Mapping[str, float] = field(default_factory=dict)
    """Per hour, by flavor."""
    volumes: Mapping[str, float] = field(default_factory=dict)
    """Per gigabyte and month, by volume type."""
    resources: Mapping[str, float] = field(default_factory=dict)
    """Per hour, by resource type."""

    @property
    def is_empty(self) -> bool:
        return not (self.servers or self.volumes or self.resources)


def price(prices: Mapping[str, float], name: str) -> float:
    return prices.get(name, prices.get(EVERY_OTHER, 0.0))


def read_prices(file: Path) -> PriceList:
    """The price list in a YAML file. Raises PricesUnusable."""
    try:
        text = file.read_bytes()
    except OSError as error:
        raise PricesUnusable(f"{file} cannot be read: {error.strerror}") from None
    report = Report()
    source = reader.read_mapping(text, str(file), report)
    if source is None:
        raise PricesUnusable(f"{file}: {next(iter(report)).message}")
    given = dict(source.data)
    currency = given.pop("currency", "")
    if not isinstance(currency, str):
        raise PricesUnusable(f"{file}: currency must be text")
    found = {name: _prices(file, name, given.pop(name, None)) for name in ("servers", "volumes", "resources")}
    if given:
        raise PricesUnusable(f"{file}: unknown section {next(iter(given))!r}")
    return PriceList(currency, **found)


def _prices(file: Path, section: str, given: Any) -> Mapping[str, float]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise PricesUnusable(f"{file}: {section} must be a map of names and prices")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            raise PricesUnusable(f"{file}: {section}: the price of {name} must be a number of at least 0")
    return {str(name): float(value) for name, value in given.items()}
