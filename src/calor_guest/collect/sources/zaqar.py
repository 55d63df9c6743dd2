"""Metadata from messages in a queue. The newest message is all of the metadata."""

import uuid
from typing import TYPE_CHECKING, Any, List, Optional
from urllib.parse import quote

from calor_guest.collect.deployments import Item, with_deployments
from calor_guest.collect.login import Login
from calor_guest.collect.source import MetadataSource, NotAvailable, NotConfigured

if TYPE_CHECKING:
    from calor_guest.common.keystone import Session


class Source(MetadataSource):
    name = "zaqar"
    keeps = True
    _login: Optional[Login] = None

    def collect(self) -> List[Item]:
        auth_url, password, project_id, user_id, queue = self.required(
            "auth_url", "password", "project_id", "user_id", "queue_id"
        )
        verified, ca_file = self.section.flag("ssl_certificate_validation"), self.section.text("ca_file")
        if verified and ca_file is None:
            raise NotConfigured("No CA file configured when flag ssl certificate validation is on.")
        if self._login is None:
            self._login = Login(self.settings, auth_url, user_id, password, project_id)
        # Imported late, since servers that boot collect from files first.
        from calor_guest.common import http

        tls = http.Tls(ca_file, insecure=not verified)

        def message(session: "Session") -> Any:
            headers = dict(session.headers, **{"Client-ID": str(uuid.uuid4()), "X-Project-Id": project_id})
            region = self.section.text("region_name")
            if self.section.flag("use_websockets"):
                from calor_guest.collect.messages import next_message

                url = session.endpoint("messaging-websocket", region)
                return next_message(url, headers, queue, self._waiting_seconds, tls)
            return _popped(session.endpoint("messaging", region), headers, queue, tls)

        try:
            found = self._login.call(message)
        except (http.RequestFailed, ValueError, KeyError, TypeError) as error:
            raise NotAvailable(str(error)) from error
        if found is None:
            raise NotAvailable("the queue has no message")
        return with_deployments(self.name, found, self.deployment_keys)

    @property
    def _waiting_seconds(self) -> float:
        """Waiting for a message replaces the pause between two collections."""
        return self.settings.general.number("polling_interval")


def _popped(endpoint: str, headers: Any, queue: str, tls: Any) -> Any:
    from calor_guest.common import http

    base = endpoint if endpoint.endswith("/v2") else endpoint + "/v2"
    url = f"{base}/queues/{quote(queue, safe='')}/messages?pop=1"
    response = http.send("DELETE", url, headers=headers, tls=tls)
    found = response.json().get("messages") if response.body else None
    return found[0]["body"] if found else None
