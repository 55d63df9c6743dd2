"""Random lives of stacks: what each operation asks for, and what has to be there afterwards."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

VERSION = "2018-08-31"
TYPE = "Test::Journalled"
INNER = {
    "heat_template_version": VERSION,
    "parameters": {"v": {"type": "string"}, "n": {"type": "number"}},
    "resources": {
        "x": {"type": TYPE, "properties": {"value": {"get_param": "v"}}},
        "y": {"type": TYPE, "properties": {"value": {"get_attr": ["x", "value"]}}},
        "all": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": {"get_param": "n"},
                "resource_def": {"type": TYPE, "properties": {"value": {"get_param": "v"}}},
            },
        },
    },
}


@dataclass(frozen=True)
class Wish:
    """What a stack shall be like. Names of plain resources have a value, and one that replaces them."""

    plain: dict[str, tuple[str, str]]
    inner: tuple[str, int]
    """The value in the nested stack, and the size of the group below it."""
    members: tuple[str, int]
    """The value in the group, and its size."""
    failing: str = ""
    """What fails: nothing, the creation of the resource `broken`, or the update of the one that is named."""

    def template(self) -> dict[str, Any]:
        resources: dict[str, Any] = {}
        for name, (value, fixed) in self.plain.items():
            resources[name] = {"type": TYPE, "properties": {"value": value, "fixed": fixed}}
        first = next(iter(self.plain))
        if self.failing in self.plain:
            resources[self.failing]["properties"]["fails"] = "update"
        if self.failing == "broken":
            broken = {"value": "broken", "fails": "create"}
            resources["broken"] = {"type": TYPE, "depends_on": [first], "properties": broken}
        resources["chained"] = {"type": TYPE, "properties": {"value": {"get_attr": [first, "value"]}}}
        value, size = self.inner
        resources["nested"] = {"type": "inner.yaml", "properties": {"v": value, "n": size}}
        value, size = self.members
        resources["group"] = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": size,
                "resource_def": {"type": TYPE, "properties": {"value": f"{value}%index%"}},
            },
        }
        return {"heat_template_version": VERSION, "resources": resources}

    def request(self) -> dict[str, Any]:
        return {"template": self.template(), "files": {"inner.yaml": json.dumps(INNER)}}

    def values(self) -> dict[str, str]:
        """The value of each object, by its path of resource names."""
        inner, size = self.inner
        found = {name: value for name, (value, _) in self.plain.items()}
        found["chained"] = next(iter(self.plain.values()))[0]
        found |= {"nested/x": inner, "nested/y": inner}
        found |= {f"nested/all/{index}": inner for index in range(size)}
        value, size = self.members
        return found | {f"group/{index}": f"{value}{index}" for index in range(size)}


@dataclass(frozen=True)
class Operation:
    """Something that is asked for, and how it has to end: the state, and the wish that is then true. Without
    one nothing is left, or, of what failed and does not roll back, anything."""

    kind: str
    wish: Wish | None
    state: str
    becomes: Wish | None
    rolls_back: bool = True


@dataclass
class Life:
    """One stack name, and what it stands for at present."""

    name: str
    random: Random
    present: Wish | None = None
    exists: bool = False
    half_done: bool = False
    _serial: int = field(default=0)

    def next(self) -> Operation:
        if not self.exists:
            return self._creation()
        if self.half_done and self.random.random() < 0.5:
            return Operation("update that mends", mended := self._wish(), "UPDATE_COMPLETE", mended)
        if self.present is None or self.random.random() < 0.2:
            return Operation("delete", None, "DELETE_COMPLETE", None)
        return self._change(self.present)

    def done(self, operation: Operation) -> None:
        self.exists = operation.kind != "delete"
        self.present = operation.becomes
        self.half_done = not operation.rolls_back

    def _value(self) -> str:
        self._serial += 1
        return f"v{self._serial}-"

    def _wish(self) -> Wish:
        plain = {f"r{index}": (self._value(), "") for index in range(self.random.randint(1, 4))}
        sizes = self.random.randint(0, 2), self.random.randint(0, 3)
        return Wish(plain, (self._value(), sizes[0]), (self._value(), sizes[1]))

    def _creation(self) -> Operation:
        wish = self._wish()
        failing = replace(wish, failing="broken")
        chance = self.random.random()
        if chance < 0.2:
            return Operation("create that rolls back", failing, "ROLLBACK_COMPLETE", None)
        if chance < 0.35:
            return Operation("create that fails", failing, "CREATE_FAILED", None, rolls_back=False)
        return Operation("create", wish, "CREATE_COMPLETE", wish)

    def _change(self, present: Wish) -> Operation:
        kinds = self.random.sample(["in place", "replacement", "added", "removed", "nested"], k=2)
        wish = present
        for kind in kinds:
            wish = self._changed(wish, kind)
        reported = f"update ({', '.join(kinds)})"
        some = self.random.choice(list(present.plain))
        failing = self.random.choice(["", "", "broken", some])
        if failing == some:
            # Only what is changed in place can fail at that.
            fixed = present.plain[some][1]
            wish = replace(wish, plain={**wish.plain, some: (self._value(), fixed)})
        if failing:
            wish = replace(wish, failing=failing)
            return Operation(f"{reported} that rolls back", wish, "ROLLBACK_COMPLETE", present)
        return Operation(reported, wish, "UPDATE_COMPLETE", wish)

    def _changed(self, wish: Wish, kind: str) -> Wish:
        name = self.random.choice(list(wish.plain))
        value, fixed = wish.plain[name]
        if kind == "in place":
            return replace(wish, plain={**wish.plain, name: (self._value(), fixed)})
        if kind == "replacement":
            return replace(wish, plain={**wish.plain, name: (value, self._value())})
        if kind == "added":
            return replace(wish, plain={**wish.plain, self._value(): (self._value(), "")})
        if kind == "removed":
            kept = {one: what for one, what in wish.plain.items() if one != name}
            return replace(wish, plain=kept or wish.plain, members=(wish.members[0], wish.members[1] // 2))
        sizes = self.random.randint(0, 3), self.random.randint(0, 3)
        return replace(wish, inner=(self._value(), sizes[0]), members=(self._value(), sizes[1]))
