"""Ways into the API for tests."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import httpx2 as httpx
from sqlalchemy import Engine, Table
from starlette.testclient import TestClient

from calor.api.app import create_app
from calor.api.auth import Identity
from calor.api.errors import Unauthorized
from calor.api.settings import ApiSettings
from calor.language.library import World
from calor.service.authorization import Authorizer
from calor.service.caller import Caller
from calor.service.commands import Commands
from calor.service.policy import Policy
from calor.service.queries import Queries
from calor.stacks import definitions
from calor.stacks.vault import Vault
from calor.store import contents, records, tables
from calor.store.writer import Changes, Writer

PROJECT = "5f1d6c2ab0a84c1f9a7d3f7e2b9c4d10"
OTHER = "0c7be9a0a21d4d3cb2a4d1e5f6a7b8c9"


EMPTY: dict[str, Any] = {"heat_template_version": "2021-04-16"}


@dataclass
class Stage:
    database: Engine
    writer: Writer
    world: World
    queries: Queries
    commands: Commands
    policy: Policy

    def use_vault(self, vault: Vault) -> None:
        self.commands = Commands(
            self.database, self.writer, self.world, lambda: None, policy=self.policy, vault=vault
        )

    def insert(self, table: Table, **row: Any) -> None:
        changes = Changes()
        changes.insert(table, **row)
        self.writer.write(changes)

    def change(self, table: Table, id: str, **values: Any) -> None:
        changes = Changes()
        changes.update(table, id, **values)
        self.writer.write(changes)

    def remove(self, table: Table, id: str) -> None:
        changes = Changes()
        changes.delete(table, id)
        self.writer.write(changes)

    def add_stack(self, name: str, **values: Any) -> str:
        """A stack row as it is after a creation, changed as wanted."""
        digest, bodies = definitions.encode({"template": values.pop("template", EMPTY)})
        id = str(uuid4())
        stack = records.Stack(
            id=id,
            name=name,
            project=PROJECT,
            root=id,
            parent=None,
            parent_resource=None,
            depth=0,
            action="CREATE",
            status="COMPLETE",
            reason="Stack CREATE completed successfully",
            created_at=time.time(),
            updated_at=None,
            deleted_at=None,
            definition=digest,
            previous=None,
            description="No description",
            disable_rollback=True,
            timeout_mins=None,
            username="alice",
            user_project=None,
            credentials=None,
            tags=[],
            outputs={},
            run_id=id,
            run={},
        )
        stack = replace(stack, **values)
        changes = Changes()
        changes.insert(tables.stack, **records.as_row(stack))
        for tag in stack.tags:
            changes.insert(tables.tag, stack=stack.id, tag=tag)
        changes.then(lambda connection: contents.put(connection, bodies))
        self.writer.write(changes)
        return stack.id

    def add_resource(self, stack: str, name: str, **values: Any) -> str:
        id = str(uuid4())
        row: dict[str, Any] = {
            "id": id,
            "stack": stack,
            "name": name,
            "type": "OS::Heat::TestResource",
            "physical_id": f"physical-{name}",
            "action": "CREATE",
            "status": "COMPLETE",
            "reason": "state changed",
            "created_at": time.time(),
            "updated_at": None,
            "definition": None,
            "properties": {},
            "metadata": {},
            "attributes": {},
            "data": {},
            "requires": [],
            "replaces": None,
            "replaced_by": None,
        }
        self.insert(tables.resource, **{**row, **values})
        return id

    def add_event(self, stack: str, resource: str, **values: Any) -> str:
        id = str(uuid4())
        row: dict[str, Any] = {
            "id": id,
            "stack": stack,
            "root": stack,
            "resource": resource,
            "type": "OS::Heat::TestResource",
            "physical_id": None,
            "action": "CREATE",
            "status": "COMPLETE",
            "reason": "state changed",
            "at": time.time(),
            "properties": None,
        }
        self.insert(tables.event, **{**row, **values})
        return id


class FakeAuthenticator:
    """Knows tokens that say themselves whose they are: `user:project:role,role`, and what their catalog has:
    `…:service,service`."""

    challenge = 'Keystone uri="http://keystone.test/v3"'

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def authenticate(self, headers: Mapping[str, str], project: str) -> Caller:
        return self._identity(headers).acting_in(project, lambda roles, own: self._policy.is_admin(roles))

    def authenticate_at_home(self, headers: Mapping[str, str]) -> Caller:
        return self._identity(headers).at_home(lambda roles, own: self._policy.is_admin(roles))

    def _identity(self, headers: Mapping[str, str]) -> Identity:
        parts = headers.get("x-auth-token", "").split(":")
        if len(parts) not in (3, 4):
            raise Unauthorized
        user, own, roles = parts[:3]
        return Identity(
            user_id=f"id-of-{user}",
            username=user,
            user_domain="default",
            project=own,
            project_name=own,
            roles=tuple(roles.split(",")),
            token="",
            expires_at=float("inf"),
            services=frozenset(parts[3].split(",")) if len(parts) == 4 else None,
        )


def token(user: str = "alice", project: str = PROJECT, roles: str = "member,reader") -> str:
    return f"{user}:{project}:{roles}"


@dataclass
class Door:
    client: TestClient
    stage: Stage
    project: str
    token: str = token()

    def __call__(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """A request below the project."""
        headers = {"X-Auth-Token": self.token, **options.pop("headers", {})}
        sent = {} if body is None else {"json": body}
        return self.client.request(method, f"/v1/{self.project}{path}", headers=headers, **sent, **options)

    def get(self, path: str, **query: Any) -> Any:
        answer = self("GET", path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def act(self, path: str, verb: str) -> Any:
        """Does an action, and gives the stack when it has ended."""
        answer = self("POST", f"{path}/actions", {verb: None})
        assert (answer.status_code, answer.json()) == (200, None), answer.text
        return self.settled(path)

    def by(self, token: str, project: str | None = None) -> Door:
        """The same for somebody else."""
        return Door(self.client, self.stage, project or self.project, token)

    def create(self, name: str = "s", template: Any = None, **more: Any) -> str:
        """Creates a stack and gives its path."""
        body = {"stack_name": name, "template": template or SMALL, **more}
        answer = self("POST", "/stacks", body)
        assert answer.status_code == 201, answer.text
        return f"/stacks/{name}/{answer.json()['stack']['id']}"

    def deleted(self, path: str, seconds: float = 20.0) -> None:
        """Deletes a stack, and returns when it is gone."""
        assert self("DELETE", path).status_code == 204
        assert self.settled(path, seconds)["stack_status"] == "DELETE_COMPLETE"

    def settled(self, path: str, seconds: float = 20.0) -> Any:
        """The stack when its action has ended."""
        end = time.monotonic() + seconds
        while True:
            stack = self.get(path)["stack"]
            if not stack["stack_status"].endswith("IN_PROGRESS"):
                return stack
            assert time.monotonic() < end, stack
            time.sleep(0.01)


def open_door(stage: Stage, **settings: Any) -> Door:
    app = create_app(
        Authorizer(stage.queries, stage.commands, stage.policy),
        FakeAuthenticator(stage.policy),
        ApiSettings(poll_seconds=0.01, **settings),
    )
    client = TestClient(app, base_url="http://heat.test:8004", follow_redirects=False)
    return Door(client, stage, PROJECT)


def error(answer: httpx.Response, status: int) -> Any:
    """The error in an answer that must have that status and the shape of a fault."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["code"] == status
    assert set(body) >= {"code", "title", "explanation", "error"}
    assert set(body["error"]) == {"type", "message", "traceback"}
    return body["error"]


SMALL: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "description": "Two values",
    "parameters": {
        "size": {"type": "number", "default": 3},
        "names": {"type": "comma_delimited_list", "default": "a,b"},
        "extra": {"type": "json", "default": {"k": [1]}},
        "secret": {"type": "string", "default": "s3cret", "hidden": True},
        "flag": {"type": "boolean", "default": True},
    },
    "resources": {
        "first": {"type": "OS::Heat::TestResource", "properties": {"value": "one"}},
        "second": {
            "type": "OS::Heat::TestResource",
            "depends_on": "first",
            "metadata": {"role": "second"},
            "description": "Comes later",
        },
    },
    "outputs": {
        "size": {"value": {"get_param": "size"}, "description": "How many"},
        "plain": {"value": "text"},
    },
}
