"""Metadata from the orchestration API."""

from typing import TYPE_CHECKING, Any, List, Optional
from urllib.parse import quote

from calor_guest.collect.deployments import Item, with_deployments
from calor_guest.collect.login import Login
from calor_guest.collect.source import MetadataSource, NotAvailable

if TYPE_CHECKING:
    from calor_guest.common.keystone import Session


class Source(MetadataSource):
    name = "heat"
    keeps = True
    _login: Optional[Login] = None

    def collect(self) -> List[Item]:
        auth_url, password, project_id, user_id, stack_id, resource = self.required(
            "auth_url", "password", "project_id", "user_id", "stack_id", "resource_name"
        )
        if self._login is None:
            self._login = Login(self.settings, auth_url, user_id, password, project_id)
        path = f"/stacks/{quote(stack_id)}/resources/{quote(resource, safe='')}/metadata"
        # Imported late, since servers that boot collect from files first.
        from calor_guest.common import http

        def metadata(session: "Session") -> Any:
            url = session.endpoint("orchestration", self.section.text("region_name")) + path
            return http.send("GET", url, headers=session.headers).json()["metadata"]

        try:
            found = self._login.call(metadata)
        except (http.RequestFailed, ValueError, KeyError, TypeError) as error:
            raise NotAvailable(str(error)) from error
        return with_deployments(self.name, found, self.deployment_keys)
