"""Users of single resources, with whose credentials external software signals them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from calor.clouds.sessions import Cloud, access_of
from calor.clouds.signing import KeyPair, Purpose, presigned_url
from calor.clouds.stack_users import StackUsers
from calor.engine.run.control import Control
from calor.engine.run.journal import Journal
from calor.engine.run.remote import request
from calor.engine.run.root import RootStack
from calor.engine.run.rows import TreeRows
from calor.resources.values import JsonObject
from calor.store import records, tables
from calor.store.cipher import Cipher

SECRET = "_user"
"""The key for a resource's encrypted user."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The public URLs of the APIs and the identity service."""

    orchestration: str
    cfn: str
    identity: str
    region: str = "RegionOne"


@dataclass(frozen=True, slots=True)
class UserServices:
    """What creating users of resources needs."""

    cloud: Cloud
    users: StackUsers
    cipher: Cipher
    addresses: Addresses
    polling_interval: int | None = None
    """After how many seconds agents on servers look for changes; None leaves it to them."""


class UserResource(Protocol):
    """The resource of a user."""

    @property
    def name(self) -> str: ...
    @property
    def stack_name(self) -> str: ...
    @property
    def stack_id(self) -> str: ...
    @property
    def arn(self) -> str: ...
    @property
    def data(self) -> JsonObject: ...

    def physical_name(self, limit: int = 255) -> str: ...

    def set_data(self, **data: object) -> None: ...


class ResourceUsers:
    """The users of the resources of one run."""

    def __init__(
        self, control: Control, root: RootStack, rows: TreeRows, journal: Journal, services: UserServices
    ) -> None:
        self._control = control
        self._root = root
        self._rows = rows
        self._journal = journal
        self._services = services

    @property
    def addresses(self) -> Addresses:
        return self._services.addresses

    @property
    def polling_interval(self) -> int | None:
        return self._services.polling_interval

    async def user(self, ctx: UserResource, password: str | None = None) -> JsonObject:
        """The resource's user, created on first use."""
        known = self._own(ctx)
        if known is not None:
            return known
        project = await self._project()
        made = await request(
            self._control, self._services.users.create_user, ctx.physical_name(64), project, password
        )
        user = {"user_id": made.id, "username": made.name, "password": made.password, "project": project}
        self._keep(ctx, user)
        return user

    def _own(self, ctx: UserResource) -> JsonObject | None:
        """The user that was created for the resource. Only this encrypted record is trusted: other ids in the
        resource's data may come from a request."""
        known = ctx.data.get(SECRET)
        if known is None:
            return None
        found: JsonObject = self._services.cipher.decrypt(known.encode())
        return found

    def _keep(self, ctx: UserResource, user: JsonObject) -> None:
        ctx.set_data(**{"user_id": user["user_id"], SECRET: self._services.cipher.encrypt(user).decode()})

    async def _project(self) -> str:
        """The project of the whole tree's users."""
        root = await self._rows.stack_in_tree(self._root.row.root)
        assert root is not None
        if root.user_project is not None:
            return root.user_project
        project = await request(self._control, self._services.users.create_project, root.project, root.id)
        self._journal.stack(root.id, user_project=project)
        if self._root.row.id == root.id:
            self._root.refresh(user_project=project)
        await self._journal.flush()
        return project

    async def keys(self, ctx: UserResource) -> KeyPair:
        user = await self.user(ctx)
        if "access" not in user:
            made = await request(
                self._control,
                self._services.users.create_keys,
                user["user_id"],
                user["password"],
                user["project"],
            )
            user = {**user, "access": made.access, "secret": made.secret}
            self._keep(ctx, user)
        return KeyPair(user["access"], user["secret"])

    async def signed_url(self, ctx: UserResource, purpose: Purpose) -> str:
        return presigned_url(self._services.addresses.cfn, ctx.arn, purpose, await self.keys(ctx))

    def signal_url(self, ctx: UserResource, project: str) -> str:
        base = f"{self._services.addresses.orchestration}/{project}"
        return f"{base}/stacks/{ctx.stack_name}/{ctx.stack_id}/resources/{ctx.name}/signal"

    async def token(self, ctx: UserResource) -> str:
        user = await self.user(ctx)

        def log_in() -> str:
            session = self._services.cloud.as_user(user["user_id"], user["password"], user["project"])
            return str(access_of(session).auth_token)

        return await request(self._control, log_in)

    async def credentials(self, ctx: UserResource) -> JsonObject:
        user = await self.user(ctx)
        return {
            "auth_url": self._services.addresses.identity,
            "username": user["username"],
            "user_id": user["user_id"],
            "password": user["password"],
            "project_id": user["project"],
            "domain_id": await request(self._control, lambda: self._services.users.domain_id),
            "region_name": self._services.addresses.region,
        }

    async def enable(self, ctx: UserResource, enabled: bool) -> None:
        user = self._own(ctx)
        if user is not None:
            await request(self._control, self._services.users.enable_user, user["user_id"], enabled)

    async def remove(self, ctx: UserResource) -> None:
        user = self._own(ctx)
        if user is not None:
            await request(self._control, self._services.users.delete_user, user["user_id"])

    async def remove_project(self, stack: records.Stack) -> None:
        if stack.user_project is not None:
            await request(self._control, self._services.users.delete_project, stack.user_project)
            self._journal.changes.update(tables.stack, stack.id, user_project=None)
