"""Metadata from the CloudFormation API."""

import json
from typing import Any, Dict, List, NamedTuple, Sequence
from urllib.parse import urlsplit

from calor_guest.collect.deployments import Item, with_deployments
from calor_guest.collect.source import MetadataSource, NotAvailable, NotConfigured
from calor_guest.common import files


class Path(NamedTuple):
    """What is asked for: RESOURCE.FIELD[.KEY...]."""

    resource: str
    field: str
    keys: Sequence[str]


class Source(MetadataSource):
    name = "cfn"
    keeps = True

    def collect(self) -> List[Item]:
        url = self._url()
        access_key, secret_key = self.required("access_key_id", "secret_access_key")
        texts = self.section.many("path")
        if not texts:
            raise NotConfigured("No path configured.")
        found: Dict[str, Any] = {}
        for path in [_parsed(text) for text in texts]:
            value = self._value(url, path, access_key, secret_key)
            if not isinstance(value, dict):
                raise NotAvailable(
                    "{} is not a map".format(".".join((path.resource, path.field, *path.keys)))
                )
            found.update(value)
        keys = self.section.many("deployment_key") or self.deployment_keys
        return with_deployments(self.name, found, keys)

    def _url(self) -> str:
        given = self.section.text("metadata_url")
        if given is not None:
            return given
        hint = self.section.text("heat_metadata_hint")
        hinted = files.read_text(hint) if hint else None
        if hinted is None:
            raise NotConfigured("No metadata_url configured.")
        base = hinted.strip().rstrip("/")
        return base + "/" if base.endswith("/v1") else base + "/v1/"

    def _value(self, url: str, path: Path, access_key: str, secret_key: str) -> Any:
        # Imported late, since servers that boot collect from files first.
        from calor_guest.common import http, signatures

        params = {
            "Action": "DescribeStackResource",
            "StackName": self.section.text("stack_name") or "",
            "LogicalResourceId": path.resource,
        }
        if not urlsplit(url).netloc:
            raise NotConfigured(f"{url} is not a URL.")
        signed = signatures.signed_url("GET", url, access_key, secret_key, params)
        try:
            response = http.send(
                "GET",
                signed,
                headers={"Content-Type": "application/json"},
                timeout=self.section.number("timeout"),
                tls=http.Tls(self.section.text("ca_certificate")),
            )
        except http.RequestFailed as error:
            raise NotAvailable(str(error)) from error
        return _below(_field(response.body, path.field), path)


def _parsed(text: str) -> Path:
    parts = text.split(".")
    if len(parts) < 2:
        raise NotConfigured(f"Path not in format resource.field[.x.y] ({text})")
    return Path(parts[0], parts[1], parts[2:])


def _field(body: bytes, name: str) -> Any:
    from xml.etree import ElementTree

    try:
        element: Any = ElementTree.fromstring(body)
    except ElementTree.ParseError as error:
        raise NotAvailable(f"the response is not XML ({error})") from error
    for tag in ("DescribeStackResourceResult", "StackResourceDetail", name):
        # Whatever the namespace is.
        element = next((child for child in element if child.tag.rpartition("}")[2] == tag), None)
        if element is None:
            raise NotAvailable(f"Path {name} does not exist.")
    try:
        return json.loads(element.text or "")
    except ValueError as error:
        raise NotAvailable(f"Path {name} failed to parse as json. ({error})") from error


def _below(value: Any, path: Path) -> Any:
    for key in path.keys:
        if not isinstance(value, dict) or key not in value:
            raise NotAvailable("Sub-key {} does not exist. ({})".format(key, ".".join(path.keys)))
        value = value[key]
    return value
