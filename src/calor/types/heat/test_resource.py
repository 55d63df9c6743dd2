from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class TestResource(ResourceType):
    """Stores a text, and can be told to be slow, to fail or to ask for its replacement.

    Made for testing templates and the engine: it needs no cloud.
    """

    type_name = "OS::Heat::TestResource"
    support = supported("5.0.0")
    properties = {
        "constraint_prop_secs": Property(
            float,
            "Seconds by which the validation of this very property is delayed.",
            default=0,
            update_allowed=True,
            constraints=[custom("test_constr")],
            support=supported("6.0.0"),
        ),
        "attr_wait_secs": Property(
            float,
            "Seconds by which reading the output is delayed.",
            default=0,
            update_allowed=True,
            support=supported("6.0.0"),
        ),
        "value": Property(
            str, "The text to store, to be read from the output.", default="test_string", update_allowed=True
        ),
        "update_replace_value": Property(
            str, "Kept and otherwise unused, but a change replaces the resource.", support=supported("7.0.0")
        ),
        "fail": Property(
            bool,
            "Whether creating the resource or updating its value fails.",
            default=False,
            update_allowed=True,
        ),
        "update_replace": Property(
            bool,
            "Whether a change of the value replaces the resource instead of updating it.",
            default=False,
            update_allowed=True,
        ),
        "wait_secs": Property(
            float,
            "Seconds that creating, updating and deleting takes; with -1 it never ends.",
            default=0,
            update_allowed=True,
        ),
        "action_wait_secs": Property(
            dict,
            "Seconds for single actions, where they differ from wait_secs.",
            update_allowed=True,
            fields={
                "create": Property(float, "Seconds that the creation takes.", update_allowed=True),
                "update": Property(float, "Seconds that a change of the value takes.", update_allowed=True),
                "delete": Property(float, "Seconds that the deletion takes.", update_allowed=True),
            },
        ),
        "client_name": Property(
            str,
            "A service to keep busy while waiting: each poll asks it for the object whose id is the value. "
            "Left out, none is asked.",
            default="",
            update_allowed=True,
        ),
        "entity_name": Property(
            str, "The collection of that service to look into.", default="", update_allowed=True
        ),
    }
    attributes = {
        "output": Attribute(None, "The stored text.", live=True),
        "show": SHOW,
    }
