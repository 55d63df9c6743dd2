"""Template versions, with their sections, keys and functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from calor.language.expressions import Call
from calor.language.functions import collections, logic, references, text, yaql

HOT_KEY = "heat_template_version"
CFN_KEY = "HeatTemplateFormatVersion"
AWS_KEY = "AWSTemplateFormatVersion"
VERSION_KEYS = (HOT_KEY, CFN_KEY, AWS_KEY)

Functions = Mapping[str, type[Call]]


@dataclass(frozen=True, slots=True)
class Words:
    """The names of sections and keys in a format."""

    description: str
    parameters: str
    resources: str
    outputs: str
    conditions: str
    type: str
    properties: str
    metadata: str
    depends_on: str
    deletion_policy: str
    update_policy: str
    condition: str
    value: str
    parameter_groups: str | None = None
    mappings: str | None = None
    external_id: str | None = None


HOT_WORDS = Words(
    description="description",
    parameters="parameters",
    resources="resources",
    outputs="outputs",
    conditions="conditions",
    type="type",
    properties="properties",
    metadata="metadata",
    depends_on="depends_on",
    deletion_policy="deletion_policy",
    update_policy="update_policy",
    condition="condition",
    value="value",
    parameter_groups="parameter_groups",
    external_id="external_id",
)
CFN_WORDS = Words(
    description="Description",
    parameters="Parameters",
    resources="Resources",
    outputs="Outputs",
    conditions="Conditions",
    type="Type",
    properties="Properties",
    metadata="Metadata",
    depends_on="DependsOn",
    deletion_policy="DeletionPolicy",
    update_policy="UpdatePolicy",
    condition="Condition",
    value="Value",
    mappings="Mappings",
)


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the language."""

    key: str
    date: str
    words: Words
    functions: Functions
    names: tuple[str, ...] = ()
    """Release names of this version; Heat accepts only the last one."""
    condition_functions: Functions | None = None
    """None where the version has no conditions."""
    if_name: str | None = None
    else_optional: bool = False
    removed: frozenset[str] = frozenset()
    modulo: bool = False
    parameter_tags: bool = False
    lower_case_policies: bool = False

    @property
    def is_hot(self) -> bool:
        return self.key == HOT_KEY

    @property
    def has_conditions(self) -> bool:
        return self.condition_functions is not None

    @property
    def title(self) -> str:
        return f"{self.key}.{self.date}"

    @property
    def sections(self) -> tuple[str, ...]:
        """All keys allowed at the top level of a template."""
        words = self.words
        named = [self.key, words.description, words.parameter_groups, words.mappings, words.parameters]
        if self.has_conditions:
            named.append(words.conditions)
        return tuple(name for name in (*named, words.resources, words.outputs) if name is not None)

    @property
    def all_functions(self) -> dict[str, type[Call] | type[logic.If]]:
        """Functions by name, without those that were removed."""
        found: dict[str, type[Call] | type[logic.If]] = dict(self.functions)
        if self.if_name:
            found[self.if_name] = logic.If
        return {name: found[name] for name in sorted(found) if name not in self.removed}


_CFN_BASICS: Functions = {
    "Ref": references.Ref,
    "Fn::GetAZs": references.GetAZs,
    "Fn::Join": text.ListJoin,
    "Fn::Split": text.SplitCfn,
    "Fn::Replace": text.ReplaceCfn,
    "Fn::Base64": text.Base64,
    "Fn::MemberListToMap": collections.MemberListToMap,
    "Fn::ResourceFacade": references.ResourceFacadeCfn,
}
_CFN: Functions = {
    **_CFN_BASICS,
    "Fn::FindInMap": references.FindInMap,
    "Fn::GetAtt": references.GetAtt,
    "Fn::Select": collections.Select,
}


def _condition_functions(allowed: Functions, values: Functions) -> Functions:
    """Other functions are included, so that they can be refused with a message."""
    return {**dict.fromkeys(values, logic.NotInConditions), **allowed}


CFN_2012 = Version(CFN_KEY, "2012-12-12", CFN_WORDS, _CFN)
AWS_2010 = Version(
    AWS_KEY,
    "2010-09-09",
    CFN_WORDS,
    _CFN,
    condition_functions=_condition_functions(
        {
            "Fn::Equals": logic.Equals,
            "Fn::Not": logic.NotCfn,
            "Fn::And": logic.And,
            "Fn::Or": logic.Or,
            "Fn::FindInMap": references.FindInMap,
            "Ref": references.ParamRef,
        },
        _CFN,
    ),
    if_name="Fn::If",
)

