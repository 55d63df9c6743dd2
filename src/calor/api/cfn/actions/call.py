"""What an action is called with, and what several of them need."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from calor.api.cfn.errors import Refused, invalid
from calor.api.cfn.estimate_pages import EstimatePages
from calor.api.cfn.parameters import Parameters
from calor.resources.values import JsonObject
from calor.service.authorization import UseCases
from calor.service.caller import Caller
from calor.service.commands import Commands
from calor.service.errors import NotFound
from calor.service.policy import Policy
from calor.service.prices import PriceList
from calor.service.queries import Queries
from calor.store import records

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ActionSettings:
    largest_template: int = 524_288
    converge: bool = False
    """Whether every update compares with the actual state in the cloud."""
    prices: PriceList = field(default_factory=PriceList)
    estimate_pages: EstimatePages = field(default_factory=EstimatePages)


@dataclass(frozen=True, slots=True)
class Call:
    """An authenticated and authorized request."""

    caller: Caller
    use_cases: UseCases
    parameters: Parameters
    base: str
    """The URL of the API's versions for clients, without a trailing slash."""
    settings: ActionSettings

    @property
    def queries(self) -> Queries:
        return self.use_cases.queries

    @property
    def commands(self) -> Commands:
        return self.use_cases.commands

    @property
    def policy(self) -> Policy:
        return self.use_cases.policy


Handler = Callable[[Call], Any]
"""Returns the result: lists, maps and texts. What is None is left out."""


def find_stack(
    call: Call, name: str | None = None, *, deleted: bool = False, for_users: bool = False
) -> records.Stack:
    """The stack with a name, an id or an ARN, in the caller's own project: by default that of the parameter StackName.
    Deleted ones have no name. With `for_users`, also for users that the stack has created. Raises ServiceError."""
    identity = name or call.parameters.need("StackName")
    # In this API, admins have no access to stacks of other projects.
    stack = call.queries.stacks.find(replace(call.caller, is_admin=False), identity).stack
    if stack.project != call.caller.project and not for_users:
        raise NotFound("Stack", identity)
    if stack.deleted_at is not None and not deleted:
        raise NotFound("Stack", identity)
    return stack


def template_of(call: Call) -> str:
    """The template of a request. Raises Refused and ServiceError."""
    given = call.parameters
    body, url = given.get("TemplateBody"), given.get("TemplateURL") or given.get("TemplateUrl")
    if body is not None and url is not None:
        message = "A template is given by either TemplateBody or TemplateURL, not both."
        raise Refused("InvalidParameterCombination", message)
    if url is not None:
        return call.queries.validation.fetch(url)
    if body is None:
        raise Refused("MissingParameter", "The parameter TemplateBody or TemplateURL is missing.")
    largest = call.settings.largest_template
    if len(body.encode("utf-8", "surrogatepass")) > largest:
        message = f"The template is larger than the maximum of {largest:,} bytes."
        raise Refused("RequestLimitExceeded", message)
    return body


@dataclass(frozen=True, slots=True)
class StackParameters:
    """The parameters for a template: new values, and names of those that keep their values."""

    values: JsonObject
    kept: frozenset[str]


def stack_parameters(call: Call) -> StackParameters:
    """Raises Refused."""
    values: JsonObject = {}
    kept = set()
    for one in call.parameters.structures("Parameters"):
        name = one.get("ParameterKey")
        if not name:
            raise Refused("MissingParameter", "A member of Parameters has no ParameterKey.")
        if one.get("UsePreviousValue", "").lower() == "true":
            if "ParameterValue" in one:
                message = f"The parameter {name} has both a ParameterValue and UsePreviousValue."
                raise Refused("InvalidParameterCombination", message)
            kept.add(name)
        elif name in values:
            raise invalid(f"The parameter {name} is given twice.")
        else:
            values[name] = one.get("ParameterValue", "")
    return StackParameters(values, frozenset(kept))


_IGNORED = (
    "NotificationARNs",
    "Tags",
    "StackPolicyBody",
    "StackPolicyURL",
    "StackPolicyDuringUpdateBody",
    "StackPolicyDuringUpdateURL",
    "RoleARN",
    "ResourceTypes",
    "RollbackConfiguration",
    "EnableTerminationProtection",
    "RetainExceptOnCreate",
)
"""AWS's parameters without effect. Capabilities and ClientRequestToken are not among them: nothing is missed."""


def log_ignored(call: Call) -> None:
    ignored = [name for name in _IGNORED if call.parameters.has(name)]
    if ignored:
        log.info("the request has parameters that are not supported, and ignored: %s", ", ".join(ignored))
