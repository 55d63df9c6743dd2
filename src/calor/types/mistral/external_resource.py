from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.mistral.base import MistralType

RUN = Property(
    dict,
    fields={
        "workflow": Property(str, required=True, constraints=[custom("mistral.workflow")]),
        "params": Property(dict, default={}),
    },
)


class ExternalResource(MistralType):
    type_name = "OS::Mistral::ExternalResource"
    support = supported("9.0.0")
    properties = {
        "actions": Property(
            dict,
            required=True,
            fields={
                "CREATE": RUN,
                "UPDATE": RUN,
                "SUSPEND": RUN,
                "RESUME": RUN,
                "DELETE": RUN,
            },
        ),
        "input": Property(dict, default={}, update_allowed=True),
        "description": Property(str, default="Heat managed"),
        "replace_on_change_inputs": Property(list, default=[]),
        "always_update": Property(bool, default=False),
    }
    attributes = {
        "output": Attribute(dict),
        "show": SHOW,
    }
