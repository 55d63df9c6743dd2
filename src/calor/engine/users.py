"""Users of a resource's own, in whose name software outside signals it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calor.clouds.sessions import access_of
from calor.clouds.signing import KeyPair, Purpose, presigned_url
from calor.engine.remote import asked
from calor.store import records, tables

if TYPE_CHECKING:
    from calor.clouds.sessions import Cloud
    from calor.clouds.stack_users import StackUsers
    from calor.engine.context import Context
    from calor.engine.runs import Run
    from calor.store.cipher import Cipher

SECRET = "_user"
"""Where a resource keeps its user, encrypted."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where servers and users reach Calor."""

    orchestration: str
    cfn: str
    identity: str
    region: str = "RegionOne"


@dataclass(frozen=True, slots=True)
class UserServices:
    """What is needed to give resources users."""

    cloud: Cloud
    users: StackUsers
    cipher: Cipher
    addresses: Addresses


class ResourceUsers:
    """The users of the resources of one run."""

    def __init__(self, run: Run, services: UserServices) -> None:
        self._run = run
        self._services = services

    @property
    def addresses(self) -> Addresses:
        return self._services.addresses

    async def user(self, ctx: Context, password: str | None = None) -> dict[str, Any]:
        """The resource's user, made when it is first asked for."""
        known = self._own(ctx)
        if known is not None:
            return known
        project = await self._project()
        made = await asked(
            self._run, self._services.users.make_user, ctx.physical_name(64), project, password
        )
        user = {"user_id": made.id, "username": made.name, "password": made.password, "project": project}
        self._keep(ctx, user)
        return user

    def _own(self, ctx: Context) -> dict[str, Any] | None:
        """The user that was made for the resource. Only this record counts, which nobody else can write: other ids
        among the resource's data may have come with a request."""
        known = ctx.data.get(SECRET)
        if known is None:
            return None
        found: dict[str, Any] = self._services.cipher.decrypt(known.encode())
        return found

    def _keep(self, ctx: Context, user: dict[str, Any]) -> None:
        ctx.note(**{"user_id": user["user_id"], SECRET: self._services.cipher.encrypt(user).decode()})

    async def _project(self) -> str:
        """The project of the whole tree's users."""
        root = await self._run.stack_of_tree(self._run.stack.root)
        assert root is not None
        if root.user_project is not None:
            return root.user_project
        project = await asked(self._run, self._services.users.make_project, root.project, root.id)
        self._run.journal.stack(root.id, user_project=project)
        if self._run.stack.id == root.id:
            self._run.stack = records.changed(self._run.stack, user_project=project)
        await self._run.journal.flush()
        return project

    async def keys(self, ctx: Context) -> KeyPair:
        user = await self.user(ctx)
        if "access" not in user:
            made = await asked(
                self._run, self._services.users.make_keys, user["user_id"], user["password"], user["project"]
            )
            user = {**user, "access": made.access, "secret": made.secret}
            self._keep(ctx, user)
        return KeyPair(user["access"], user["secret"])

    async def signed_url(self, ctx: Context, purpose: Purpose) -> str:
        return presigned_url(self._services.addresses.cfn, ctx.arn, purpose, await self.keys(ctx))

    def signal_url(self, ctx: Context, project: str) -> str:
        base = f"{self._services.addresses.orchestration}/{project}"
        return f"{base}/stacks/{ctx.stack_name}/{ctx.stack_id}/resources/{ctx.name}/signal"

    async def token(self, ctx: Context) -> str:
        user = await self.user(ctx)

        def log_in() -> str:
            session = self._services.cloud.as_user(user["user_id"], user["password"], user["project"])
            return str(access_of(session).auth_token)

        return await asked(self._run, log_in)

    async def credentials(self, ctx: Context) -> dict[str, Any]:
        user = await self.user(ctx)
        return {
            "auth_url": self._services.addresses.identity,
            "username": user["username"],
            "user_id": user["user_id"],
            "password": user["password"],
            "project_id": user["project"],
            "domain_id": await asked(self._run, lambda: self._services.users.domain_id),
            "region_name": self._services.addresses.region,
        }

    async def enable(self, ctx: Context, enabled: bool) -> None:
        user = self._own(ctx)
        if user is not None:
            await asked(self._run, self._services.users.enable_user, user["user_id"], enabled)

    async def remove(self, ctx: Context) -> None:
        user = self._own(ctx)
        if user is not None:
            await asked(self._run, self._services.users.delete_user, user["user_id"])

    async def remove_project(self, stack: records.Stack) -> None:
        if stack.user_project is not None:
            await asked(self._run, self._services.users.delete_project, stack.user_project)
            self._run.journal.changes.update(tables.stack, stack.id, user_project=None)
