"""How the server reports to the stack: by inputs of the config."""

import json
from typing import Any, List, Mapping, NamedTuple, Optional
from urllib.parse import quote, urlsplit

from calor_guest.common.http import RequestFailed, Response, send
from calor_guest.common.keystone import Session, log_in

SCHEMES = ("http", "https")
_JSON = {"content-type": "application/json"}
_QUEUED_SECONDS = 600


class Transport:
    """Sends JSON to the stack."""

    takes_progress = True
    """Whether the other side can tell progress from a result."""

    def send(self, body: str) -> Response:
        """Raises RequestFailed, or ValueError and LookupError for responses that are not understood."""
        raise NotImplementedError


class UrlTransport(Transport):
    """To a URL that carries its own authorization."""

    def __init__(self, url: str, verb: str) -> None:
        if urlsplit(url).scheme.lower() not in SCHEMES:
            raise RequestFailed("deploy_signal_id is not an HTTP URL", 400)
        self._url = url
        self._verb = "PUT" if verb == "PUT" else "POST"

    def send(self, body: str) -> Response:
        return send(self._verb, self._url, body.encode("ascii"), _JSON)


class Account(NamedTuple):
    """The user that the stack created for the deployment."""

    auth_url: str
    user_id: str
    password: str
    project_id: str
    region: Optional[str]


class _LoggedIn(Transport):
    service = ""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._session: Optional[Session] = None

    def send(self, body: str) -> Response:
        account = self._account
        if self._session is None:
            self._session = log_in(account.auth_url, account.user_id, account.password, account.project_id)
        url = self._session.endpoint(self.service, account.region) + self.path()
        headers = dict(self._session.headers, **_JSON, **self.headers())
        try:
            return send("POST", url, self.body(body).encode("ascii"), headers)
        except RequestFailed as error:
            if error.status == 401:
                self._session = None
            raise

    def path(self) -> str:
        raise NotImplementedError

    def headers(self) -> Mapping[str, str]:
        return {}

    def body(self, body: str) -> str:
        return body


class HeatTransport(_LoggedIn):
    """As a signal to the resource, through the API."""

    service = "orchestration"

    def __init__(self, account: Account, stack: str, resource: str) -> None:
        _LoggedIn.__init__(self, account)
        self._stack = stack
        self._resource = resource

    def path(self) -> str:
        return "/stacks/{}/resources/{}/signal".format(quote(self._stack), quote(self._resource, safe=""))


class QueueTransport(_LoggedIn):
    """As a message in a queue, which the stack reads."""

    takes_progress = False
    service = "messaging"

    def __init__(self, account: Account, queue: str) -> None:
        _LoggedIn.__init__(self, account)
        self._queue = queue

    def path(self) -> str:
        return "/v2/queues/{}/messages".format(quote(self._queue, safe=""))

    def headers(self) -> Mapping[str, str]:
        import uuid  # Takes long, and queues are rare.

        return {"Client-ID": str(uuid.uuid4()), "X-Project-ID": self._account.project_id}

    def body(self, body: str) -> str:
        return json.dumps({"messages": [{"body": json.loads(body), "ttl": _QUEUED_SECONDS}]})


def transports(inputs: Mapping[str, Any]) -> List[Transport]:
    """Empty if the config does not ask for reports. Raises RequestFailed for a URL of another kind."""
    found: List[Transport] = []
    if inputs.get("deploy_signal_id"):
        found.append(
            UrlTransport(str(inputs["deploy_signal_id"]), inputs.get("deploy_signal_verb") or "POST")
        )
    if inputs.get("deploy_queue_id"):
        found.append(QueueTransport(_account(inputs), str(inputs["deploy_queue_id"])))
    elif inputs.get("deploy_auth_url"):
        stack, resource = (str(inputs.get(name)) for name in ("deploy_stack_id", "deploy_resource_name"))
        found.append(HeatTransport(_account(inputs), stack, resource))
    return found


def _account(inputs: Mapping[str, Any]) -> Account:
    auth_url, user_id, password, project_id = (
        str(inputs.get("deploy_" + name)) for name in ("auth_url", "user_id", "password", "project_id")
    )
    return Account(auth_url, user_id, password, project_id, inputs.get("deploy_region_name"))