_HOT_2013 = Version(
    HOT_KEY,
    "2013-05-23",
    HOT_WORDS,
    {
        "get_param": references.GetParam,
        "get_resource": references.GetResource,
        "get_attr": references.GetAttr,
        "get_file": references.GetFile,
        "resource_facade": references.ResourceFacade,
        "list_join": text.ListJoin,
        "str_replace": text.StrReplace,
        "Fn::Select": collections.Select,
        **_CFN_BASICS,
    },
    names=("icehouse",),
)


def _next(before: Version, date: str, name: str, functions: Functions, **changes: object) -> Version:
    return replace(before, date=date, names=(name,), functions={**before.functions, **functions}, **changes)  # type: ignore[arg-type]


_HOT_2014 = _next(
    _HOT_2013,
    "2014-10-16",
    "juno",
    dict.fromkeys(_CFN_BASICS, logic.Removed),
    removed=frozenset(_CFN_BASICS),
)
_HOT_2015_04 = _next(_HOT_2014, "2015-04-30", "kilo", {"repeat": collections.Repeat, "digest": text.Digest})
_HOT_2015_10 = _next(
    _HOT_2015_04,
    "2015-10-15",
    "liberty",
    {
        "get_attr": references.GetAttrAll,
        "list_join": text.ListJoinMany,
        "str_replace": text.StrReplaceJson,
        "str_split": text.StrSplit,
        "Fn::Select": logic.Removed,
    },
    removed=_HOT_2014.removed | {"Fn::Select"},
)
_HOT_2016_04 = _next(_HOT_2015_10, "2016-04-08", "mitaka", {"map_merge": collections.MapMerge})
_NEWTON = {
    "repeat": collections.RepeatMaps,
    "yaql": yaql.Yaql,
    "map_replace": collections.MapReplace,
}
_CONDITIONS: Functions = {
    "get_param": references.GetParam,
    "equals": logic.Equals,
    "not": logic.Not,
    "and": logic.And,
    "or": logic.Or,
}
_HOT_2016_10 = _next(
    _HOT_2016_04,
    "2016-10-14",
    "newton",
    _NEWTON,
    condition_functions=_condition_functions(_CONDITIONS, {**_HOT_2016_04.functions, **_NEWTON}),
    if_name="if",
    lower_case_policies=True,
)
_HOT_2017_02 = _next(
    _HOT_2016_10,
    "2017-02-24",
    "ocata",
    {"filter": collections.Filter, "str_replace_strict": text.StrReplaceStrict},
    modulo=True,
)
_PIKE: Functions = {
    "repeat": collections.RepeatPermutations,
    "make_url": text.MakeUrl,
    "list_concat": collections.ListConcat,
    "list_concat_unique": collections.ListConcatUnique,
    "contains": collections.Contains,
    "str_replace_vstrict": text.StrReplaceVeryStrict,
}
_HOT_2017_09 = _next(
    _HOT_2017_02,
    "2017-09-01",
    "pike",
    _PIKE,
    condition_functions=_condition_functions(
        {**_CONDITIONS, "yaql": yaql.Yaql, "contains": collections.Contains},
        {**_HOT_2017_02.functions, **_PIKE},
    ),
)
_HOT_2018_03 = _next(_HOT_2017_09, "2018-03-02", "queens", {}, parameter_tags=True)
_HOT_2018_08 = _next(_HOT_2018_03, "2018-08-31", "rocky", {})
_HOT_2021 = _next(_HOT_2018_08, "2021-04-16", "wallaby", {}, else_optional=True)

HOT_VERSIONS = (
    _HOT_2013,
    _HOT_2014,
    _HOT_2015_04,
    _HOT_2015_10,
    _HOT_2016_04,
    _HOT_2016_10,
    _HOT_2017_02,
    _HOT_2017_09,
    _HOT_2018_03,
    _HOT_2018_08,
    _HOT_2021,
)
ALL_VERSIONS = (AWS_2010, CFN_2012, *HOT_VERSIONS)
NEWEST = _HOT_2021

_BY_NAME: dict[tuple[str, str], Version] = {
    (version.key, name): version for version in ALL_VERSIONS for name in (version.date, *version.names)
}


def find(key: str, name: str) -> Version | None:
    """The version by the key and the date or release that a template states."""
    return _BY_NAME.get((key, name))


def allowed(key: str) -> list[str]:
    """The values that a version key can have."""
    return [name for known, name in _BY_NAME if known == key]


def first_with(function: str) -> Version | None:
    """The earliest HOT version that has a function."""
    return next((version for version in HOT_VERSIONS if function in version.all_functions), None)
