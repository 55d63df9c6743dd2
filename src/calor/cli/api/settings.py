"""Selects the cloud: by options, the environment or clouds.yaml, else the embedded server."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from calor.cli.errors import CommandError
from calor.cli.json_values import JsonMapping, JsonObject

EMBEDDED = "calor"

# The key in `auth` of clouds.yaml for each variable.
_AUTH = {
    "OS_AUTH_URL": "auth_url",
    "OS_USERNAME": "username",
    "OS_USER_ID": "user_id",
    "OS_PASSWORD": "password",
    "OS_TENANT_NAME": "project_name",
    "OS_PROJECT_NAME": "project_name",
    "OS_TENANT_ID": "project_id",
    "OS_PROJECT_ID": "project_id",
    "OS_USER_DOMAIN_NAME": "user_domain_name",
    "OS_USER_DOMAIN_ID": "user_domain_id",
    "OS_PROJECT_DOMAIN_NAME": "project_domain_name",
    "OS_PROJECT_DOMAIN_ID": "project_domain_id",
    "OS_DEFAULT_DOMAIN": "default_domain",
    "OS_DOMAIN_NAME": "domain_name",
    "OS_DOMAIN_ID": "domain_id",
    "OS_SYSTEM_SCOPE": "system_scope",
    "OS_TRUST_ID": "trust_id",
    "OS_AUTH_TOKEN": "token",
    "OS_TOKEN": "token",
    "OS_APPLICATION_CREDENTIAL_ID": "application_credential_id",
    "OS_APPLICATION_CREDENTIAL_NAME": "application_credential_name",
    "OS_APPLICATION_CREDENTIAL_SECRET": "application_credential_secret",
}
# The keys next to `auth`.
_TOP_LEVEL = {
    "OS_AUTH_TYPE": "auth_type",
    "OS_REGION_NAME": "region_name",
    "OS_ENDPOINT_TYPE": "interface",
    "OS_INTERFACE": "interface",
    "OS_CACERT": "cacert",
    "OS_CERT": "cert",
    "OS_KEY": "key",
    "OS_INSECURE": "insecure",
    "OS_SERVICE_TYPE": "service_type",
    "OS_ENDPOINT": "orchestration_endpoint_override",
    "OS_ORCHESTRATION_ENDPOINT_OVERRIDE": "orchestration_endpoint_override",
    "HEAT_URL": "orchestration_endpoint_override",
    "OS_STORAGE_URL": "object_store_endpoint_override",
    "OS_NO_CLIENT_AUTH": "no_client_auth",
    "HEAT_INCLUDE_PASSWORD": "include_password",
}
VARIABLES = (*_AUTH, *_TOP_LEVEL)
SWITCHES = {
    "OS_INSECURE": "--insecure",
    "OS_NO_CLIENT_AUTH": "--os-no-client-auth",
    "HEAT_INCLUDE_PASSWORD": "--include-password",
}
"""Boolean variables, with the option for each."""
_TRUE = ("1", "true", "yes", "on", "t", "y")


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """The settings for logging in and for finding services. `name` is for messages."""

    name: str
    auth_type: str
    auth: Mapping[str, str] = field(repr=False)
    region: str | None = None
    interface: str = "public"
    service_type: str = "orchestration"
    overrides: Mapping[str, str] = field(default_factory=dict)
    """URLs of services by type, which override the catalog's."""
    verify: bool = True
    cacert: str | None = None
    cert: str | None = None
    key: str | None = None
    include_password: bool = False
    """Whether to send user and password to the service itself, for a service without Keystone."""


def chosen_cloud(arguments: argparse.Namespace) -> CloudSettings:
    """Raises CommandError if there is none."""
    stated = _options(arguments)
    name = getattr(arguments, "os_cloud", None) or os.environ.get("OS_CLOUD")
    if name:
        return _named(name, stated)
    entry = _merged(_nested({key: os.environ[key] for key in VARIABLES if os.environ.get(key)}), stated)
    if _names_a_cloud(entry):
        return _settings(entry["auth"].get("auth_url") or entry["orchestration_endpoint_override"], entry)
    if os.environ.get("OS_CLIENT_CONFIG_FILE"):
        return _only(stated)
    return _embedded(stated)


def state_dir() -> Path:
    stated = os.environ.get("CALOR_STATE_DIR")
    return Path(stated) if stated else Path.home() / ".local" / "share" / "calor"


def _options(arguments: argparse.Namespace) -> JsonObject:
    given = {
        variable: value
        for variable in VARIABLES
        if (value := getattr(arguments, variable.lower(), None)) is not None
    }
    return _nested(given)


