from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.constraints import custom, length, one_of
from calor.language.schema import (
    SHOW,
    Attribute,
    Problem,
    Property,
    Remove,
    Replace,
    Requires,
    deprecated,
    hidden,
    supported,
)
from calor.types.mistral.base import MistralType
from calor.types.rules import Each, OneFilled, OnlyOneFilled, empty, entries, visible

ON_SUCCESS = "Names of the tasks to run next if it succeeds. In direct workflows."
ON_ERROR = "Names of the tasks to run next if it fails. In direct workflows."
ON_COMPLETE = "Names of the tasks to run next however it ends. In direct workflows."
REQUIRES = "Names of the tasks that must be done before. In reverse workflows."
RETRY = "How to repeat a failed task: a map with count, delay in seconds, and conditions."
WAIT_BEFORE = "Seconds to wait before the task starts."
WAIT_AFTER = "Seconds to wait after the task ended, before the next ones start."
PAUSE_BEFORE = "True pauses the whole workflow before the task; somebody has to resume it."
TIMEOUT = "Seconds after which a task that is still running fails."
CONCURRENCY = "How many items are worked on at a time. Needs with_items. Left out, all are."


class FirstTaskOfReverse:
    """A reverse workflow is read from its last task backwards: it must be named."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if visible(given.get("type")) != "reverse":
            return
        params = given.get("params")
        seen = visible(params)
        if empty(params) or (isinstance(seen, Mapping) and empty(seen.get("task_name"))):
            yield Problem(
                "StackValidationFailed", "a reverse workflow needs task_name in params", ("params",)
            )


class OrderOfDirect:
    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if visible(given.get("type")) != "direct":
            return
        for index, task in entries(given.get("tasks")):
            if task.get("requires") is not None:
                yield Problem(
                    "StackValidationFailed",
                    "requires is for tasks of reverse workflows only",
                    ("tasks", index, "requires"),
                )


class Workflow(MistralType):
    """A workflow of Mistral: tasks, and in which order they run.

    It runs when it is signalled, by its alarm_url for instance, or by OS::Mistral::CronTrigger. Executions
    that signals have started are deleted with it. What refers to the resource gets the workflow's name.
    """

    type_name = "OS::Mistral::Workflow"
    support = supported("2015.1")
    entity = "workflows"
    deferred_auth = True
    takes_signals = True
    owns_user = True
    replaced_when_check_fails = False
    properties = {
        "name": Property(str, "What Mistral calls it. Left out, it is made up."),
        "type": Property(
            str,
            "How the order of tasks is given. In a direct workflow a task says what comes after it; in a "
            "reverse one it says what it requires, and what the task in params needs is run.",
            required=True,
            update_allowed=True,
            constraints=[one_of("direct", "reverse")],
        ),
        "use_request_body_as_input": Property(
            bool,
            "Whether the body of a signal consists of the inputs alone. If not, they are under the key "
            "input, and there may be params.",
            update_allowed=True,
            support=supported("6.0.0"),
        ),
        "tags": Property(
            list, "Labels to find it by in Mistral.", update_allowed=True, support=supported("10.0.0")
        ),
        "description": Property(str, "A note for people, shown by Mistral.", update_allowed=True),
        "input": Property(
            dict,
            "The inputs and their values. A signal can override these, but add none.",
            update_allowed=True,
        ),
        "output": Property(
            dict, "What an execution returns; values may be YAQL expressions.", update_allowed=True
        ),
        "params": Property(
            dict,
            "Further parameters of an execution. A reverse workflow needs task_name here: the task to end "
            "with.",
            update_allowed=True,
        ),
        "task_defaults": Property(
            dict,
            "What holds for each task that says nothing else.",
            update_allowed=True,
            support=supported("5.0.0"),
            fields={
                "on_success": Property(list, ON_SUCCESS),
                "on_error": Property(list, ON_ERROR),
                "on_complete": Property(list, ON_COMPLETE),
                "requires": Property(list, REQUIRES),
                "retry": Property(dict, RETRY),
                "wait_before": Property(int, WAIT_BEFORE),
                "wait_after": Property(int, WAIT_AFTER),
                "pause_before": Property(bool, PAUSE_BEFORE),
                "timeout": Property(int, TIMEOUT),
                "concurrency": Property(int, CONCURRENCY, support=supported("8.0.0")),
            },
        ),
        "tasks": Property(
            list,
            "The steps. Each runs an action or another workflow.",
            required=True,
            update_allowed=True,
            constraints=[length(min=1)],
            items=Property(
                dict,
                fields={
                    "name": Property(str, "What other tasks call it.", required=True),
                    "description": Property(str, "A note for people."),
                    "input": Property(dict, "Values for what the action or workflow takes."),
                    "action": Property(
                        str, "The action to run, such as nova.servers_list or std.http. Excludes workflow."
                    ),
                    "workflow": Property(
                        str,
                        "The workflow to run, by name. Excludes action.",
                        constraints=[custom("mistral.workflow")],
                    ),
                    "publish": Property(
                        dict, "Variables that later tasks can read; values may be YAQL expressions."
                    ),
                    "on_success": Property(list, ON_SUCCESS),
                    "on_error": Property(list, ON_ERROR),
                    "on_complete": Property(list, ON_COMPLETE),
                    "policies": Property(
                        dict,
                        "Old place of retry, wait_before, wait_after, pause_before, timeout and concurrency.",
                        support=hidden("8.0.0", deprecated("5.0.0", supported("2015.1"))),
                    ),
                    "requires": Property(list, REQUIRES),
                    "retry": Property(dict, RETRY, support=supported("5.0.0")),
                    "wait_before": Property(int, WAIT_BEFORE, support=supported("5.0.0")),
                    "wait_after": Property(int, WAIT_AFTER, support=supported("5.0.0")),
                    "pause_before": Property(bool, PAUSE_BEFORE, support=supported("5.0.0")),
                    "timeout": Property(int, TIMEOUT, support=supported("5.0.0")),
                    "with_items": Property(
                        str,
                        "Runs the task once for each item of a list, as in: i in <% $.names %>",
                        support=supported("5.0.0"),
                    ),
                    "keep_result": Property(
                        bool,
                        "False forgets the result, which saves space if it is large and nobody needs it.",
                        support=supported("5.0.0"),
                    ),
                    "concurrency": Property(int, CONCURRENCY, support=supported("8.0.0")),
                    "target": Property(
                        str, "The executor of Mistral that is to run the action.", support=supported("5.0.0")
                    ),
                    "join": Property(
                        str,
                        "Makes the task wait for several that lead to it: all of them, or as many as a "
                        "number says. Left out, each of them starts it anew.",
                        support=supported("6.0.0"),
                    ),
                },
            ),
        ),
    }
    attributes = {
        "data": Attribute(dict, "A map of the workflow's name and its input."),
        "alarm_url": Attribute(
            str,
            "A signed URL. A POST to it runs the workflow, without any further login.",
            live=True,
            secret=True,
        ),
        "executions": Attribute(
            list,
            "A map for each execution that a signal started: id, workflow_name, created_at, updated_at, "
            "state, input and output.",
        ),
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
    rules = [
        FirstTaskOfReverse(),
        OrderOfDirect(),
        Each(
            "tasks",
            [
                OneFilled(("workflow", "action")),
                OnlyOneFilled(("workflow", "action")),
                Requires("concurrency", "with_items"),
            ],
        ),
    ]
