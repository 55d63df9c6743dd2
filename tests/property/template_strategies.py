"""Strategies for templates, environments and requests: well made ones, careless ones and broken ones."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from calor.language.versions import ALL_VERSIONS, HOT_VERSIONS, Version
from calor.types import catalogue

Json = Any

PARAMETERS = {
    "p_text": ("string", "some text"),
    "p_number": ("number", 3),
    "p_list": ("comma_delimited_list", "a,b,c"),
    "p_map": ("json", {"k": "v", "deep": {"er": [1, 2]}}),
    "p_flag": ("boolean", True),
}
CONDITIONS = ("c_one", "c_two", "c_three")
RESOURCES = ("r_one", "r_two", "r_three", "r_four")
CHILD = "child.yaml"
FILES = {
    "f.txt": "what the file says",
    CHILD: yaml.safe_dump(
        {
            "heat_template_version": "2018-08-31",
            "parameters": {
                "value": {"type": "string"},
                "many": {"type": "comma_delimited_list", "default": ""},
            },
            "resources": {
                "inner": {"type": "OS::Heat::TestResource", "properties": {"value": {"get_param": "value"}}}
            },
            "outputs": {"out": {"value": {"get_resource": "inner"}}},
        }
    ),
    "broken.yaml": "a: [",
}
TYPES = (
    *("OS::Heat::TestResource", "OS::Heat::Value", "OS::Heat::RandomString", "OS::Heat::SoftwareConfig"),
    *("OS::Heat::ResourceGroup", "OS::Heat::AutoScalingGroup", "OS::Heat::WaitCondition", "OS::Heat::None"),
    *(
        "OS::Nova::Server",
        "OS::Neutron::Net",
        "OS::Neutron::Subnet",
        "OS::Neutron::Port",
        "OS::Neutron::Router",
    ),
    *("OS::Cinder::Volume", "OS::Barbican::Order", "AWS::EC2::Instance", "AWS::CloudFormation::Stack"),
)
STRANGE_TYPES = (
    CHILD,
    "broken.yaml",
    "missing.yaml",
    "http://192.0.2.1/a.yaml",
    "OS::No::Such",
    "My::Own",
    "",
)
SECTIONS = ("parameters", "parameter_groups", "conditions", "resources", "outputs", "mappings", "description")

texts = st.text(max_size=8)
numbers = st.one_of(st.integers(-5, 70000), st.floats(), st.just(2**70))
scalars: SearchStrategy[Json] = st.one_of(st.none(), st.booleans(), numbers, texts)
parameter_names = st.sampled_from((*PARAMETERS, "secret", "OS::stack_name", "AWS::StackId", "no_such"))
condition_names = st.sampled_from((*CONDITIONS, "no_such"))
resource_names = st.sampled_from((*RESOURCES, "no_such"))
file_names = st.sampled_from((*FILES, "no_such"))
keys: SearchStrategy[Json] = st.one_of(
    st.sampled_from(("k", "deep", "a", "b", "0", "value")),
    texts,
    st.one_of(st.none(), st.booleans(), numbers),
)

FUNCTIONS = tuple(
    sorted(
        {
            name
            for version in ALL_VERSIONS
            for name in (*version.functions, *(version.condition_functions or {}))
        }
    )
)
"""All names of functions of any version, conditions' included."""


def anything(inner: SearchStrategy[Json] = scalars, leaves: int = 6) -> SearchStrategy[Json]:
    """Any data that YAML could say."""
    return st.recursive(
        inner,
        lambda part: st.one_of(st.lists(part, max_size=3), st.dictionaries(keys, part, max_size=3)),
        max_leaves=leaves,
    )


def _listed(*parts: SearchStrategy[Json]) -> SearchStrategy[Json]:
    return st.tuples(*parts).map(list)


def _keyed(**parts: SearchStrategy[Json]) -> SearchStrategy[Json]:
    return st.fixed_dictionaries(parts)


