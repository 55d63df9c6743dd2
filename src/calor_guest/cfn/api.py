"""Calls of the CloudFormation and CloudWatch APIs, signed with EC2 credentials."""

import time
from typing import Any, Mapping

from calor_guest.cfn.credentials import Credentials
from calor_guest.cfn.endpoints import Endpoint
from calor_guest.common.deadlines import within
from calor_guest.common.http import RequestFailed, send
from calor_guest.common.signatures import signed_url

_SECONDS = 60.0
_CLOUDFORMATION = "2010-05-15"
_CLOUDWATCH = "2010-08-01"


def describe_resource(endpoint: Endpoint, credentials: Credentials, stack: str, resource: str) -> Any:
    """The response as decoded JSON. Raises RequestFailed."""
    params = {
        "Action": "DescribeStackResource",
        "StackName": stack,
        "LogicalResourceId": resource,
        "ContentType": "JSON",
        "Version": _CLOUDFORMATION,
    }
    signed = _signed("GET", endpoint, credentials, params)
    response = within(_SECONDS, lambda: send("GET", signed, tls=endpoint.tls))
    try:
        return response.json()
    except ValueError:
        raise RequestFailed(f"GET {endpoint.url}: the response is not JSON") from None


def put_metric(
    endpoint: Endpoint,
    credentials: Credentials,
    namespace: str,
    metric: Mapping[str, str],
    dimensions: Mapping[str, str],
) -> None:
    """Raises RequestFailed."""
    params = {"Action": "PutMetricData", "Namespace": namespace, "Version": _CLOUDWATCH}
    for name, value in metric.items():
        params["MetricData.member.1." + name] = value
    for number, name in enumerate(sorted(dimensions), 1):
        prefix = f"MetricData.member.1.Dimensions.member.{number}."
        params[prefix + "Name"] = name
        params[prefix + "Value"] = dimensions[name]
    body = _signed("POST", endpoint, credentials, params).partition("?")[2].encode("ascii")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    within(_SECONDS, lambda: send("POST", endpoint.url, body, headers, tls=endpoint.tls))


def _signed(verb: str, endpoint: Endpoint, credentials: Credentials, params: Mapping[str, str]) -> str:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return signed_url(
        verb,
        endpoint.url,
        credentials.access_key or "",
        credentials.secret_key or "",
        dict(params, Timestamp=now),
    )
