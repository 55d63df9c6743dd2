"""Operations on several stacks at once, begun and looked at through a laboratory's API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

from tests.kill.killable_server import Served, until
from tests.kill.lab import Lab
from tests.kill.plans import Life, Operation


class Wished(Protocol):
    def template(self) -> dict[str, Any]: ...
    def request(self) -> dict[str, Any]: ...


class Asked(Protocol):
    """Something that is asked for. Without a wish it is the end of the stack."""

    @property
    def kind(self) -> str: ...
    @property
    def wish(self) -> Wished | None: ...
    @property
    def rolls_back(self) -> bool: ...


L = TypeVar("L", bound=Served)


class Round(Generic[L]):
    """Operations on several stacks at once, during which something happens to their server."""

    def __init__(self, lab: L, ids: dict[str, str]) -> None:
        self.lab = lab
        self.ids = ids

    def begin_all(self, operations: Mapping[str, Asked]) -> None:
        for name, operation in operations.items():
            self.begin(name, operation)

    def begin(self, name: str, operation: Asked) -> None:
        lab = self.lab
        if operation.wish is None:
            path = f"/stacks/{name}/{self.ids[name]}"
            lab.change("DELETE", path, None, lambda: self.state(name).startswith("DELETE"))
            return
        request = {
            **operation.wish.request(),
            "disable_rollback": not operation.rolls_back,
            "timeout_mins": 5,
        }
        if operation.kind.startswith("create"):
            body = {"stack_name": name, **request}
            lab.change("POST", "/stacks", body, lambda: lab.stack(name) is not None)
            self.ids[name] = until(lambda: lab.stack(name), f"the stack {name}")["id"]
        else:
            path = f"/stacks/{name}/{self.ids[name]}"
            begun = self._updates(name)
            # Its template would not tell: it may have been rolled back by now.
            lab.change("PUT", path, request, lambda: bool(self._updates(name) - begun))

    def _updates(self, name: str) -> set[str]:
        """The events of a stack that tell of updates that began."""
        id = self.ids[name]
        return {
            one["id"]
            for one in self.lab.events(name, id)
            if one["physical_resource_id"] == id and one["resource_status"] == "UPDATE_IN_PROGRESS"
        }

    def state(self, name: str) -> str:
        stack = self.lab.stack(f"{name}/{self.ids[name]}")
        return str(stack["stack_status"]) if stack is not None else "DELETE_COMPLETE"

    def ended(self, name: str) -> str | None:
        """The state of a stack that is not under way."""
        state = self.state(name)
        return None if state.endswith("IN_PROGRESS") else state


def check_end(round: Round[Lab], lives: list[Life], operations: dict[str, Operation]) -> None:
    """Waits for the end of all operations; whether they came to the end that they had to."""
    for life in lives:
        operation = operations[life.name]
        state = until(lambda life=life: round.ended(life.name), f"the end of {operation.kind}")
        assert state == operation.state, f"{operation.kind}: {round.lab.stack(life.name)}"
        round.lab.check_events(life.name, round.ids[life.name], state)
        life.done(operation)
    assert not round.lab.unfinished()
    wanted = {
        life.name: life.present.values() if life.present else None if life.half_done else {}
        for life in lives
        if life.exists
    }
    round.lab.check_things(wanted, round.ids)