def _written(inner: SearchStrategy[Json]) -> dict[str, SearchStrategy[Json]]:
    """Arguments as the functions want them written, with anything inside."""
    some = st.lists(inner, max_size=3)
    mapped = st.dictionaries(st.sampled_from(("k", "a", "b", "%x%")), inner, max_size=2)
    named = _keyed(template=inner, params=st.one_of(mapped, inner))
    choice = _listed(st.one_of(condition_names, st.booleans()), inner, inner)
    return {
        "get_param": st.one_of(parameter_names, _listed(parameter_names, inner), inner),
        "Ref": st.one_of(parameter_names, resource_names),
        "get_resource": st.one_of(resource_names, inner),
        "get_attr": _listed(resource_names, st.one_of(st.sampled_from(("show", "output", "value")), inner)),
        "Fn::GetAtt": _listed(resource_names, st.sampled_from(("PublicIp", "value"))),
        "get_file": file_names,
        "list_join": st.one_of(_listed(texts, some), _listed(texts, some, some)),
        "Fn::Join": _listed(texts, some),
        "str_replace": named,
        "str_replace_strict": named,
        "str_replace_vstrict": named,
        "Fn::Replace": _listed(mapped, inner),
        "str_split": _listed(texts, inner),
        "Fn::Split": _listed(texts, inner),
        "repeat": _keyed(template=inner, for_each=mapped),
        "digest": _listed(st.sampled_from(("sha256", "MD5", "shake_128", "none")), inner),
        "map_merge": some,
        "map_replace": _listed(inner, st.dictionaries(st.sampled_from(("keys", "values")), mapped)),
        "list_concat": some,
        "list_concat_unique": some,
        "contains": _listed(inner, inner),
        "filter": _listed(some, inner),
        "equals": _listed(inner, inner),
        "Fn::Equals": _listed(inner, inner),
        "not": st.one_of(condition_names, inner),
        "Fn::Not": _listed(st.one_of(condition_names, inner)),
        "and": _listed(condition_names, st.one_of(condition_names, inner)),
        "or": _listed(condition_names, st.one_of(condition_names, inner)),
        "if": choice,
        "Fn::If": choice,
        "Fn::Select": _listed(st.one_of(st.integers(-2, 2), texts), inner),
        "Fn::FindInMap": _listed(inner, inner, inner),
        "Fn::MemberListToMap": _listed(texts, texts, some),
        "make_url": st.dictionaries(
            st.sampled_from(("scheme", "host", "port", "path", "query")), inner, max_size=3
        ),
        "resource_facade": st.sampled_from(("metadata", "deletion_policy", "no_such")),
        "yaql": _keyed(
            expression=st.sampled_from(("$.data", "$.data.len()", "$.data.sum()", "$[", "1/0")), data=inner
        ),
    }


def _calls(inner: SearchStrategy[Json]) -> SearchStrategy[Json]:
    """A function, as it should be written or not."""
    written = _written(inner)
    made = [arguments.map(lambda args, name=name: {name: args}) for name, arguments in written.items()]
    careless = st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda pair: {pair[0]: pair[1]})
    return st.one_of(st.one_of(made), careless)


def expressions(leaves: int = 8) -> SearchStrategy[Json]:
    """Values with functions nested at random."""
    return st.recursive(
        st.one_of(scalars, parameter_names.map(lambda name: {"get_param": name})),
        lambda inner: st.one_of(
            _calls(inner), st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=2)
        ),
        max_leaves=leaves,
    )


EXPRESSIONS = expressions()
SMALL_EXPRESSIONS = expressions(4)
ANY_VERSION = st.sampled_from(ALL_VERSIONS)
HOT_VERSION = st.sampled_from(HOT_VERSIONS)


@st.composite
def resources(draw: DrawFn, version: Version, values: SearchStrategy[Json]) -> dict[str, Json]:
    words = version.words
    kind = draw(st.one_of(st.sampled_from(TYPES), st.sampled_from((*TYPES, *STRANGE_TYPES))))
    declared = catalogue.declaration(kind)
    names = ("value", "many", *(declared.properties if declared else ()))
    made: dict[str, Json] = {
        words.type: kind,
        words.properties: draw(
            st.one_of(st.dictionaries(st.sampled_from(names), values, max_size=4), _calls(values))
        ),
    }
    for key, content in (
        (words.metadata, st.dictionaries(keys, values, max_size=1)),
        (words.depends_on, st.one_of(resource_names, st.lists(resource_names, max_size=2))),
        (words.deletion_policy, st.one_of(st.sampled_from(("Retain", "delete", "Snapshot")), values)),
        (words.update_policy, st.dictionaries(keys, values, max_size=1)),
        (words.condition, st.one_of(condition_names, values)),
        (words.description, texts),
        ("external_id", texts),
    ):
        if draw(st.integers(0, 5)) == 0:
            made[key] = draw(content)
    return made


