"""Gathers a template, its environments and all the files they refer to into one request.

This is done by clients: a server never reads files for a user, but gets them in the request's `files`, under the
absolute URLs to which the references are rewritten here.
"""

from __future__ import annotations

import base64
import json
import posixpath
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from calor.language import environment as environments
from calor.language import reader
from calor.language.diagnostics import Diagnostic, Path, Place, Report, Severity
from calor.language.registry import RESOURCES, is_template
from calor.language.source import Source
from calor.language.template import is_template as is_template_data
from calor.language.values import TemplateValue

Fetch = Callable[[str], bytes]
"""The content at a file:, http: or https: URL. Raises OSError."""

MAX_FILE = 16 * 1024 * 1024


@dataclass(slots=True)
class Gathered:
    """A request and the texts it was made from, by URL."""

    url: str
    request: dict[str, TemplateValue]
    sources: dict[str, Source]
    report: Report = field(default_factory=Report)


def file_url(path: str, cwd: str) -> str:
    """The URL of a file given on the command line as a path or a URL."""
    if urllib.parse.urlsplit(path).scheme in ("file", "http", "https"):
        return path
    return "file://" + urllib.parse.quote(
        posixpath.normpath(posixpath.join(cwd, path)), errors="surrogateescape"
    )


def display_name(url: str, cwd: str) -> str:
    """A URL for display: files in the current folder are shown by their relative path."""
    if not url.startswith("file://"):
        return url
    path = urllib.parse.unquote(url.removeprefix("file://"), errors="surrogateescape")
    prefix = cwd.rstrip("/") + "/"
    return path.removeprefix(prefix)


def gather(
    template_url: str,
    environment_urls: Sequence[str],
    fetch: Fetch,
    *,
    parameters: Mapping[str, TemplateValue] | None = None,
    cwd: str = "/",
    limits: reader.Limits = reader.DEFAULT_LIMITS,
) -> Gathered:
    """The request for a template and its environments. It is empty if the template itself cannot be read; the report
    has the reason."""
    work = _Gatherer(fetch, cwd, limits)
    root = work.root(template_url)
    if root is None:
        return Gathered(template_url, {}, work.sources, work.report)
    read = [environment for url in environment_urls if (environment := work.environment(url)) is not None]
    request = {
        "template": root.data,
        "files": work.files,
        "environment": _deep_merged([source.data for _, source in read]),
        "environment_files": [url for url, _ in read],
        "parameters": dict(parameters or {}),
    }
    return Gathered(template_url, request, work.sources, work.report)


