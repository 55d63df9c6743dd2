"""Whatever stands in the files, gathering them gives a request or says why not."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from calor.language.files import gather
from calor.language.request import resolve_request
from calor.types.world import offline_world
from tests.property.template_strategies import anything, broken, environments, templates

ROOT = "file:///stack/root.yaml"
NAMES = ("root.yaml", "one.yaml", "two.template", "three.json", "run.sh", "env.yaml")
STRANGE_NAMES = (
    *(
        "http://[",
        "http://192.0.2.1:x/a.yaml",
        "//a.yaml",
        "file:///stack/one.yaml",
        "..",
        "",
        "#a.yaml",
        "?.yaml",
    ),
    *(
        "\x00.yaml",
        "a b.yaml",
        "é.yaml",
        "ftp://192.0.2.1/a.yaml",
        "data:,a.yaml",
        "/etc/a.yaml",
        "\ud800.yaml",
    ),
)
names = st.one_of(
    st.sampled_from(NAMES), st.sampled_from(STRANGE_NAMES), st.text(max_size=5).map("{}.yaml".format)
)


@st.composite
def referring(draw: st.DrawFn) -> dict[str, Any]:
    """Templates that use the other files, and themselves."""
    resources = {
        f"r{number}": {"type": draw(names), "properties": {"config": {"get_file": draw(names)}}}
        for number in range(draw(st.integers(0, 3)))
    }
    return {"heat_template_version": "2021-04-16", "resources": resources}


registries = st.dictionaries(
    st.sampled_from(("A::B", "base_url", "hooks")), st.one_of(names, anything(leaves=2))
)
environments_with_files = registries.map(
    lambda registry: {"resource_registry": {**registry, "resources": {"r": registry}}}
)
documents = st.one_of(
    referring(), broken(referring()), templates(), anything(), environments(), environments_with_files
)


def written(data: Any) -> bytes:
    try:
        return yaml.safe_dump(data).encode()
    except (yaml.YAMLError, UnicodeEncodeError):
        return json.dumps(data, skipkeys=True).encode()


contents = st.one_of(st.binary(max_size=30), st.text(max_size=30).map(str.encode), documents.map(written))
folders = st.dictionaries(st.sampled_from(NAMES), contents).map(
    lambda files: {f"file:///stack/{name}": content for name, content in files.items()}
)


def fetcher(folder: dict[str, bytes]) -> Any:
    def fetch(url: str) -> bytes:
        if url not in folder:
            raise FileNotFoundError(2, "there is no such file")
        return folder[url]

    return fetch


@given(folders)
@example({ROOT: b"heat_template_version: 2021-04-16\nresources: {r: {type: root.yaml}}"})
@example({ROOT: b"{type: 'http://[.yaml'}"})
@example({ROOT: b"{get_file: 'http://['}"})
@example({ROOT: b"{a: {get_file: run.sh}}", "file:///stack/run.sh": b"\xff\x00"})
@example({ROOT: b'{"get_file": "\\ud800"}'})
@example({ROOT: b"a: b", "file:///stack/env.yaml": b"{resource_registry: {1: a.yaml, base_url: 3}}"})
def test_any_files_are_gathered_or_refused_with_a_reason(folder: dict[str, bytes]) -> None:
    gathered = gather(ROOT, ["file:///stack/env.yaml"], fetcher(folder), cwd="/stack")

    assert gathered.request or gathered.report.has_errors
    # What was gathered goes over the wire, and no two clients may send different things.
    assert json.dumps(gathered.request) == json.dumps(
        gather(ROOT, ["file:///stack/env.yaml"], fetcher(folder), cwd="/stack").request
    )


@given(folders)
def test_what_was_gathered_can_be_resolved(folder: dict[str, bytes]) -> None:
    gathered = gather(ROOT, ["file:///stack/env.yaml"], fetcher(folder), cwd="/stack")
    if not gathered.request:
        return

    definition = resolve_request(
        gathered.request, offline_world(), gathered.report, name=gathered.url, sources=gathered.sources
    )

    assert definition is not None or gathered.report.has_errors
