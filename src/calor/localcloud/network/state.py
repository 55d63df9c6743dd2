"""What the handlers of the network service work with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any, TypeVar

from calor.localcloud.ground import Ground
from calor.localcloud.network.documents import Standard
from calor.localcloud.network.ipam import Ipam
from calor.localcloud.network.records import Records, new_id
from calor.localcloud.network.wiring import Wiring
from calor.localcloud.store import Collection

S = TypeVar("S", bound=Standard)


@dataclass(frozen=True)
class Networking:
    ground: Ground
    records: Records
    ipam: Ipam
    wiring: Wiring

    @contextmanager
    def change(self) -> Iterator[None]:
        """All or nothing, of the store and of what is remembered about it."""
        kept = False
        try:
            with self.records.store.transaction():
                yield
            kept = True
        finally:
            self.ipam.settled(kept)

    def stamp(self) -> str:
        return self.ground.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def made(self, kind: type[S], given: dict[str, Any], **settled: Any) -> S:
        """A new document, with an id and the time."""
        now = self.stamp()
        return kind(**{"id": new_id(), "created_at": now, "updated_at": now, **given, **settled})

    def keep(self, collection: Collection[S], document: S, **changes: Any) -> S:
        """The document as it is now, as a new revision."""
        return collection.put(
            replace(
                document,
                **changes,
                updated_at=self.stamp(),
                revision_number=document.revision_number + 1,
            )
        )


def networking(ground: Ground) -> Networking:
    records = Records(ground.store)
    return Networking(ground, records, Ipam(records), Wiring(ground, records))
