"""The tree of a stack's resources and nested stacks, built from lists of resources and from events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from calor.cli.json_values import JsonMapping
from calor.cli.render.states import progress_of
from calor.cli.stack.following import Event


@dataclass(slots=True)
class Node:
    """A resource, or the stack itself. Times are local ones of `time.monotonic`."""

    name: str
    status: str = ""
    reason: str = ""
    began: float | None = None
    ended: float | None = None
    below: dict[str, Node] = field(default_factory=dict)

    @property
    def progress(self) -> str:
        """Such as COMPLETE; empty if there was no event yet."""
        return progress_of(self.status) if self.began is not None else ""

    def elapsed(self, now: float) -> float | None:
        return None if self.began is None else (self.ended or now) - self.began

    def walk(self) -> Iterator[Node]:
        for node in self.below.values():
            yield node
            yield from node.walk()


class Tree:
    def __init__(self, name: str, id: str) -> None:
        self.root = Node(name)
        self._stacks: dict[str, tuple[str, Node, tuple[str, ...]]] = {id: (name, self.root, ())}
        """For each stack by its id: its name, its node and the path of the node."""

    def expect(self, resources: Iterable[JsonMapping]) -> None:
        """Adds the resources that existed before the first event, as the API lists them."""
        waiting = list(resources)
        while waiting:
            left = [raw for raw in waiting if not self._expect(raw)]
            if len(left) == len(waiting):
                return
            waiting = left

    def _expect(self, raw: JsonMapping) -> bool:
        """Adds a resource and returns True, if its stack is already in the tree."""
        links = {link.get("rel"): link.get("href", "") for link in raw.get("links") or ()}
        found = self._stacks.get(stack_id(links.get("stack", "")))
        if found is None:
            return False
        _, parent, path = found
        name = raw["resource_name"]
        node = parent.below.setdefault(name, Node(name))
        node.status = node.status or raw.get("resource_status") or ""
        nested = stack_id(links.get("nested", ""))
        if nested:
            self._stacks[nested] = (_stack_name(links["nested"]), node, (*path, name))
        return True

    def find(self, raw: JsonMapping) -> Node | None:
        """The node of a resource as the API lists it."""
        links = {link.get("rel"): link.get("href", "") for link in raw.get("links") or ()}
        found = self._stacks.get(stack_id(links.get("stack", "")))
        return found[1].below.get(raw["resource_name"]) if found else None

    def see(self, event: Event, now: float) -> tuple[str, ...]:
        """Updates the tree, and returns the path of the event's resource; empty for the stack itself."""
        _, parent, path = self._place(event)
        if event.of_stack:
            # The state of a nested stack comes with the events of its resource.
            if parent is self.root:
                _change(self.root, event, now)
            return path
        node = parent.below.setdefault(event.resource, Node(event.resource))
        way = (*path, event.resource)
        if event.physical_id and event.physical_id in self._stacks:
            self._move(event.physical_id, node, way)
        _change(node, event, now)
        return way

    def _place(self, event: Event) -> tuple[str, Node, tuple[str, ...]]:
        found = self._stacks.get(event.stack.id)
        if found is None:
            found = self._guess(event.stack.name)
            self._stacks[event.stack.id] = found
        return found

    def _guess(self, name: str) -> tuple[str, Node, tuple[str, ...]]:
        """The node of a stack that is not known yet, by its name: it starts with those of its parent and resource."""
        best: tuple[int, Node, tuple[str, ...]] | None = None
        for stack_name, parent, path in self._stacks.values():
            if not name.startswith(f"{stack_name}-"):
                continue
            rest = name[len(stack_name) + 1 :]
            for child in parent.below.values():
                length = len(stack_name) + len(child.name)
                if rest.startswith(f"{child.name}-") and (best is None or length > best[0]):
                    best = (length, child, (*path, child.name))
        if best is not None:
            return name, best[1], best[2]
        node = self.root.below.setdefault(name, Node(name))
        return name, node, (name,)

    def _move(self, stack_id: str, node: Node, path: tuple[str, ...]) -> None:
        """Corrects a wrong guess once the resource of the stack is known."""
        name, guessed, _ = self._stacks[stack_id]
        if guessed is node:
            return
        node.below.update(guessed.below)
        guessed.below = {}
        if guessed.name == name:
            self.root.below.pop(name, None)
        self._stacks[stack_id] = (name, node, path)

    def counts(self) -> dict[str, int]:
        """The number of resources by progress; by the empty string, those without an event."""
        made = {"COMPLETE": 0, "FAILED": 0, "IN_PROGRESS": 0, "": 0}
        for node in self.root.walk():
            made[node.progress] += 1
        return made


def _change(node: Node, event: Event, now: float) -> None:
    running = progress_of(event.status) == "IN_PROGRESS"
    if node.began is None or (running and node.ended is not None):
        node.began, node.ended = now, None
    if not running:
        node.ended = now
    node.status, node.reason = event.status, event.reason
    if progress_of(event.status) == "COMPLETE":
        _settle(node, now)


def _settle(node: Node, now: float) -> None:
    """Completes the resources below a completed one. The events of a deleted nested stack may be lost with it."""
    gone = node.status == "DELETE_COMPLETE"
    for below in node.walk():
        if below.progress == "IN_PROGRESS" or (gone and below.status != node.status):
            below.status, below.reason = node.status, ""
            below.began = now if below.began is None else below.began
            below.ended = now


def stack_id(address: str) -> str:
    """The stack id in the URL of a stack, or of something in a stack."""
    parts = address.partition("/stacks/")[2].split("/")
    return unquote(parts[1]) if len(parts) > 1 else ""


def _stack_name(address: str) -> str:
    return unquote(address.partition("/stacks/")[2].split("/")[0])
