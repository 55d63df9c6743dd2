"""A server to kill, with a cloud that can be inspected and that fails on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2 as httpx

from tests.kill.cloud_parts import MEMBERS, SECURITY, SERVER
from tests.kill.cloud_plans import CloudWish
from tests.kill.cloud_view import KINDS, Claim, Kind, Object, Objects, differences
from tests.kill.killable_server import Served, until

# Flavors of servers show their names from this version on.
_HEADERS = {"OpenStack-API-Version": "compute 2.79"}


class CloudLab(Served):
    def __init__(self, folder: Path, **environment: str) -> None:
        super().__init__(folder, **environment)
        self._images = {one["id"]: one["name"] for one in self._list("image/v2/images", "images")}
        self._furnished = {type: objects.keys() for type, objects in self._objects().items()}

    # Mischief.

    def log_in(self) -> None:
        super().log_in()
        self._admin = self.server.token_of("calor-admin")[0]

    def switch_on(self, fault: dict[str, Any]) -> None:
        self._ask_cloud("POST", "faults/", self._admin, json={"fault": fault})

    def switch_all_off(self) -> int:
        """How many requests were hit by the faults."""
        faults = self._ask_cloud("GET", "faults/", self._admin).json()["faults"]
        self._ask_cloud("DELETE", "faults/", self._admin)
        return sum(fault["hits"] for fault in faults)

    # What there is.

    def _ask_cloud(self, method: str, path: str, token: str, **body: Any) -> httpx.Response:
        url = f"http://127.0.0.1:{self.server.port + 2}/{path}"

        def answered() -> httpx.Response | None:
            try:
                return httpx.request(
                    method, url, headers={"X-Auth-Token": token, **_HEADERS}, timeout=30, **body
                )
            except httpx.HTTPError:
                return None

        answer = until(answered, f"an answer to {method} {path}")
        assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def _list(self, path: str, key: str) -> list[Object]:
        listed: list[Object] = self._ask_cloud("GET", path, self.token).json()[key]
        return listed

    def _of_kind(self, kind: Kind) -> dict[str, Object]:
        listed = self._list(kind.path.format(project=self.project), kind.key)
        objects = [one[kind.wrapped] if kind.wrapped else one for one in listed]
        own = [one for one in objects if one.get("project_id", self.project) == self.project]
        return {one[kind.id]: one for one in own}

    def _objects(self) -> Objects:
        there = {type: self._of_kind(kind) for type, kind in KINDS.items()}
        for server in there[SERVER].values():
            server["image_name"] = self._images[server["image"]["id"]]
        return there

    # Whether it is what the stacks say.

    def claims(self, name: str, id: str, wish: CloudWish) -> list[Claim]:
        """What a stack says there is. Fails if it is not what its template asks for."""
        shown = {
            path: one
            for path, one in self.resources(name, id).items()
            if one["resource_type"] != MEMBERS and not one["resource_type"].endswith(".yaml")
        }
        wanted = wish.objects()
        assert shown.keys() == wanted.keys(), f"{name} has {shown.keys()}, not {wanted.keys()}"
        states = {path: one["resource_status"] for path, one in shown.items()}
        assert all(state.endswith("_COMPLETE") for state in states.values()), states
        ids = {path: one["physical_resource_id"] for path, one in shown.items()}
        return [Claim(f"{name}/{path}", part, ids[path], ids) for path, part in wanted.items()]

    def check_cloud(self, claims: list[Claim]) -> None:
        """Whether the cloud has exactly what the stacks say, beside what it was furnished with."""
        there = {
            type: {id: one for id, one in objects.items() if id not in self._furnished[type]}
            for type, objects in self._objects().items()
        }
        # Each project gets its own when it first asks for anything.
        there[SECURITY] = {id: one for id, one in there[SECURITY].items() if one["name"] != "default"}
        found = differences(claims, there)
        assert not found, "\n".join(found)
