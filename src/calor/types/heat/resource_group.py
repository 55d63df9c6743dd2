from calor.language.constraints import length, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import NestedStackType
from calor.types.heat.common import BATCH, ROLLING_BATCH


class ResourceGroup(NestedStackType):
    type_name = "OS::Heat::ResourceGroup"
    support = supported("2014.1")
    properties = {
        "count": Property(int, default=1, update_allowed=True, constraints=[range_(min=0)]),
        "index_var": Property(
            str, default="%index%", constraints=[length(min=3)], support=supported("2014.2")
        ),
        "resource_def": Property(
            dict,
            required=True,
            update_allowed=True,
            fields={
                "type": Property(str, required=True),
                "properties": Property(dict),
                "metadata": Property(dict, support=supported("5.0.0")),
            },
        ),
        "removal_policies": Property(
            list,
            default=[],
            update_allowed=True,
            support=supported("2015.1"),
            items=Property(
                dict,
                fields={
                    "resource_list": Property(list, default=[]),
                },
            ),
        ),
        "removal_policies_mode": Property(
            str,
            default="append",
            update_allowed=True,
            constraints=[one_of("append", "update")],
            support=supported("10.0.0"),
        ),
    }
    attributes = {
        "refs": Attribute(list),
        "refs_map": Attribute(dict, support=supported("7.0.0")),
        "attributes": Attribute(dict, support=supported("2014.2")),
        "removed_rsrc_list": Attribute(list, support=supported("7.0.0")),
        "show": SHOW,
    }
    update_policy = {
        "rolling_update": Property(dict, support=supported("5.0.0"), fields=ROLLING_BATCH),
        "batch_create": Property(dict, support=supported("5.0.0"), fields=BATCH),
    }
