from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.mistral.base import MistralType
from calor.types.rules import OneFilled


class CronTrigger(MistralType):
    """Runs a workflow at certain times.

    Give pattern for times that recur, first_time for a single run, or both for times that recur after a first
    one. The trigger cannot be changed: a change makes a new one.
    """

    type_name = "OS::Mistral::CronTrigger"
    support = supported("5.0.0")
    entity = "cron_triggers"
    properties = {
        "name": Property(str, "What the trigger is called in Mistral. Left out, it is made up."),
        "pattern": Property(
            str,
            "When to run, as a cron expression: minute, hour, day, month, weekday.",
            constraints=[custom("cron_expression")],
        ),
        "workflow": Property(
            dict,
            "What to run.",
            required=True,
            fields={
                "name": Property(
                    str,
                    "The workflow, by name or id.",
                    required=True,
                    constraints=[custom("mistral.workflow")],
                ),
                "input": Property(dict, "Values for its inputs, the same at each run."),
            },
        ),
        "first_time": Property(
            str, "When to run first, in UTC, as in 2030-01-31 14:00. What pattern says holds from then on."
        ),
        "count": Property(
            int, "How many times to run. Left out, it never ends, or once if there is no pattern."
        ),
    }
    attributes = {
        "next_execution_time": Attribute(str, "When it runs next, as in 2030-01-31 14:00:00."),
        "remaining_executions": Attribute(int, "How many runs are left."),
        "show": SHOW,
    }
    rules = [OneFilled(("pattern", "first_time"))]
