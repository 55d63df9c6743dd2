"""Seeds new clouds. Each service seeds its part once; seeded objects that users delete stay deleted."""

from __future__ import annotations

from dataclasses import dataclass

from calor.localcloud.store import Duplicate, Store


@dataclass(frozen=True)
class SeedAccounts:
    """Ids of the seeded accounts, for records that need an owner. None: the account has been deleted or renamed."""

    admin_project: str | None
    demo_project: str | None
    demo_user: str | None


@dataclass(frozen=True)
class _Seeded:
    id: str


def is_first_time(store: Store, name: str) -> bool:
    """Whether this is the first call with the name. To be called in the transaction that seeds, so that it counts
    only if that commits. Names are stored: a changed name seeds existing clouds again."""
    try:
        store.collection("cloud_done", _Seeded).add(_Seeded(name))
    except Duplicate:
        return False
    return True