def _nested(given: Mapping[str, str]) -> JsonObject:
    made: JsonObject = {"auth": {}}
    for variable, value in given.items():
        if variable in _AUTH:
            made["auth"][_AUTH[variable]] = value
        else:
            made[_TOP_LEVEL[variable]] = value
    return made


def _merged(below: JsonMapping, above: JsonMapping) -> JsonObject:
    return {**below, **above, "auth": {**below.get("auth", {}), **above.get("auth", {})}}


def _names_a_cloud(entry: JsonMapping) -> bool:
    return bool(entry["auth"].get("auth_url") or entry.get("orchestration_endpoint_override"))


def _named(name: str, stated: JsonMapping) -> CloudSettings:
    known: list[str] = []
    for file in [*_config_files(), state_dir() / "clouds.yaml"]:
        clouds = _clouds(file)
        if name in clouds:
            return _settings(name, _merged(clouds[name], stated))
        known.extend(clouds)
    listed = f"there are {', '.join(dict.fromkeys(known))}" if known else "no clouds.yaml was found"
    raise CommandError(f"there is no cloud {name}", listed)


def _only(stated: JsonMapping) -> CloudSettings:
    """The only cloud in the file named by OS_CLIENT_CONFIG_FILE."""
    clouds = _clouds(Path(os.environ["OS_CLIENT_CONFIG_FILE"]))
    name = EMBEDDED if EMBEDDED in clouds else next(iter(clouds), "")
    if not clouds or (len(clouds) > 1 and name != EMBEDDED):
        found = f"it has {', '.join(clouds)}" if clouds else "it has no clouds"
        raise CommandError("OS_CLIENT_CONFIG_FILE has more than one cloud, or none", f"{found}; set OS_CLOUD")
    return _settings(name, _merged(clouds[name], stated))


def _embedded(stated: JsonMapping) -> CloudSettings:
    file = state_dir() / "clouds.yaml"
    clouds = _clouds(file)
    if EMBEDDED not in clouds:
        raise CommandError(
            f"no cloud is selected, and no server has been started in {file.parent}",
            "start `calor serve`, or set OS_CLOUD or OS_AUTH_URL",
        )
    return _settings(EMBEDDED, _merged(clouds[EMBEDDED], stated))


def _config_files() -> list[Path]:
    """The files that clients of OpenStack read; the first that has the cloud is used."""
    stated = os.environ.get("OS_CLIENT_CONFIG_FILE")
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    folders = (Path.cwd(), home / "openstack", Path("/etc/openstack"))
    found = [folder / f"clouds{suffix}" for folder in folders for suffix in (".yaml", ".yml", ".json")]
    return [Path(stated), *found] if stated else found


def _clouds(file: Path) -> dict[str, JsonObject]:
    import yaml

    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        content = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise CommandError(f"{file} is not valid YAML: {error}") from None
    clouds = content.get("clouds") if isinstance(content, dict) else None
    return {
        str(name): entry
        for name, entry in (clouds if isinstance(clouds, dict) else {}).items()
        if isinstance(entry, dict)
    }


def _settings(name: str, entry: JsonMapping) -> CloudSettings:
    auth = {key: str(value) for key, value in (entry.get("auth") or {}).items() if value is not None}
    verify = entry.get("verify", True)
    insecure = _is_true(entry.get("insecure"))
    overrides = {
        service: str(entry[key]).rstrip("/")
        for service, key in (
            ("orchestration", "orchestration_endpoint_override"),
            ("object-store", "object_store_endpoint_override"),
        )
        if entry.get(key)
    }
    return CloudSettings(
        name,
        _auth_type(entry, auth),
        auth,
        region=entry.get("region_name"),
        interface=_interface(entry),
        service_type=entry.get("service_type") or "orchestration",
        overrides=overrides,
        verify=str(verify).lower() not in ("false", "0", "no") and not insecure,
        cacert=entry.get("cacert") or (verify if isinstance(verify, str) and os.sep in verify else None),
        cert=entry.get("cert"),
        key=entry.get("key"),
        include_password=_is_true(entry.get("include_password")),
    )


def _auth_type(entry: JsonMapping, auth: Mapping[str, str]) -> str:
    if _is_true(entry.get("no_client_auth")):
        return "none"
    stated = entry.get("auth_type")
    if stated:
        return str(stated)
    if auth.get("application_credential_secret"):
        return "v3applicationcredential"
    return "token" if auth.get("token") and not auth.get("password") else "password"


def _is_true(value: object) -> bool:
    return str(value).lower() in _TRUE


def _interface(entry: JsonMapping) -> str:
    stated = entry.get("interface") or entry.get("endpoint_type") or "public"
    return str(stated).removesuffix("URL")
