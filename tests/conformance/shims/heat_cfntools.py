"""heat_cfntools.cfntools.cfn_helper, as its tests use it: what is decided is decided by Calor's cfn tools.

The tests replace subprocess.Popen, so programs are run by it as the tests expect, and downloads are the commands of
curl that they stand for.
"""

from __future__ import annotations

import json
import os
import pwd  # noqa: F401  tests replace its functions
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from typing import IO, Any

from boto.cloudformation import CloudFormationConnection

from calor_guest.cfn import configurations, endpoints, hup, packages, services, sources
from calor_guest.cfn import metadata as tools
from calor_guest.cfn import server_metadata as server
from calor_guest.cfn.commands import CommandFailed as CommandsHandlerRunError
from calor_guest.cfn.credentials import Credentials, read_credentials
from calor_guest.cfn.host import Host, Outcome
from calor_guest.cfn.hup_settings import Hook as RealHook
from calor_guest.cfn.hup_settings import read_settings
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.source_types import BZIP2, FILE, GZIP, TAR, SourceType, source_type
from calor_guest.cfn.values import is_true as to_boolean
from calor_guest.common.files import read_text
from calor_guest.common.http import RequestFailed

__all__ = ["CommandsHandlerRunError", "to_boolean"]


class InvalidCredentialsException(Exception):
    pass


def controlled_privileges(user: str) -> Any:
    """Tests replace it where commands are run as another user."""
    return nullcontext()


def _run(command: Any, user: str = "root", cwd: str | None = None, env: Any = None) -> Outcome:
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        shell=isinstance(command, str),
    )
    stdout, stderr = process.communicate()
    return Outcome(process.returncode, _text(stdout), _text(stderr))


def _text(output: Any) -> str:
    return output.decode() if isinstance(output, bytes) else str(output)


def _has_program(name: str) -> bool:
    return _run(["which", name]).status == 0


def _download(url: str, target: Any) -> None:
    raise AssertionError("the tests download nothing")


HOST = Host(_run, _has_program, _download)


class CommandRunner:
    """Its tests do not apply; it has a name only."""


class PackagesHandler:
    def __init__(self, section: Any) -> None:
        self._section = section

    def apply_packages(self) -> None:
        assert packages.apply(self._section, HOST) == []


class ServicesHandler:
    def __init__(
        self, section: Any, resource: str | None = None, hooks: Iterable[RealHook] | None = None
    ) -> None:
        self._section, self._resource, self._hooks = section, resource or "", tuple(hooks or ())

    def apply_services(self) -> None:
        services.apply(self._section, HOST)

    def monitor_services(self) -> None:
        services.monitor(
            self._section,
            HOST,
            lambda service: hup.fire("service.restarted", self._resource, self._hooks, HOST),
        )


class SourcesHandler:
    """Archives are unpacked by Calor itself; the commands of tests are the words for that."""

    def __init__(self, section: Any) -> None:
        self._section = section

    def apply_sources(self) -> None:
        assert sources.apply(self._section, HOST, self._put) == []

    def _put(self, folder: str, url: str, type: SourceType, host: Host) -> None:
        _run(_words_for(folder, url, type))

    def _apply_source_cmd(self, folder: str, url: str) -> str:
        type = source_type(url)
        return "" if type is None else _words_for(folder, url, type)


_UNPACKERS = {GZIP: "gunzip", BZIP2: "bunzip2"}


def _words_for(folder: str, url: str, type: SourceType) -> str:
    into = f"mkdir -p '{folder}'; cd '{folder}'; "
    unpacked = f"curl -s '{url}' | {_UNPACKERS.get(type.compression or '')}"
    if type.kind == TAR:
        return f"{into}{unpacked} | tar -xvf -"
    if type.kind == FILE:
        return f"{into}{unpacked} > '{type.name}'"
    packed = os.path.join(tempfile.mkdtemp(), os.path.basename(url))
    return f"{into}curl -s -o '{packed}' '{url}' && unzip -o '{packed}'"


