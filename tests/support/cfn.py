"""The CFN API for tests: who signed is made up, everything else is real."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette

from calor.api.cfn.app import create_cfn_app
from calor.api.cfn.authentication import Authentication
from calor.api.cfn.endpoint import EndpointSettings
from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.service.authorization import Authorizer
from tests.support.api import FakeAuthenticator, Stage


def signer(user: str, project: str, *roles: str, name: str = "agent") -> Signer:
    """What the identity service knows of a signer."""
    details = {
        "user": {"id": user, "name": name, "domain": {"id": "default"}},
        "project": {"id": project, "name": project},
        "roles": [{"name": role} for role in roles],
    }
    return Signer("", details)


def cfn_app(
    stage: Stage,
    verify: Callable[[ReceivedRequest], Signer],
    settings: EndpointSettings | None = None,
    *,
    tokens: bool = True,
    **more: Any,
) -> Starlette:
    authentication = Authentication(
        verify,
        lambda roles, own: stage.policy.is_admin(roles),
        FakeAuthenticator(stage.policy) if tokens else None,
        **more,
    )
    authorizer = Authorizer(stage.queries, stage.commands, stage.policy)
    return create_cfn_app(stage.database, authorizer, authentication, settings)
