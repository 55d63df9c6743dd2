from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class TestResource(ResourceType):
    type_name = "OS::Heat::TestResource"
    support = supported("5.0.0")
    properties = {
        "constraint_prop_secs": Property(
            float,
            default=0,
            update_allowed=True,
            constraints=[custom("test_constr")],
            support=supported("6.0.0"),
        ),
        "attr_wait_secs": Property(float, default=0, update_allowed=True, support=supported("6.0.0")),
        "value": Property(str, default="test_string", update_allowed=True),
        "update_replace_value": Property(str, support=supported("7.0.0")),
        "fail": Property(bool, default=False, update_allowed=True),
        "update_replace": Property(bool, default=False, update_allowed=True),
        "wait_secs": Property(float, default=0, update_allowed=True),
        "action_wait_secs": Property(
            dict,
            update_allowed=True,
            fields={
                "create": Property(float, update_allowed=True),
                "update": Property(float, update_allowed=True),
                "delete": Property(float, update_allowed=True),
            },
        ),
        "client_name": Property(str, default="", update_allowed=True),
        "entity_name": Property(str, default="", update_allowed=True),
    }
    attributes = {
        "output": Attribute(live=True),
        "show": SHOW,
    }
