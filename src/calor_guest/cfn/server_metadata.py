"""The metadata that the compute service has of this server. It is asked for once."""

import json
import socket
from typing import Any, Callable, Dict, Optional

from calor_guest.cfn.logs import log
from calor_guest.cfn.values import properties
from calor_guest.common.deadlines import within
from calor_guest.common.files import read_json, write
from calor_guest.common.http import RequestFailed, send

URL = "http://169.254.169.254/openstack/2012-08-10/meta_data.json"
_SECONDS = 20.0


def fetched(url: str) -> bytes:
    return within(_SECONDS, lambda: send("GET", url)).body


def server_metadata(cache: str, fetch: Callable[[str], bytes] = fetched) -> Optional[Dict[str, Any]]:
    """None if it is unknown. What is not JSON is not kept."""
    try:
        known = read_json(cache)
        if known is not None:
            return properties(known)
    except ValueError:
        log.info("%s is not JSON", cache)
    try:
        text = fetch(URL).decode("utf-8")
        answer = properties(json.loads(text))
    except (RequestFailed, ValueError) as error:
        log.info("the metadata of this server is unknown: %s", error)
        return None
    try:
        write(cache, text)
    except OSError as error:
        log.info("cannot write %s: %s", cache, error)
    return answer


def instance_id(metadata: Optional[Dict[str, Any]]) -> Optional[str]:
    found = (metadata or {}).get("uuid")
    return found if isinstance(found, str) else None


def tags(metadata: Optional[Dict[str, Any]]) -> Dict[str, str]:
    """What users have noted about the server, and its id."""
    found = {name: str(value) for name, value in properties((metadata or {}).get("meta")).items()}
    id = instance_id(metadata)
    return dict(found, InstanceId=id) if id else found


def unique_id(cache: str) -> str:
    """The id of this server, or its host name if it is unknown."""
    return instance_id(server_metadata(cache)) or socket.getfqdn()
