"""Collectors of the original's interface, each with a source of ours."""

import logging
from importlib import import_module
from unittest import mock
from urllib.parse import parse_qsl

from os_collect_config import exc
from oslo_config import cfg

from calor_guest.collect import options, source
from calor_guest.common import http


def settings():
    """Those that the tests set."""
    sections = {}
    for option in options.OPTIONS:
        group = cfg.CONF if option.section == options.GENERAL else cfg.CONF[option.section]
        key = "print_only" if option.key == "print" else option.key
        sections.setdefault(option.section, {})[option.key] = getattr(group, key, option.default)
    return options.Settings(sections, {})


def made(name, **replaced):
    """A source whose calls of functions of other modules, by MODULE.FUNCTION, go elsewhere."""
    found = import_module("calor_guest.collect.sources." + name).Source(settings())
    inner = found.collect

    def collect():
        patches = [mock.patch("calor_guest." + path, new) for path, new in replaced.items()]
        for patch in patches:
            patch.start()
        try:
            return inner()
        finally:
            for patch in reversed(patches):
                patch.stop()

    found.collect = collect
    return found


def collected(found, prefix):
    """Collects; problems have the types that the tests expect."""
    log = logging.getLogger("os-collect-config")
    try:
        return found.collect()
    except source.NotConfigured as problem:
        log.info("%s", problem)
        raise getattr(exc, prefix + "NotConfigured")(str(problem)) from problem
    except source.NotAvailable as problem:
        log.warning("%s", problem)
        raise getattr(exc, prefix + "NotAvailable")(str(problem)) from problem


def sending(session, requests_impl):
    """In the place of our requests: those of a session of requests."""

    def send(method, url, body=None, headers=None, timeout=10.0, tls=http.VERIFIED):
        address, _, query = url.partition("?")
        more = {}
        if query:
            more = {"params": dict(parse_qsl(query)), "headers": headers, "verify": tls.ca_file}
        try:
            answer = getattr(session, method.lower())(address, timeout=timeout, **more)
        except requests_impl.exceptions.RequestException as error:
            raise http.RequestFailed(str(error), 403) from error
        text = answer.text if isinstance(answer.text, bytes) else answer.text.encode()
        return http.Response(200, getattr(answer, "headers", None) or {}, text)

    return send


def logging_in(client):
    """In the place of our log-in: a client of Keystone."""

    class Session:
        headers = {"X-Auth-Token": "atoken"}

        def __init__(self, keystone):
            self._keystone = keystone

        def endpoint(self, kind, region=None):
            more = {"region_name": region} if region else {}
            url = self._keystone.service_catalog.url_for(service_type=kind, endpoint_type="publicURL", **more)
            return url.rstrip("/")

    def log_in(auth_url, user_id, password, project_id, timeout=10.0, tls=http.VERIFIED):
        try:
            return Session(
                client.Client(auth_url=auth_url, user_id=user_id, password=password, project_id=project_id)
            )
        except Exception as error:
            raise http.RequestFailed(str(error), 401) from error

    return log_in
