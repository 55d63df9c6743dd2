"""Random sequences of operations on stacks of servers, networks and volumes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.kill.cloud_additions import added
from tests.kill.cloud_changes import changed_in_place, replaced, without
from tests.kill.cloud_parts import MEMBERS, NESTED, Part, Parts, inner

VERSION = "2018-08-31"


def _resources(parts: Mapping[str, Part]) -> dict[str, Any]:
    return {
        name: {"type": part.type, "properties": dict(part.properties), "depends_on": list(part.after)}
        for name, part in parts.items()
    }


INNER = {
    "heat_template_version": VERSION,
    "parameters": {"name": {"type": "string"}, "cidr": {"type": "string"}},
    "resources": _resources(inner({"get_param": "name"}, {"get_param": "cidr"})),
}


@dataclass(frozen=True)
class CloudWish:
    """What a stack shall be like."""

    parts: Parts
    serial: int
    """Tells its template from all others of the stack, even from those that ask for the same."""

    def template(self) -> dict[str, Any]:
        return {
            "heat_template_version": VERSION,
            "description": f"wish {self.serial}",
            "resources": _resources(self.parts),
        }

    def request(self) -> dict[str, Any]:
        return {"template": self.template(), "files": {NESTED: json.dumps(INNER)}}

    def objects(self) -> dict[str, Part]:
        """What has to be in the cloud, by its path of resource names."""
        return dict(self._objects())

    def _objects(self) -> Iterator[tuple[str, Part]]:
        for name, part in self.parts.items():
            if part.type == MEMBERS:
                member = part.properties["resource_def"]
                for index in range(part.properties["count"]):
                    yield f"{name}/{index}", Part(member["type"], member["properties"])
            elif part.type == NESTED:
                for below, one in inner(**part.properties).items():
                    yield f"{name}/{below}", one.below(name)
            else:
                yield name, part


@dataclass(frozen=True)
class CloudOperation:
    """Something that is asked for. Without a wish it is the end of the stack."""

    kind: str
    wish: CloudWish | None
    rolls_back: bool = False


@dataclass
class CloudLife:
    """One stack name, and what it stands for at present."""

    name: str
    random: Random
    present: CloudWish | None = None
    """None if there is no such stack."""
    _serial: int = field(default=0)

    def next(self) -> CloudOperation:
        rolls_back = self.random.random() < 0.3
        if self.present is None:
            parts: Parts = {}
            for _ in range(self.random.randint(6, 16)):
                parts = added(parts, {}, self.random)
            return CloudOperation("create", self._wish(parts), rolls_back)
        if self.random.random() < 0.15:
            return self.end()
        return self._change(self.present, rolls_back)

    def healing(self, wanted: CloudWish | None) -> CloudOperation:
        """What mends a stack that was to become as wanted, and failed at it."""
        if wanted is None or self.random.random() < 0.2:
            return self.end()
        return CloudOperation("update that heals", self._wish(wanted.parts))

    @staticmethod
    def end() -> CloudOperation:
        return CloudOperation("delete", None)

    def rolled_back(self) -> CloudWish:
        """What is true after a roll-back."""
        return self.present or self._wish({})

    def _wish(self, parts: Parts) -> CloudWish:
        self._serial += 1
        return CloudWish(parts, self._serial)

    def _change(self, present: CloudWish, rolls_back: bool) -> CloudOperation:
        changes = {"in place": changed_in_place, "replacement": replaced, "added": added, "removed": without}
        kinds = self.random.choices(list(changes), [3, 3, 4, 2], k=self.random.randint(1, 4))
        parts = present.parts
        for kind in kinds:
            parts = changes[kind](parts, present.parts, self.random)
        return CloudOperation(f"update ({', '.join(kinds)})", self._wish(parts), rolls_back)
