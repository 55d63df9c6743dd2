"""Someone who keeps images, volumes and objects in a cloud."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from tests.support.cloud import Cloud, project_scope

OCTETS = {"Content-Type": "application/octet-stream"}


@dataclass
class Speaker:
    """One user, in one project, who talks to one service."""

    cloud: Cloud
    root: str
    user: str = "demo"
    project: str = "demo"

    def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        token = self.cloud.token_of(self.user, project_scope(self.project))
        headers = {"X-Auth-Token": token, **more.pop("headers", {})}
        return self.cloud.client.request(method, f"{self.root}{path}", json=body, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        answer = self("GET", path, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def project_id(self) -> str:
        return self.cloud.id_of("projects", self.project)


def add_other(cloud: Cloud) -> None:
    """A user `other` in a project of the same name."""
    cloud.make("/projects", "project", name="other")
    cloud.user("other", "member", project="other")


def image_speaker(cloud: Cloud, user: str = "demo", project: str | None = None) -> Speaker:
    return Speaker(cloud, "/image/v2", user, project or user)


def volume_speaker(cloud: Cloud, user: str = "demo", project: str | None = None) -> Speaker:
    project = project or user
    return Speaker(cloud, f"/volume/v3/{cloud.id_of('projects', project)}", user, project)


def object_speaker(cloud: Cloud, user: str = "demo", project: str | None = None) -> Speaker:
    project = project or user
    account = f"/object-store/v1/AUTH_{cloud.id_of('projects', project)}"
    return Speaker(cloud, account, user, project)


def until(probe: Any) -> Any:
    """What the probe tells as soon as it tells something."""
    for _ in range(3000):
        if found := probe():
            return found
        time.sleep(0.01)
    raise AssertionError("It did not happen.")


def wait_for(speaker: Speaker, path: str, status: str = "available") -> dict[str, Any]:
    """The one thing in the answer, as soon as it is in this state."""

    def probe() -> dict[str, Any] | None:
        [shown] = speaker.get(path).values()
        return shown if shown["status"] == status else None

    found: dict[str, Any] = until(probe)
    return found


def wait_until_gone(speaker: Speaker, path: str) -> None:
    until(lambda: speaker("GET", path).status_code == 404)


def microversion(minor: int) -> dict[str, str]:
    return {"OpenStack-API-Version": f"volume 3.{minor}"}
