from calor.language.constraints import custom, length, one_of
from calor.language.schema import SHOW, Attribute, Property, Remove, Replace, deprecated, hidden, supported
from calor.types.mistral.base import MistralType


class Workflow(MistralType):
    type_name = "OS::Mistral::Workflow"
    support = supported("2015.1")
    entity = "workflows"
    deferred_auth = True
    takes_signals = True
    owns_user = True
    replaced_when_check_fails = False
    properties = {
        "name": Property(str),
        "type": Property(str, required=True, update_allowed=True, constraints=[one_of("direct", "reverse")]),
        "use_request_body_as_input": Property(bool, update_allowed=True, support=supported("6.0.0")),
        "tags": Property(list, update_allowed=True, support=supported("10.0.0")),
        "description": Property(str, update_allowed=True),
        "input": Property(dict, update_allowed=True),
        "output": Property(dict, update_allowed=True),
        "params": Property(dict, update_allowed=True),
        "task_defaults": Property(
            dict,
            update_allowed=True,
            support=supported("5.0.0"),
            fields={
                "on_success": Property(list),
                "on_error": Property(list),
                "on_complete": Property(list),
                "requires": Property(list),
                "retry": Property(dict),
                "wait_before": Property(int),
                "wait_after": Property(int),
                "pause_before": Property(bool),
                "timeout": Property(int),
                "concurrency": Property(int, support=supported("8.0.0")),
            },
        ),
        "tasks": Property(
            list,
            required=True,
            update_allowed=True,
            constraints=[length(min=1)],
            items=Property(
                dict,
                fields={
                    "name": Property(str, required=True),
                    "description": Property(str),
                    "input": Property(dict),
                    "action": Property(str),
                    "workflow": Property(str, constraints=[custom("mistral.workflow")]),
                    "publish": Property(dict),
                    "on_success": Property(list),
                    "on_error": Property(list),
                    "on_complete": Property(list),
                    "policies": Property(
                        dict, support=hidden("8.0.0", deprecated("5.0.0", supported("2015.1")))
                    ),
                    "requires": Property(list),
                    "retry": Property(dict, support=supported("5.0.0")),
                    "wait_before": Property(int, support=supported("5.0.0")),
                    "wait_after": Property(int, support=supported("5.0.0")),
                    "pause_before": Property(bool, support=supported("5.0.0")),
                    "timeout": Property(int, support=supported("5.0.0")),
                    "with_items": Property(str, support=supported("5.0.0")),
                    "keep_result": Property(bool, support=supported("5.0.0")),
                    "concurrency": Property(int, support=supported("8.0.0")),
                    "target": Property(str, support=supported("5.0.0")),
                    "join": Property(str, support=supported("6.0.0")),
                },
            ),
        ),
    }
    attributes = {
        "data": Attribute(dict),
        "alarm_url": Attribute(str, live=True),
        "executions": Attribute(list),
        "show": SHOW,
    }
    translations = [
        Replace(("tasks", "pause_before"), sibling="policies", inside=("pause_before",)),
        Replace(("tasks", "wait_after"), sibling="policies", inside=("wait_after",)),
        Replace(("tasks", "wait_before"), sibling="policies", inside=("wait_before",)),
        Replace(("tasks", "timeout"), sibling="policies", inside=("timeout",)),
        Replace(("tasks", "concurrency"), sibling="policies", inside=("concurrency",)),
        Replace(("tasks", "retry"), sibling="policies", inside=("retry",)),
        Remove(("tasks", "policies")),
    ]