def _parameter(kind: str, default: Json, hot: bool, **more: Json) -> dict[str, Json]:
    if hot:
        return {"type": kind, "default": default, **more}
    named = {"string": "String", "number": "Number", "json": "Json", "boolean": "Boolean"}
    flags = {"NoEcho": "true"} if more.get("hidden") else {}
    return {"Type": named.get(kind, "CommaDelimitedList"), "Default": default, **flags}


@st.composite
def templates(
    draw: DrawFn,
    versions: SearchStrategy[Version] = ANY_VERSION,
    values: SearchStrategy[Json] = EXPRESSIONS,
    secret: Json = "hidden",
) -> dict[str, Json]:
    """Templates of every version whose frame is right and whose values are anything."""
    version = draw(versions)
    words = version.words
    declared = {name: _parameter(kind, value, version.is_hot) for name, (kind, value) in PARAMETERS.items()}
    declared["secret"] = _parameter("string", secret, version.is_hot, hidden=True)
    made = {
        version.key: version.date,
        words.parameters: declared,
        words.resources: {
            name: draw(resources(version, values))
            for name in draw(st.lists(st.sampled_from(RESOURCES), max_size=3, unique=True))
        },
        words.outputs: {
            f"o_{number}": {words.value: value}
            for number, value in enumerate(draw(st.lists(values, max_size=3)))
        },
    }
    if version.has_conditions or draw(st.integers(0, 9)) == 0:
        made[words.conditions] = {
            name: draw(st.one_of(st.booleans(), _calls(values)))
            for name in CONDITIONS[: draw(st.integers(0, 3))]
        }
    if words.mappings:
        made[words.mappings] = {"k": {"a": {"b": "mapped"}}}
    return made


def places(data: Json) -> list[tuple[Json, Json]]:
    """Every container in some data with each of its keys."""
    found = []
    stack = [data]
    while stack:
        node = stack.pop()
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    return found


@st.composite
def broken(draw: DrawFn, whole: SearchStrategy[Json], times: int = 3) -> Json:
    """Data with some of its parts replaced by anything, renamed or removed."""
    made = deepcopy(draw(whole))
    for _ in range(draw(st.integers(1, times))):
        spots = places(made)
        if not spots:
            break
        holder, key = draw(st.sampled_from(spots))
        match draw(st.integers(0, 3)):
            case 0 if isinstance(holder, dict):
                holder[draw(keys)] = holder.pop(key)
            case 1:
                del holder[key]
            case _:
                holder[key] = draw(anything())
    return made


def environments(values: SearchStrategy[Json] = scalars) -> SearchStrategy[dict[str, Json]]:
    given = st.dictionaries(parameter_names, values, max_size=3)
    hooks = st.sampled_from(("pre-create", "post-delete", "no-such"))
    return st.fixed_dictionaries(
        {},
        optional={
            "parameters": given,
            "parameter_defaults": given,
            "parameter_merge_strategies": st.dictionaries(
                st.sampled_from(("default", *PARAMETERS)),
                st.sampled_from(("overwrite", "merge", "deep_merge", "no_such")),
                max_size=2,
            ),
            "resource_registry": st.dictionaries(
                st.sampled_from(("My::Own", "OS::Heat::*", "OS::Nova::Server", "base_url")),
                st.sampled_from(("OS::Heat::None", "OS::Heat::*", "My::Own", CHILD, None)),
                max_size=2,
            ).flatmap(
                lambda registry: st.one_of(
                    st.just(registry),
                    hooks.map(lambda hook: {**registry, "resources": {"r_*": {"hooks": hook}}}),
                )
            ),
            "event_sinks": st.lists(st.just({"type": "zaqar-queue", "target": "q"}), max_size=2),
        },
    )


@st.composite
def requests(draw: DrawFn, whole: SearchStrategy[Json] | None = None) -> dict[str, Json]:
    """All that a client can send, of which the template may be anything."""
    files: dict[str, Json] = dict(FILES)
    request: dict[str, Json] = {"template": draw(templates() if whole is None else whole), "files": files}
    if draw(st.booleans()):
        request["parameters"] = draw(st.dictionaries(parameter_names, anything(leaves=3), max_size=3))
    match draw(st.integers(0, 3)):
        case 0:
            request["environment"] = draw(st.one_of(environments(), anything()))
        case 1:
            given = [draw(environments()), draw(st.one_of(environments(), broken(environments())))]
            for number, environment in enumerate(given):
                files[f"e{number}.yaml"] = environment
            request["environment_files"] = [f"e{number}.yaml" for number in range(len(given))]
    return request


