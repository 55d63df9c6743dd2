"""Log-in with the user and password that the metadata of a server brings."""

from typing import Any, Mapping, NamedTuple, Optional, Sequence

from calor_guest.common.http import VERIFIED, RequestFailed, Tls, send_json


class Session(NamedTuple):
    token: str
    catalog: Sequence[Mapping[str, Any]]

    @property
    def headers(self) -> Mapping[str, str]:
        return {"X-Auth-Token": self.token, "Accept": "application/json"}

    def endpoint(self, kind: str, region: Optional[str] = None) -> str:
        """The public URL of a service by its type, without a slash at the end. Raises RequestFailed."""
        for service in self.catalog:
            if service.get("type") != kind:
                continue
            for endpoint in service.get("endpoints") or ():
                of_region = not region or region in (endpoint.get("region"), endpoint.get("region_id"))
                if endpoint.get("interface") == "public" and of_region:
                    return str(endpoint["url"]).rstrip("/")
        raise RequestFailed(f"the catalog has no public endpoint of {kind}", 404)


def log_in(
    auth_url: str,
    user_id: str,
    password: str,
    project_id: str,
    timeout: float = 10.0,
    tls: Tls = VERIFIED,
) -> Session:
    """Raises RequestFailed."""
    base = auth_url.rstrip("/")
    if base.endswith("/v2.0"):
        base = base[: -len("/v2.0")]
    if not base.endswith("/v3"):
        base += "/v3"
    user = {"id": user_id, "password": password}
    body = {
        "auth": {
            "identity": {"methods": ["password"], "password": {"user": user}},
            "scope": {"project": {"id": project_id}},
        }
    }
    response = send_json("POST", base + "/auth/tokens", body, timeout=timeout, tls=tls)
    token = response.headers.get("x-subject-token")
    if not token:
        raise RequestFailed(f"{base} gave no token")
    return Session(token, response.json()["token"].get("catalog") or ())
