"""Declarations of resource types: properties, attributes and rules.

A declaration is data. Validation, defaults, documentation, editor schemas and API responses are all derived from it,
so everything about a type is declared once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Protocol

from calor.language.constraints import Constraint
from calor.language.values import TemplateValue

ANY = object
"""The kind of a property that takes any value."""


class Status(Enum):
    """The support status of a type, a property or an attribute."""

    SUPPORTED = "SUPPORTED"
    DEPRECATED = "DEPRECATED"
    HIDDEN = "HIDDEN"
    UNSUPPORTED = "UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Support:
    """A status, the release in which it began, and the status before."""

    status: Status = Status.SUPPORTED
    since: str | None = None
    before: Support | None = None
    substitute: str | None = None

    @property
    def discouraged(self) -> bool:
        return self.status in (Status.DEPRECATED, Status.HIDDEN)


def supported(since: str | None = None, before: Support | None = None) -> Support:
    return Support(Status.SUPPORTED, since, before)


def deprecated(
    since: str | None = None, before: Support | None = None, *, substitute: str | None = None
) -> Support:
    return Support(Status.DEPRECATED, since, before, substitute)


def hidden(
    since: str | None = None, before: Support | None = None, *, substitute: str | None = None
) -> Support:
    return Support(Status.HIDDEN, since, before, substitute)


def unsupported(since: str | None = None, before: Support | None = None) -> Support:
    return Support(Status.UNSUPPORTED, since, before)


SUPPORTED = Support()


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a resource type.

    `kind` is str, int, float, bool, list, dict or ANY. A list may declare its `items`, a dict its `fields`. A default
    of None means that there is none.
    """

    kind: type
    doc: str = ""
    required: bool = False
    default: TemplateValue = None
    update_allowed: bool = False
    immutable: bool = False
    constraints: Sequence[Constraint] = ()
    items: Property | None = None
    fields: Mapping[str, Property] | None = None
    support: Support = SUPPORTED
    implemented: bool = True
    converts: bool = False
    """Converts as parameters do: a comma-separated string to a list, JSON text or a list to a dict."""
    secret: bool = False
    """Whether it is a password, a key or another secret, which is masked in output."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, which get_attr reads. `live` attributes are read from the service each time."""

    kind: type | None = None
    doc: str = ""
    live: bool = False
    support: Support = SUPPORTED
    secret: bool = False
    """Whether it is or contains a credential: values computed from it are masked in plans, previews and events."""


