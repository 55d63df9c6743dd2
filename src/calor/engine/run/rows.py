"""Queries of a run about its tree of stacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from calor.engine.run.journal import Journal
from calor.resources.values import JsonObject
from calor.stacks import definitions, tree
from calor.store import records, snapshots
from calor.store.database import Database, reading
from calor.store.runs import resources_of

Found = TypeVar("Found")


class TreeRows:
    """The rows of a tree, read after the run's changes are written."""

    def __init__(self, database: Database, root: records.Stack, journal: Journal) -> None:
        """`root` identifies the tree and its project."""
        self._database = database
        self._root = root
        self._journal = journal

    async def nested_stack(self, above: records.Stack, owner: tree.ParentResource) -> records.Stack | None:
        """The stack nested in a resource of the stack `above`."""
        if owner.physical_id is None or not tree.has_stack(owner):
            return None
        return await self._read(tree.nested_stack_of, above, owner)

    async def stack_in_tree(self, id: str) -> records.Stack | None:
        return await self._read(tree.stack_in_tree, self._root, id)

    async def _read(self, find: Callable[..., Found], *args: Any) -> Found:
        await self._journal.flush()
        return await self.query(find, *args)

    async def query(self, find: Callable[..., Found], *args: Any) -> Found:
        """Runs a function with a read transaction in a thread."""
        return await asyncio.get_running_loop().run_in_executor(None, self.query_now, find, *args)

    def query_now(self, find: Callable[..., Found], *args: Any) -> Found:
        """Runs a function with a read transaction in this thread."""
        with reading(self._database).connect() as connection:
            return find(connection, *args)

    async def owns_stack(self, id: str) -> bool:
        """Whether the tree's project has a stack with an id."""
        return await self.query(tree.is_in_project, self._root.project, id)

    async def template_of(self, stack: records.Stack) -> JsonObject:
        """The current template of a stack."""
        template: JsonObject = (await self.request_of(stack))[0]["template"]
        return template

    async def request_of(self, stack: records.Stack) -> tuple[JsonObject, dict[str, str]]:
        """The current request of a stack, and the digests of its files by name."""
        return await self.query(definitions.load_with_digests, stack.definition)

    async def resources(self, stack: str) -> list[records.Resource]:
        await self._journal.flush()
        return await asyncio.get_running_loop().run_in_executor(None, self.resources_now, stack)

    def resources_now(self, stack: str) -> list[records.Resource]:
        return resources_of(self._database, stack)

    async def snapshots(self) -> list[records.Snapshot]:
        return await self.query(snapshots.of_stack, self._root.id)
