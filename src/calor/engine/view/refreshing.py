"""Refreshes a resource's attributes from its object."""

from __future__ import annotations

import inspect
import logging

from calor.clouds.errors import CloudError
from calor.engine.view.view import StackView
from calor.language.definition import ResourceDefinition
from calor.resources.contract import contract_of
from calor.stacks.states import ResourceState

log = logging.getLogger(__name__)


async def refresh_attributes(view: StackView, state: ResourceState, resource: ResourceDefinition) -> None:
    hook = contract_of(resource.resource_type).refresh
    assert hook is not None
    try:
        outcome = hook(view.context(state))
        if inspect.isawaitable(outcome):
            await outcome
    except CloudError as error:
        log.warning("the attributes of %s could not be refreshed: %s", state.name, error)
        return
    view.read_attributes(state, resource)
    view.run.journal.resource(state)