class _Gatherer:
    def __init__(self, fetch: Fetch, cwd: str, limits: reader.Limits) -> None:
        self.fetch = fetch
        self.cwd = cwd
        self.limits = limits
        self.report = Report()
        self.files: dict[str, str] = {}
        self.sources: dict[str, Source] = {}
        self.open: list[str] = []

    def root(self, url: str) -> Source | None:
        content = self._content(url, None)
        if content is None:
            return None
        source = self._source(url, content)
        if source is None:
            return None
        self.open.append(url)
        self._rewrite_template(source, url)
        self.open.pop()
        return source

    def environment(self, url: str) -> tuple[str, Source] | None:
        content = self._content(url, None)
        source = self._source(url, content) if content is not None else None
        if source is None:
            return None
        registry = source.data.get(environments.REGISTRY)
        if isinstance(registry, dict):
            source.data = {**source.data, environments.REGISTRY: self._registry(registry, url, source)}
        self.files[url] = json.dumps(source.data)
        return url, source

    def _registry(
        self, registry: dict[str, TemplateValue], url: str, source: Source
    ) -> dict[str, TemplateValue]:
        at: Path = (environments.REGISTRY,)
        base = self._base(registry, url)
        made = self._mappings(registry, base, source, at)
        specific = registry.get(RESOURCES)
        if isinstance(specific, dict):
            made[RESOURCES] = {
                name: self._mappings(content, self._base(content, base), source, (*at, RESOURCES, name))
                if isinstance(content, dict)
                else content
                for name, content in specific.items()
            }
        return made

    @staticmethod
    def _base(mappings: dict[str, TemplateValue], otherwise: str) -> str:
        stated = mappings.get("base_url")
        return stated.rstrip("/") + "/" if isinstance(stated, str) else otherwise

    def _mappings(
        self, mappings: dict[str, TemplateValue], base: str, source: Source, at: Path
    ) -> dict[str, TemplateValue]:
        made = {}
        for name, target in mappings.items():
            special = name in (RESOURCES, "hooks", "restricted_actions", "base_url")
            if isinstance(target, str) and not special and "::" not in target:
                target = self._include(target, base, source, (*at, name))
            if name != "base_url":
                made[name] = target
        return made

    def _rewrite_template(self, source: Source, base: str) -> None:
        source.data = self._rewritten(source.data, base, source, ())

    def _rewritten(self, data: object, base: str, source: Source, at: Path) -> TemplateValue:
        """The data with each get_file and each type that names a template pointing to an absolute URL."""
        if isinstance(data, list):
            items = [self._rewritten(item, base, source, (*at, index)) for index, item in enumerate(data)]
            return items if any(new is not old for new, old in zip(items, data, strict=True)) else data
        if not isinstance(data, dict):
            return data
        made = {}
        changed = False
        for key, value in data.items():
            if isinstance(value, str) and (
                key == "get_file" or (key in ("type", "Type") and is_template(value))
            ):
                new: TemplateValue = self._include(value, base, source, (*at, key))
            else:
                new = self._rewritten(value, base, source, (*at, key))
            changed = changed or new is not value
            made[key] = new
        return made if changed else data

    def _include(self, name: str, base: str, source: Source, at: Path) -> str:
        """Fetches a referenced file and the files that it refers to. Returns its absolute URL."""
        place = source.place(at, True)
        try:
            url = urllib.parse.urljoin(base, name)
        except ValueError as error:
            self._error("E502", f"`{name}` is not a URL: {error}", place)
            return name
        if url in self.open:
            if is_template(name):
                chain = [display_name(step, self.cwd) for step in (*self.open[self.open.index(url) :], url)]
                self._error("E504", f"the templates include each other: {' → '.join(chain)}", place)
            return url
        if url in self.files:
            return url
        content = self._content(url, place)
        if content is None:
            return url
        child = self._template_in(url, content)
        if child is None:
            self.files[url] = _as_text(content)
            return url
        self.open.append(url)
        self._rewrite_template(child, url)
        self.open.pop()
        self.files[url] = json.dumps(child.data)
        return url

    def _content(self, url: str, place: Place | None) -> bytes | None:
        try:
            content = self.fetch(url)
        except OSError as error:
            reason = error.strerror or str(error) or "unreachable"
            code = "E501" if url.startswith("file:") else "E502"
            self._error(code, f"{display_name(url, self.cwd)} cannot be read: {reason}", place)
            return None
        if len(content) > MAX_FILE:
            message = (
                f"{display_name(url, self.cwd)} has {len(content):,} bytes; at most {MAX_FILE:,} are allowed"
            )
            self._error("E503", message, place)
            return None
        return content

    def _error(self, code: str, message: str, place: Place | None) -> None:
        self.report.add(Diagnostic(Severity.ERROR, code, message, "CommandError", "", place))

    def _source(self, url: str, content: bytes) -> Source | None:
        source = reader.read_mapping(content, display_name(url, self.cwd), self.report, self.limits)
        if source is not None:
            self.sources[url] = source
        return source

    def _template_in(self, url: str, content: bytes) -> Source | None:
        """The content as a template, if it is one. Errors are reported only if it is used as one."""
        if not url.endswith((".yaml", ".yml", ".template", ".json")) and b"emplate" not in content[:4096]:
            return None
        report = Report()
        source = reader.read_mapping(content, display_name(url, self.cwd), report, self.limits)
        if source is None or not is_template_data(source.data):
            return None
        self.sources[url] = source
        self.report.extend(report)
        return source


def _as_text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return base64.encodebytes(content).decode("ascii")


def _deep_merged(environments_data: Sequence[Mapping[str, TemplateValue]]) -> dict[str, TemplateValue]:
    """One environment for servers without environment_files: maps are merged, later values win."""
    made: dict[str, TemplateValue] = {}
    for data in environments_data:
        _merge_into(made, data)
    return made


def _merge_into(made: dict[str, TemplateValue], data: Mapping[str, TemplateValue]) -> None:
    for key, value in data.items():
        before = made.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            made[key] = dict(before)
            _merge_into(made[key], value)
        elif not (isinstance(before, dict) and value is None):
            made[key] = value
