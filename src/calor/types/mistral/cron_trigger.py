from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.mistral.base import MistralType


class CronTrigger(MistralType):
    type_name = "OS::Mistral::CronTrigger"
    support = supported("5.0.0")
    entity = "cron_triggers"
    properties = {
        "name": Property(str),
        "pattern": Property(str, constraints=[custom("cron_expression")]),
        "workflow": Property(
            dict,
            required=True,
            fields={
                "name": Property(str, required=True, constraints=[custom("mistral.workflow")]),
                "input": Property(dict),
            },
        ),
        "first_time": Property(str),
        "count": Property(int),
    }
    attributes = {
        "next_execution_time": Attribute(str),
        "remaining_executions": Attribute(int),
        "show": SHOW,
    }
