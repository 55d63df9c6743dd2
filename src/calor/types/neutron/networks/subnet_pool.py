from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from calor.language.constraints import custom, length, range_
from calor.language.schema import Problem, Property, supported
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.shared_schema import TAGS


class PrefixBounds:
    """The minimum, default and maximum prefix lengths must be in ascending order; 0 means no limit."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        names = ("min_prefixlen", "default_prefixlen", "max_prefixlen")
        bounds = [(name, given[name]) for name in names if isinstance(given.get(name), int) and given[name]]
        for (low, least), (high, greatest) in combinations(bounds, 2):
            if least > greatest:
                yield Problem("StackValidationFailed", f"{low} {least} is above {high} {greatest}")


class SubnetPool(NetworkObject):
    type_name = "OS::Neutron::SubnetPool"
    support = supported("6.0.0")
    extension = "subnet_allocation"
    collection = ("subnetpools",)
    wrapper = "subnetpool"
    constraint = "neutron.subnetpool"
    noun = "subnet pool"
    unwatched = frozenset({"prefixes"})
    members = {"address_scope": "address_scope_id"}
    properties = {
        "name": Property(str, update_allowed=True),
        "prefixes": Property(
            list,
            required=True,
            update_allowed=True,
            constraints=[length(min=1)],
            items=Property(str, constraints=[custom("net_cidr")]),
        ),
        "address_scope": Property(str, update_allowed=True, constraints=[custom("neutron.address_scope")]),
        "default_quota": Property(int, update_allowed=True, constraints=[range_(min=0)]),
        "default_prefixlen": Property(int, update_allowed=True, constraints=[range_(min=0)]),
        "min_prefixlen": Property(int, update_allowed=True, constraints=[range_(min=0)]),
        "max_prefixlen": Property(int, update_allowed=True, constraints=[range_(min=0)]),
        "is_default": Property(bool, default=False, update_allowed=True),
        "tenant_id": Property(str),
        "shared": Property(bool, default=False),
        "tags": TAGS,
    }
    rules = [PrefixBounds()]

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        if props["address_scope"]:
            scope = await id_for(await ctx.cloud(), "neutron.address_scope", props["address_scope"])
            request_body["address_scope"] = scope
        return request_body
