"""All routes, below the project. Where several fit a path and a method, the first one answers."""

from __future__ import annotations

from calor.api.heat import actions, events, lookup, resources, service, software, stacks, types

ROUTES = (
    # Names that the stacks' own routes would take for ids.
    *(route for route in lookup.ROUTES if not route.path.endswith("}")),
    *stacks.ROUTES,
    *resources.ROUTES,
    *events.ROUTES,
    *actions.ROUTES,
    *types.ROUTES,
    *software.ROUTES,
    *service.ROUTES,
    *(route for route in lookup.ROUTES if route.path.endswith("}")),
)
