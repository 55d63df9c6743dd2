"""Where the APIs are, as the user data of the server has it."""

import configparser
from typing import Mapping, NamedTuple, Optional
from urllib.parse import urlsplit

from calor_guest.cfn.places import Places
from calor_guest.cfn.values import is_true
from calor_guest.common.files import read_text
from calor_guest.common.http import Tls

_PORT = 8000
_CLOUDWATCH_PORT = 8003
_PATH = "/v1/"


class Endpoint(NamedTuple):
    url: str
    tls: Tls


def cloudformation(places: Places) -> Optional[Endpoint]:
    """None if no file has its host."""
    settings = _settings(places.boto_settings)
    url = (read_text(places.server_url) or "").strip()
    host = settings.get("cfn_region_endpoint") or _host_in(url)
    if not host:
        return None
    secure = _is_secure(settings, url)
    port = port_in(url) or (443 if url.startswith("https://") else _PORT)
    return Endpoint(_url(secure, host, port), _tls(settings))


def cloudwatch(places: Places) -> Optional[Endpoint]:
    """None if no file has its host."""
    settings = _settings(places.boto_settings)
    url = (read_text(places.server_url) or "").strip()
    named = settings.get("cloudwatch_region_endpoint") or settings.get("cfn_region_endpoint")
    host = named or _host_in(url)
    if not host:
        return None
    return Endpoint(_url(_is_secure(settings, url), host, _CLOUDWATCH_PORT), _tls(settings))


def given(url: str, places: Places) -> Endpoint:
    """The endpoint that a user names."""
    return Endpoint(url.rstrip("/") + "/", _tls(_settings(places.boto_settings)))


def port_in(url: str) -> Optional[int]:
    try:
        return urlsplit(url.strip()).port
    except ValueError:
        return None


def _settings(path: str) -> Mapping[str, str]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(read_text(path) or "")
    except configparser.Error:
        return {}
    return dict(parser["Boto"]) if parser.has_section("Boto") else {}


def _is_secure(settings: Mapping[str, str], url: str) -> bool:
    if "is_secure" in settings:
        return is_true(settings["is_secure"])
    return url.startswith("https://")


def _tls(settings: Mapping[str, str]) -> Tls:
    verifies = is_true(settings.get("https_validate_certificates", "true"))
    return Tls(settings.get("ca_certificates_file"), insecure=not verifies)


def _host_in(url: str) -> Optional[str]:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _url(secure: bool, host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return "{}://{}:{}{}".format("https" if secure else "http", name, port, _PATH)
