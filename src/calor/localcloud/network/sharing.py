"""Sharing of objects: by a flag with all projects, by RBAC policies with single ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from calor.localcloud.network.records import EVERYBODY, SHARED, RbacPolicy, Records, new_id
from calor.localcloud.network.resources import D
from calor.localcloud.network.viewer import Owned, Viewer
from calor.localcloud.store import Collection


def sees_shared(object_type: str) -> Callable[[Viewer, Owned], bool]:
    return lambda viewer, document: (
        viewer.owns(document) or document.id in viewer.granted(object_type, SHARED)
    )


def shared_with(
    object_type: str, documents: Callable[[Records], Collection[D]], *actions: str
) -> Callable[[Viewer], Iterable[D]]:
    """The objects that others share with the caller."""
    wanted = actions or (SHARED,)
    return lambda viewer: documents(viewer.records).find_in(
        "id", sorted(viewer.granted(object_type, *wanted))
    )


def share(records: Records, object_type: str, document: Owned, action: str = SHARED) -> None:
    """Shares an object with all projects. Idempotent."""
    if not is_shared(records, document.id, action):
        records.rbac.add(
            RbacPolicy(new_id(), document.project_id, object_type, document.id, action, EVERYBODY)
        )


def unshare(records: Records, id: str, action: str = SHARED) -> None:
    records.rbac.remove_where(object_id=id, action=action, target_tenant=EVERYBODY)


def is_shared(records: Records, id: str, action: str = SHARED) -> bool:
    return records.rbac.count(object_id=id, action=action, target_tenant=EVERYBODY) > 0


def forget_sharing(records: Records, id: str) -> None:
    records.rbac.remove_where(object_id=id)
