"""What is done once in the life of a cloud."""

from __future__ import annotations

from dataclasses import dataclass

from calor.localcloud.store import Duplicate, Store


@dataclass(frozen=True)
class _Done:
    id: str


def is_first_time(store: Store, what: str) -> bool:
    """Whether this was never asked before for the same; within a transaction, so that it counts only if all goes
    well."""
    try:
        store.collection("cloud_done", _Done).add(_Done(what))
    except Duplicate:
        return False
    return True
