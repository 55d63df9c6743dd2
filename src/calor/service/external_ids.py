"""Looks up what templates only refer to by an `external_id`, before a stack relies on it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Engine, Table, select

from calor.clouds.errors import CloudError, Transient
from calor.engine.foreign import exists
from calor.engine.tree import is_of_project
from calor.language.definition import Definition, ResourceDefinition
from calor.language.expressions import FunctionError, resolve_top
from calor.language.values import bare, has_unknown
from calor.plan.decision import has_stack_below
from calor.service.errors import ServiceError
from calor.store import tables
from calor.store.database import reading
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.clouds.heat import RemoteHeat
    from calor.clouds.services import Services
    from calor.engine.vault import Vault

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Eyes:
    """With whose eyes things are looked up: those of a caller in a project. Without services, only what Calor itself
    keeps can be."""

    database: Engine
    project: str
    services: Services | None = None
    vault: Vault | None = None
    token: str = ""


def check_external_ids(definition: Definition, open_eyes: Callable[[], Eyes]) -> None:
    """Raises ServiceError if a resource of a stack, or of one below it, names something that the caller's project does
    not have. What is not known yet, the engine looks up."""
    external = list(_external(definition))
    eyes = open_eyes() if external else None
    for resource, id in external:
        assert eyes is not None
        if eyes.services is None and not _is_kept_here(resource.found):
            continue
        try:
            there = _done(exists(resource.found, Inquiry(eyes, id, bare(resource.values))))
        except NotImplementedError:
            continue
        except (Transient, ResourceFailed) as error:
            message = f"The external_id of {resource.name} cannot be looked up at present: {error}"
            raise ServiceError("HTTPServiceUnavailable", message) from None
        except CloudError:
            there = False
        if not there:
            message = (
                f"Invalid external resource: {resource.name} names the {resource.type_name} {id}, "
                "which could not be found in the project."
            )
            raise ServiceError("StackValidationFailed", message)


def _external(definition: Definition) -> Iterator[tuple[ResourceDefinition, str]]:
    for resource in definition.resources.values():
        if resource.text.external_id is not None:
            try:
                value = resolve_top(resource.external_expression, definition.scope)
            except FunctionError:
                continue
            if not has_unknown(value):
                yield resource, str(bare(value))
        elif resource.child is not None:
            yield from _external(resource.child)


def _is_kept_here(found: Any) -> bool:
    return has_stack_below(found) or getattr(found, "kept_here", False)


def _done(work: Coroutine[Any, Any, Answer]) -> Answer:
    """What a coroutine gives that never waits, as an inquiry answers at once."""
    try:
        work.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    work.close()
    raise RuntimeError("a type waits for something in order to tell whether an object exists")


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A resource as a type sees it that is asked whether what it stands for exists."""

    eyes: Eyes
    physical_id: str
    properties: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)

    async def cloud(self, region: str | None = None) -> Shows:
        assert self.eyes.services is not None
        return Shows(self.eyes.services)

    async def config(self, id: str) -> dict[str, Any] | None:
        return self._kept(tables.software_config, id)

    async def deployment(self, id: str) -> dict[str, Any] | None:
        return self._kept(tables.software_deployment, id)

    async def owns_stack(self, id: str) -> bool:
        with reading(self.eyes.database).connect() as connection:
            return is_of_project(connection, self.eyes.project, id)

    async def remote_stacks(self, place: Mapping[str, Any]) -> RemoteShows:
        assert self.eyes.vault is not None
        return RemoteShows(self.eyes.vault.heat_for(self.eyes.token, place.get("region_name")))

    def _kept(self, table: Table, id: str) -> dict[str, Any] | None:
        query = select(table.c.id).where(table.c.id == id, table.c.project == self.eyes.project)
        with reading(self.eyes.database).connect() as connection:
            return {"id": id} if connection.execute(query).first() is not None else None


class Shows:
    """The part of `CloudServices` that shows objects."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        return self._services.show(service, *path, version=version)

    async def ask(self, service: str, method: str, *path: str, **request: Any) -> dict[str, Any]:
        if method != "GET":
            raise RuntimeError(f"{method} is not for looking something up")
        return self._services.ask(service, method, *path, **request)

    async def send(self, service: str, method: str, *path: str, **request: Any) -> Any:
        if method not in ("GET", "HEAD"):
            raise RuntimeError(f"{method} is not for looking something up")
        return self._services.send(service, method, *path, **request)

    async def all(self, service: str, *path: str, key: str, **request: Any) -> list[dict[str, Any]]:
        return list(self._services.each(service, *path, key=key, **request))

    def __getattr__(self, name: str) -> Any:
        """What needs more than that is left to the engine."""
        raise NotImplementedError(name)


class RemoteShows:
    def __init__(self, heat: RemoteHeat) -> None:
        self._heat = heat

    async def show(self, id: str) -> dict[str, Any] | None:
        return self._heat.show(id)