SHOW = Attribute(dict, "All that the service returns for the resource.", live=True)

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replace:
    """Moves a value from an old name to the current one.

    The old name is `source` (a whole path) or, in the same map, `sibling`. With `inside`, the value is at that path in
    the sibling.
    """

    path: Path
    source: Path | None = None
    sibling: str | None = None
    inside: Path | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """Removes a value."""

    path: Path


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Changes the properties by a function, where the other rules do not suffice."""

    rewrite: Callable[[dict[str, TemplateValue]], dict[str, TemplateValue]]


@dataclass(frozen=True, slots=True)
class Resolve:
    """Replaces a name by an id from the service. `kind` is the kind of object, by the name of its constraint, such as
    neutron.network; None if it depends on another property."""

    path: Path
    kind: str | None = None


Translation = Replace | Remove | Rewrite | Resolve


class Declaration(Protocol):
    """What the language needs to know about a resource type, declared by a class or derived from a template."""

    @property
    def type_name(self) -> str: ...
    @property
    def properties(self) -> Mapping[str, Property]: ...
    @property
    def attributes(self) -> Mapping[str, Attribute]: ...


class DeclaredType:
    """What a resource type declares. `calor.resources.ResourceType` adds its behaviour."""

    type_name: ClassVar[str]
    support: ClassVar[Support] = SUPPORTED
    properties: ClassVar[Mapping[str, Property]] = {}
    attributes: ClassVar[Mapping[str, Attribute]] = {"show": SHOW}
    update_policy: ClassVar[Mapping[str, Property]] = {}
    translations: ClassVar[Sequence[Translation]] = ()
    service: ClassVar[str | None] = None
    """The catalog service that must exist for the type to be available."""
    extension: ClassVar[str | None] = None
    """The extension of that service that must exist."""
    nested_stack: ClassVar[bool] = False
    open_attributes: ClassVar[bool] = False
    """Whether attributes other than the declared ones can be read: members' attributes, outputs of software."""
    placeholder: ClassVar[bool] = False
    """Accepts any property, has any attribute, and does nothing: a type whose service no longer exists."""
    secret_reference: ClassVar[bool] = False
    """Whether the value of get_resource is a credential."""
    snapshots_on_delete: ClassVar[bool] = False
    template_file: ClassVar[str | None] = None
    """The template shipped with Calor that implements the type, if one does."""
    rules: ClassVar[Sequence[Rule]] = ()
    """Rules between properties."""

    @classmethod
    def can_create(cls) -> bool:
        """Whether an engine can create such a resource."""
        return True

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """Names of resources of the same template that this one depends on without referring to them."""
        return iter(())

    @classmethod
    def peer_problems(cls, me: Peer, peers: Peers) -> Iterator[Problem]:
        """Conflicts between the resource and others of the same template."""
        return iter(())

    @classmethod
    def child_template(cls, given: Mapping[str, TemplateValue]) -> dict[str, TemplateValue] | None:
        """The template of the resource's nested stack, generated from its properties."""
        return None

    @classmethod
    def member_count(cls, given: Mapping[str, TemplateValue]) -> int:
        """The number of members of a group; `child_template` may contain fewer, as examples. 0 if it is not a group, or
        if the number is not known yet."""
        return 0

    @classmethod
    def member_place(cls, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """The path in the properties of a group for a path in the definition of its members; empty if there is none."""
        return ()

    @classmethod
    def child_address(cls, given: Mapping[str, TemplateValue]) -> tuple[str, dict[str, TemplateValue]] | None:
        """The URL of that template and the parameters for it, if a property names one."""
        return None


class Peer(Protocol):
    """A resource of a template, as other resources see it."""

    @property
    def name(self) -> str: ...
    @property
    def type_name(self) -> str: ...

    def value(self, name: str) -> TemplateValue:
        """A property, after translation; a reference to a resource is that resource's name."""


class Peers(Protocol):
    """The resources of a template, indexed."""

    def of_type(self, type_name: str) -> Sequence[Peer]: ...

    def having(self, type_name: str, name: str, value: object) -> Sequence[Peer]:
        """The resources of a type with a property of this value."""

    def named(self, name: object) -> Peer | None: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """An error found by a rule: its kind, its message, and its path below the properties."""

    kind: str
    message: str
    path: tuple[str | int, ...] = ()


class Rule(Protocol):
    """A rule about combinations of properties.

    `given` holds every declared property after translation and defaults, None where absent. A value not known
    yet is an instance of Unknown, a hidden one of Secret, at any depth: a rule ignores what it cannot see.
    """

    def problems(self, given: Mapping[str, TemplateValue]) -> Iterator[Problem]: ...


@dataclass(frozen=True, slots=True)
class AtLeastOne:
    names: tuple[str, ...]

    def problems(self, given: Mapping[str, TemplateValue]) -> Iterator[Problem]:
        if all(given.get(name) is None for name in self.names):
            yield Problem("PropertyUnspecifiedError", f"one of {', '.join(self.names)} must be given")


@dataclass(frozen=True, slots=True)
class AtMostOne:
    names: tuple[str, ...]

    def problems(self, given: Mapping[str, TemplateValue]) -> Iterator[Problem]:
        present = [name for name in self.names if given.get(name) is not None]
        if len(present) > 1:
            yield Problem("ResourcePropertyConflict", f"{' and '.join(present)} are mutually exclusive")


@dataclass(frozen=True, slots=True)
class Requires:
    """If `name` is given, `other` is required."""

    name: str
    other: str

    def problems(self, given: Mapping[str, TemplateValue]) -> Iterator[Problem]:
        if given.get(self.name) is not None and given.get(self.other) is None:
            yield Problem("ResourcePropertyDependency", f"{self.name} requires {self.other}")


def exactly_one(*names: str) -> tuple[Rule, ...]:
    return (AtLeastOne(names), AtMostOne(names))