class SoundValues:
    """Values whose functions fit each other, so that each has a result: by the type of that result."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.names = st.sampled_from(("k", "a", "b"))
        self.words = st.text("abc -/", max_size=5)

    def _known(self, **calls: SearchStrategy[Json]) -> list[SearchStrategy[Json]]:
        functions = self.version.all_functions
        return [
            arguments.map(lambda args, name=name: {name: args})
            for name, arguments in calls.items()
            if name in functions
        ]

    def _choice(self, inner: SearchStrategy[Json]) -> SearchStrategy[Json]:
        return _listed(st.sampled_from(CONDITIONS), inner, inner)

    @cache  # noqa: B019 - lives as long as the tests do
    def text(self, depth: int = 3) -> SearchStrategy[Json]:
        plain = st.one_of(self.words, st.sampled_from(({"get_param": "p_text"}, {"get_resource": "r_one"})))
        if not depth:
            return plain
        text = self.text(depth - 1)
        replaced = _keyed(template=text, params=st.dictionaries(self.names, text, max_size=2))
        calls = {
            "list_join": _listed(self.words, self.list(depth - 1)),
            "str_replace": replaced,
            "digest": _listed(st.just("sha256"), text),
            "make_url": _keyed(scheme=st.just("http"), host=text, port=st.integers(1, 99)),
            "if": self._choice(text),
            "Fn::Base64": text,
        }
        return st.one_of(plain, *self._known(**calls))

    @cache  # noqa: B019 - lives as long as the tests do
    def list(self, depth: int = 3) -> SearchStrategy[Json]:
        plain = st.one_of(st.lists(self.words, max_size=3), st.just({"get_param": "p_list"}))
        if not depth:
            return plain
        lists = self.list(depth - 1)
        calls = {
            "str_split": _listed(st.just("-"), self.text(depth - 1)),
            "list_concat": st.lists(lists, max_size=2),
            "list_concat_unique": st.lists(lists, max_size=2),
            "filter": _listed(lists, lists),
            "repeat": _keyed(template=st.just("%x%!"), for_each=_keyed(**{"%x%": lists})),
            "if": self._choice(lists),
        }
        return st.one_of(plain, st.lists(self.text(depth - 1), max_size=2), *self._known(**calls))

    @cache  # noqa: B019 - lives as long as the tests do
    def map(self, depth: int = 3) -> SearchStrategy[Json]:
        # Two keys at least: a map with one could be taken for a function.
        plain = st.one_of(_keyed(k=self.words, a=self.words), st.just({"get_param": "p_map"}))
        if not depth:
            return plain
        calls = {
            "map_merge": st.lists(self.map(depth - 1), max_size=2),
            "map_replace": _listed(self.map(depth - 1), _keyed(values=st.just({"v": "w"}))),
            "if": self._choice(self.map(depth - 1)),
        }
        return st.one_of(plain, _keyed(k=self.list(depth - 1), b=self.text(depth - 1)), *self._known(**calls))


@cache
def sound_values(date: str) -> SoundValues:
    """Made once for each version: putting strategies together takes longer than drawing from them."""
    return SoundValues(next(version for version in HOT_VERSIONS if version.date == date))


@st.composite
def sound_templates(draw: DrawFn) -> dict[str, Json]:
    """HOT templates in which everything is right."""
    version = draw(HOT_VERSION)
    values = sound_values(version.date)
    made: dict[str, Json] = {
        version.key: version.date,
        "parameters": {name: _parameter(kind, value, True) for name, (kind, value) in PARAMETERS.items()},
        "resources": {
            "r_one": {"type": "OS::Heat::TestResource", "properties": {"value": draw(values.words)}},
            "r_two": {
                "type": "OS::Heat::TestResource",
                "properties": {"value": draw(values.text())},
                "metadata": {"m": draw(values.map()), "n": draw(values.list())},
            },
            "r_three": {
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"config": draw(values.text()), "options": draw(values.map())},
            },
        },
        "outputs": {
            "text": {"value": draw(values.text())},
            "list": {"value": draw(values.list())},
            "map": {"value": draw(values.map())},
        },
    }
    if version.has_conditions:
        same = {"equals": [draw(values.words), draw(values.words)]}
        made["conditions"] = {"c_one": same, "c_two": {"get_param": "p_flag"}, "c_three": {"not": "c_one"}}
    return made