class Hook(RealHook):
    def resource_name_get(self) -> str:
        return self.resource

    def event(self, event: str, what: Any, resource: str) -> None:
        hup.fire(event, resource, [self], HOST)

    def __str__(self) -> str:
        return f"{{{', '.join(self)}}}"


class HupConfig:
    def __init__(self, files: Iterable[IO[str]]) -> None:
        try:
            self._settings = read_settings([file.read() for file in files])
        except Problem as problem:
            raise InvalidCredentialsException(f"invalid credentials file: {problem}") from problem
        self.hooks = [Hook(*hook) for hook in self._settings.hooks]

    def unique_resources_get(self) -> list[str]:
        return self._settings.resources

    def __str__(self) -> str:
        found = self._settings
        return (
            f"{{stack: {found.stack}, credential_file: {found.credential_file}, "
            f"region: {found.region}, interval:{found.interval}}}"
        )


class Metadata:
    def __init__(
        self,
        stack: str,
        resource: str | None,
        access_key: str | None = None,
        secret_key: str | None = None,
        credentials_file: str | None = None,
        region: str | None = None,
        configsets: str | None = None,
    ) -> None:
        self._stack, self._resource, self._configsets = stack, resource, configsets
        self._keys, self._credentials_file = Credentials(access_key, secret_key), credentials_file
        self._metadata: Any = None
        self._has_changed = False

    def remote_metadata(self) -> Any:
        credentials = read_credentials(self._credentials_file) if self._credentials_file else self._keys
        if not credentials.are_complete:
            raise Problem("there are no credentials")
        return tools.in_response(
            CloudFormationConnection().describe_stack_resource(self._stack, self._resource)
        )

    def retrieve(
        self, meta_str: Any = None, default_path: str = "/nonexistent", last_path: str = "/nonexistent"
    ) -> bool:
        fetch: Callable[[], Any] = (
            (lambda: tools.decoded(meta_str)) if meta_str else lambda: self.remote_metadata()
        )
        found = tools.retrieve(fetch, self._resource, default_path, last_path)
        if found is None:
            return False
        self._metadata, self._has_changed = found
        return True

    def display(self, key: str | None = None) -> None:
        value = self._metadata if key is None else tools.value_at(self._metadata, key)
        if value is not None:
            print(json.dumps(value))

    def __str__(self) -> str:
        return json.dumps(self._metadata)

    def _is_valid_metadata(self) -> bool:
        section = tools.init_section(self._metadata)
        if section is not None:
            self._metadata = section
        return section is not None

    def cfn_init(self) -> None:
        section = tools.init_section(self._metadata)
        assert section is not None
        configurations.apply(section, self._configsets, HOST)

    def cfn_hup(self, hooks: Iterable[Any]) -> None:
        def monitor(section: Any, host: Host, restarted: Any) -> None:
            ServicesHandler(section, self._resource, hooks).monitor_services()

        found = tools.Retrieved(self._metadata, self._has_changed)
        hup.handle(found, self._resource or "", hooks, HOST, monitor)

    def get_nova_meta(self, cache_path: str = "/nonexistent") -> Mapping[str, Any] | None:
        def fetch(url: str) -> bytes:
            _run(["curl", "-o", cache_path, url])
            text = read_text(cache_path)
            if text is None:
                raise RequestFailed("no response")
            return text.encode()

        return server.server_metadata(cache_path, fetch)

    def get_instance_id(self) -> str | None:
        return server.instance_id(self.get_nova_meta())

    def get_tags(self) -> Mapping[str, str]:
        return server.tags(self.get_nova_meta())


def parse_creds_file(path: str) -> Mapping[str, str | None]:
    found = read_credentials(path)
    return {"AWSAccessKeyId": found.access_key, "AWSSecretKey": found.secret_key}


def metadata_server_port(path: str) -> int | None:
    text = read_text(path)
    return None if text is None else endpoints.port_in(text)
