"""What the users that a stack creates may read and signal in it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, or_, select

from calor.service.caller import Caller
from calor.store import records, tables

USER = "AWS::IAM::User"


def may_read(user: str, name: str, rows: Sequence[records.Resource]) -> bool:
    """Whether the user of a resource may read the data of the named resource: its own or, for an AWS::IAM::User, what
    all of its policies allow."""
    by_name = {row.name: row for row in rows}
    return any(
        row.name == name or (row.type == USER and _allowed(row, name, by_name))
        for row in rows
        if (row.data or {}).get("user_id") == user
    )


def is_at_home(caller: Caller, stack: records.Stack) -> bool:
    """Whether a caller has access to a stack other than as a user that the stack has created."""
    return caller.is_admin or (caller.project == stack.project and not caller.is_only_stack_user)


def may_signal(
    connection: Connection, caller: Caller, stack: records.Stack, resource: records.Resource
) -> bool:
    """Whether a user of a stack may signal a resource: credentials on a server are limited to their purpose."""
    if (resource.data or {}).get("user_id") == caller.user_id:
        return True
    # Including resources that are being replaced: their URLs are in use until they are deleted.
    return may_read(caller.user_id, resource.name, _rows(connection, stack.id))


def may_read_deployments(connection: Connection, caller: Caller, server: str) -> bool:
    """Whether a user of a stack may read the deployments to a server: as the user of the server, or of one of the
    deployments."""
    stack, resource, deployment = tables.stack, tables.resource, tables.software_deployment
    trees = select(stack.c.root).where(
        or_(stack.c.user_project == caller.project, stack.c.project == caller.project)
    )
    deployed = select(deployment.c.id).where(deployment.c.server == server)
    concerned = (
        select(resource.c.stack, resource.c.name)
        .join(stack, stack.c.id == resource.c.stack)
        .where(
            stack.c.root.in_(trees),
            or_(resource.c.physical_id == server, resource.c.physical_id.in_(deployed)),
        )
    )
    rows: dict[str, Sequence[records.Resource]] = {}
    for id, name in connection.execute(concerned).all():
        if id not in rows:
            rows[id] = _rows(connection, id)
        if may_read(caller.user_id, name, rows[id]):
            return True
    return False


def _rows(connection: Connection, stack: str) -> Sequence[records.Resource]:
    query = select(tables.resource).where(tables.resource.c.stack == stack)
    return [records.record(records.Resource, row) for row in connection.execute(query)]


def _allowed(user: records.Resource, name: str, rows: dict[str, records.Resource]) -> bool:
    policies = [one for one in (user.properties or {}).get("Policies") or () if isinstance(one, str)]
    return all(policy in rows and name in _resources(rows[policy]) for policy in policies)


def _resources(policy: records.Resource) -> Sequence[str]:
    return (policy.properties or {}).get("AllowedResources") or ()
