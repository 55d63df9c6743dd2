"""The network service: what its handlers work with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from typing import Any, TypeVar

from calor.localcloud.context import Context
from calor.localcloud.network.backend_sync import BackendSync
from calor.localcloud.network.ipam import Ipam
from calor.localcloud.network.records import Records, Standard, new_id
from calor.localcloud.store import Collection
from calor.localcloud.types import Json

S = TypeVar("S", bound=Standard)


class NetworkService:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.records = Records(context.store)
        self.ipam = Ipam(self.records)
        self.backend_sync = BackendSync(context, self.records)

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction of the store and of the state in memory."""
        kept = False
        try:
            with self.records.store.transaction():
                yield
            kept = True
        finally:
            self.ipam.finish(kept)

    def stamp(self) -> str:
        return self.context.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def new_record(self, kind: type[S], given: Json, **settled: object) -> S:
        """A new document, with an id and the time."""
        now = self.stamp()
        return kind(**{"id": new_id(), "created_at": now, "updated_at": now, **given, **settled})

    def save(self, collection: Collection[S], document: S, **changes: Any) -> S:
        """Stores a changed document as a new revision."""
        return collection.put(
            replace(
                document,
                **changes,
                updated_at=self.stamp(),
                revision_number=document.revision_number + 1,
            )
        )
