"""All routes, below the project. If several match a path and a method, the first one is used."""

from __future__ import annotations

from calor.api.heat import actions, events, lookup, resources, service, software, stacks, types

ROUTES = (
    # These would otherwise match the routes for stacks.
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
