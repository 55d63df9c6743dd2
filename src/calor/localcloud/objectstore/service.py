"""The object store: accounts, containers and objects, with their counters."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from calor.localcloud.context import Context
from calor.localcloud.objectstore.records import (
    Account,
    Container,
    Records,
    StoredObject,
    container_key,
    object_key,
)
from calor.localcloud.problems import NotFound

NOT_FOUND = "The resource could not be found."


class ObjectStoreService:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.records = Records(context.store)
        self._folder = context.folder / "objects"

    def now(self) -> float:
        """Seconds since 1970, to the hundred thousandth, as Swift stamps everything."""
        return round(self.context.clock().timestamp(), 5)

    def account(self, account_id: str) -> Account:
        return self.records.accounts.get(account_id) or self.records.accounts.add(
            Account(account_id, self.now())
        )

    def find_container(self, account_id: str, name: str) -> Container | None:
        return self.records.containers.get(container_key(account_id, name))

    def need_container(self, account_id: str, name: str) -> Container:
        container = self.find_container(account_id, name)
        if container is None:
            raise NotFound(NOT_FOUND)
        return container

    def add_container(self, account_id: str, name: str) -> Container:
        now = self.now()
        container = Container(container_key(account_id, name), account_id, name, now, now)
        with self.records.store.transaction():
            self._count(account_id, containers=1)
            return self.records.containers.add(container)

    def remove_container(self, container: Container) -> None:
        with self.records.store.transaction():
            self.records.containers.remove(container.id)
            self._count(container.account_id, containers=-1)

    def find(self, container: Container, name: str) -> StoredObject | None:
        """The object, if there is one that has not passed its end."""
        thing = self.records.things.get(object_key(container, name))
        if thing is not None and self.is_expired(thing):
            self.remove(container, thing)
            return None
        return thing

    def need(self, container: Container, name: str) -> StoredObject:
        thing = self.find(container, name)
        if thing is None:
            raise NotFound(NOT_FOUND)
        return thing

    def is_expired(self, thing: StoredObject) -> bool:
        return thing.delete_at is not None and thing.delete_at <= self.now()

    def put(self, container: Container, thing: StoredObject) -> None:
        """Adds an object, or replaces one, whose data is removed."""
        with self.records.store.transaction():
            before = self.records.things.get(thing.id)
            self.records.things.put(thing)
            self._count_things(
                container,
                things=0 if before else 1,
                size=thing.size - (before.size if before else 0),
            )
        if before is not None and before.file != thing.file:
            self.file_of(before.file).unlink(missing_ok=True)

    def remove(self, container: Container, thing: StoredObject) -> None:
        self.forget(container, thing)
        self.file_of(thing.file).unlink(missing_ok=True)

    def forget(self, container: Container, thing: StoredObject) -> None:
        """Removes an object, but not its data, which another object uses."""
        with self.records.store.transaction():
            if self.records.things.remove(thing.id):
                self._count_things(container, things=-1, size=-thing.size)

    def move(self, source: Container, thing: StoredObject, target: Container, name: str) -> None:
        """Moves an object to another container and name."""
        self.forget(source, thing)
        moved = replace(thing, id=object_key(target, name), container_id=target.id, name=name)
        self.put(target, moved)

    def new_file(self) -> str:
        return uuid4().hex

    def file_of(self, name: str) -> Path:
        """The path of a data file. Files are spread over folders."""
        return self._folder / name[:2] / name

    def linked_file(self, name: str) -> str:
        """A second name for the same data: nothing is ever written to a file that is complete."""
        link = self.new_file()
        self.file_of(link).parent.mkdir(parents=True, exist_ok=True)
        os.link(self.file_of(name), self.file_of(link))
        return link

    def _count_things(self, container: Container, things: int, size: int) -> None:
        current = self.records.containers.get(container.id)
        if current is None:
            return
        self.records.containers.put(
            replace(
                current,
                object_count=current.object_count + things,
                bytes_used=current.bytes_used + size,
            )
        )
        self._count(container.account_id, things=things, size=size)

    def _count(self, account_id: str, containers: int = 0, things: int = 0, size: int = 0) -> None:
        account = self.account(account_id)
        self.records.accounts.put(
            replace(
                account,
                container_count=account.container_count + containers,
                object_count=account.object_count + things,
                bytes_used=account.bytes_used + size,
            )
        )
