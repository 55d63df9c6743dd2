"""A server to kill, with a service whose objects can be inspected."""

from __future__ import annotations

from pathlib import Path

from tests.kill.journalled import JOURNAL, Journalled, Service
from tests.kill.killable_server import Served
from tests.support.plugins import install, on_path


class Lab(Served):
    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        self.service = Service(folder / "journal")
        self.service.journal.touch()
        plugin = Path(__file__).with_name("journalled.py")
        install(folder / "plugins", "journalled", [plugin], {"journalled": "journalled"})
        environment = {**on_path(folder / "plugins"), JOURNAL: str(self.service.journal)}
        if database_url is not None:
            environment["OS_DATABASE__CONNECTION"] = database_url
        super().__init__(folder, **environment)

    def kill(self, victim: str) -> int:
        """Kills a part, or everything, and returns when it is there again: how long the journal was when it was
        gone."""
        before = self.fell(victim)
        size = self.service.journal.stat().st_size
        self.raise_again(victim, before)
        return size

    def check_things(self, wanted: dict[str, dict[str, str] | None], ids: dict[str, str]) -> None:
        """Whether the service has exactly what the stacks want, and made nothing twice. `wanted` has the values
        by path for each stack that exists, None for one that is half done; `ids` the ids of those stacks."""
        things = self.service.things()
        made_for = [thing.resource for thing in things.values()]
        assert len(made_for) == len(set(made_for)), "something was made twice for one resource"
        known: dict[str, str] = {}
        for name, values in wanted.items():
            shown = self.resources(name, ids[name])
            own = {path: one for path, one in shown.items() if one["resource_type"] == Journalled.type_name}
            states = {path: one["resource_status"] for path, one in shown.items()}
            if values is None:
                assert not any(state.endswith("IN_PROGRESS") for state in states.values()), states
                known |= {id: path for path, one in own.items() if (id := one["physical_resource_id"])}
                continue
            assert all(state.endswith("_COMPLETE") for state in states.values()), states
            assert own.keys() == values.keys(), "other resources than the template says"
            for path, one in own.items():
                id = one["physical_resource_id"]
                assert id in things, f"{name}/{path} was never made"
                assert things[id].values[-1] == values[path], f"{name}/{path} has another value"
                known[id] = f"{name}/{path}"
        alive = {id for id, thing in things.items() if not thing.deleted}
        assert alive == known.keys(), (
            f"lost: {[known[id] for id in known.keys() - alive]}, left over: {alive - known.keys()}"
        )
        for thing in things.values():
            pairs = zip(thing.values, thing.values[1:], strict=False)
            assert all(one != other for one, other in pairs), f"changed twice: {thing}"
