"""Compares a stack with the actual state of its resources in the cloud, for converging updates. Reads with the
caller's credentials, and changes nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from calor.clouds.errors import CloudError, Permanent, Transient
from calor.clouds.services import Services
from calor.clouds.shared_state import SharedState
from calor.language.library import Declarations
from calor.plan.drift import can_drift, differing, without_masks
from calor.plan.present import PresentStack, Row, declared_type
from calor.resources.contract import contract_of
from calor.service.cloud_reader import CallerCloud
from calor.service.errors import ServiceError
from calor.stacks.states import ResourceState
from calor.stacks.views import StoredView

LONGEST = 60.0
"""The timeout for a plan, in seconds."""

log = logging.getLogger(__name__)


def actual_stack(
    stack: PresentStack, declaration: Declarations, services: Services | None, shared: SharedState | None
) -> PresentStack:
    """The stack and its nested stacks with the current values in the cloud; deleted resources are FAILED. Raises
    ServiceError."""
    cloud = CallerCloud(services, shared) if services is not None and shared is not None else None
    try:
        return asyncio.run(asyncio.wait_for(_compared(stack, declaration, cloud), LONGEST))
    except TimeoutError:
        message = f"The actual state of the resources could not be read within {LONGEST:.0f} seconds."
    except Transient as error:
        message = f"The actual state of the resources cannot be read: {error}"
    raise ServiceError("HTTPServiceUnavailable", message)


async def _compared(
    stack: PresentStack, declaration: Declarations, cloud: CallerCloud | None
) -> PresentStack:
    rows = await asyncio.gather(*(_seen(stack, row, declaration, cloud) for row in stack.rows))
    below = {id: await _compared(one, declaration, cloud) for id, one in stack.below.items()}
    changed = any(new is not old for new, old in zip(rows, stack.rows, strict=True))
    return replace(stack, rows=rows, below=below, drifted=changed)


async def _seen(stack: PresentStack, row: Row, declaration: Declarations, cloud: CallerCloud | None) -> Row:
    found = declared_type(row, declaration)
    live = contract_of(found).live_state
    if live is None or not can_drift(found, row) or not isinstance(row, ResourceState):
        return row
    try:
        shown = await live(LiveResource(stack, row, found, cloud))
    except Transient:
        raise
    except CloudError as error:
        # The run will not know more.
        log.warning("%s could not be read: %s", row.name, error)
        return row
    if shown is None:
        return replace(row, action="CHECK", status="FAILED", reason=f"{row.physical_id} no longer exists")
    changed = differing(row, shown)
    if not changed:
        return row
    return replace(row, properties={**row.properties, **changed}, data=without_masks(row.data, changed))


@dataclass(frozen=True, slots=True)
class LiveResource(StoredView):
    """See `calor.resources.context.LiveContext`."""

    services: CallerCloud | None

    async def cloud(self, region: str | None = None) -> CallerCloud:
        if self.services is None or region not in (None, self.services.services.region):
            raise Permanent("its cloud cannot be reached")
        return self.services

    async def in_thread(self, work: Callable[..., object], *args: object) -> object:
        return await asyncio.to_thread(work, *args)
