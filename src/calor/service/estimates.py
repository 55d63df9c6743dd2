"""Estimates what the resources of a plan cost in a month. A pure function of the plan and the prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from calor.language.definition import Definition, ResourceDefinition
from calor.plan.steps import Plan
from calor.service.prices import PriceList, price

HOURS = 730
"""Hours of a month, on average."""
MOST_LINES = 40
"""An estimate is in the URL of its page, so that it cannot be of any length. Further lines are added up in one."""
LONGEST_NAME = 80
OTHERS = "others"

Unit = Literal["", "GB"]
_FLAVORS = {"OS::Nova::Server": "flavor", "AWS::EC2::Instance": "InstanceType"}
_SIZES = {"OS::Cinder::Volume": ("size", "volume_type"), "AWS::EC2::Volume": ("Size", "VolumeType")}


@dataclass(frozen=True, slots=True)
class EstimateLine:
    """What some resources of the same kind cost."""

    kind: str
    """The resource type."""
    name: str
    """The flavor or volume type, if there is one."""
    amount: float
    unit: Unit
    """What is counted; empty for the resources themselves."""
    monthly: float


@dataclass(frozen=True, slots=True)
class Estimate:
    currency: str
    lines: tuple[EstimateLine, ...]
    priced: bool
    """Whether the operator has set prices."""

    @property
    def monthly(self) -> float:
        return sum(line.monthly for line in self.lines)


@dataclass(frozen=True, slots=True)
class _Item:
    kind: str
    name: str
    unit: Unit


def estimate(plan: Plan, prices: PriceList) -> Estimate:
    """What it costs to have everything that a plan creates, nested stacks and members of groups included."""
    amounts: defaultdict[_Item, float] = defaultdict(float)
    for resource in _resources(plan):
        item, amount = _item(resource)
        amounts[item] += amount
    lines = [
        EstimateLine(item.kind, item.name, amount, item.unit, amount * _monthly(item, prices))
        for item, amount in amounts.items()
    ]
    lines.sort(key=lambda line: (-line.monthly, line.kind, line.name))
    return Estimate(prices.currency, _shortened(lines), not prices.is_empty)


def _resources(plan: Plan) -> Iterator[ResourceDefinition]:
    """The resources that have no nested stack. Those of a group that cannot be planned are a sample."""
    for step in plan.steps:
        if step.nested is not None and step.nested.open is None:
            yield from _resources(step.nested)
        elif step.resource is not None and step.resource.child is not None:
            yield from _defined(step.resource.child)
        elif step.resource is not None:
            yield step.resource


def _defined(definition: Definition) -> Iterator[ResourceDefinition]:
    for resource in definition.resources.values():
        if resource.child is not None:
            yield from _defined(resource.child)
        else:
            yield resource


def _item(resource: ResourceDefinition) -> tuple[_Item, float]:
    known = resource.resource_type
    kind = known.type_name if known is not None and known.type_name else resource.type_name
    if kind in _FLAVORS:
        return _Item(kind, _text(resource.value(_FLAVORS[kind])), ""), 1
    if kind in _SIZES:
        size, volume_type = map(resource.value, _SIZES[kind])
        # Of a snapshot or image, the size is not known before the volume is there.
        known_size = float(size) if isinstance(size, (int, float)) else 0.0
        return _Item(kind, _text(volume_type), "GB"), known_size
    return _Item(kind, "", ""), 1


def _text(value: object) -> str:
    return value[:LONGEST_NAME] if isinstance(value, str) else ""


def _monthly(item: _Item, prices: PriceList) -> float:
    """The price of one unit."""
    if item.kind in _SIZES:
        return price(prices.volumes, item.name)
    if item.kind in _FLAVORS:
        return HOURS * price(prices.servers, item.name)
    return HOURS * price(prices.resources, item.kind)


def _shortened(lines: list[EstimateLine]) -> tuple[EstimateLine, ...]:
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    rest = lines[MOST_LINES - 1 :]
    added = EstimateLine(OTHERS, "", len(rest), "", sum(line.monthly for line in rest))
    return (*lines[: MOST_LINES - 1], added)
