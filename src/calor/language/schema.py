"""The declarative form of a resource type: its properties, attributes and rules.

A declaration is data. Validation, defaults, documentation, editor schemas and the API's answers all derive
from it, so a type says each thing about itself once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Protocol

from calor.language.constraints import Constraint

ANY = object
"""The kind of a property that takes a value of any shape."""


class Status(Enum):
    """How far one may rely on a type, a property or an attribute."""

    SUPPORTED = "SUPPORTED"
    DEPRECATED = "DEPRECATED"
    HIDDEN = "HIDDEN"
    UNSUPPORTED = "UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Support:
    """A status, the release since which it holds, and what was before."""

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
    """What a template may say under one name.

    `kind` is str, int, float, bool, list, dict or ANY. A list may give the shape of its `items`, a dict the
    shape of its `fields`. A default of None is no default.
    """

    kind: type
    doc: str = ""
    required: bool = False
    default: Any = None
    update_allowed: bool = False
    immutable: bool = False
    constraints: Sequence[Constraint] = ()
    items: Property | None = None
    fields: Mapping[str, Property] | None = None
    support: Support = SUPPORTED
    implemented: bool = True
    converts: bool = False
    """Takes what a parameter would: text with commas for a list, JSON text or a list for a dict."""
    secret: bool = False
    """Whether it is a password, a key or the like, which is masked wherever it is only shown."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What get_attr can read. `live` attributes are asked for anew each time."""

    kind: type | None = None
    doc: str = ""
    live: bool = False
    support: Support = SUPPORTED
    secret: bool = False
    """Whether it is a credential, or holds one: whatever is made of it is masked in plans, previews and events."""


SHOW = Attribute(dict, "All that the service says about the resource.", live=True)

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replace:
    """Moves a value given under an old name to the name in use.

    The old place is `source` (a whole path) or, inside the same map, `sibling`. With `inside`, the value is
    found below the sibling.
    """

    path: Path
    source: Path | None = None
    sibling: str | None = None
    inside: Path | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """Drops a value."""

    path: Path


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Changes the properties as the plain rules cannot say."""

    rewrite: Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Resolve:
    """Turns a name into an id by asking the service: `finder` says how, `entity` what for."""

    path: Path
    finder: str
    entity: str | None = None


Translation = Replace | Remove | Rewrite | Resolve


class Declaration(Protocol):
    """What the language needs to know of a resource type. Classes of `calor.types` and templates used as
    types both give it."""

    @property
    def type_name(self) -> str: ...
    @property
    def properties(self) -> Mapping[str, Property]: ...
    @property
    def attributes(self) -> Mapping[str, Attribute]: ...


class ResourceType:
    """Base of all declared resource types; a subclass fills in what differs.

    The first paragraph of a subclass's docstring is its documentation.
    """

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
    entity: ClassVar[str | None] = None
    """The collection of the service that holds the resource."""
    name_limit: ClassVar[int] = 255
    deferred_auth: ClassVar[bool] = False
    nested_stack: ClassVar[bool] = False
    open_attributes: ClassVar[bool] = False
    """Attributes beyond the declared ones can be read: members' attributes, outputs of software."""
    placeholder: ClassVar[bool] = False
    """Takes any property, has any attribute, and does nothing: what is left of a type whose service is gone."""
    new_reference: ClassVar[bool] = False
    """Whether get_resource gives something that no other resource has had before, such as a random id."""
    secret_reference: ClassVar[bool] = False
    """Whether what get_resource gives is a credential."""
    takes_signals: ClassVar[bool] = False
    deaf_during: ClassVar[Sequence[str]] = ("SUSPEND", "DELETE")
    """The actions on a resource during and after which it takes no signals."""
    owns_user: ClassVar[bool] = False
    replaced_when_check_fails: ClassVar[bool] = True
    snapshots_on_delete: ClassVar[bool] = False
    adopted_data: ClassVar[Sequence[str]] = ()
    """What of a resource's data is taken from whoever adopts a stack: it comes from a request, so it must not name
    anything that the type then touches with other rights than the stack owner's."""
    made_when_adopted: ClassVar[bool] = False
    """Whether adopting a resource creates it: what stands behind it belongs to one stack alone, such as its user."""
    ends: ClassVar[Sequence[str]] = ()
    """The properties that name what the resource joins, if it has no object of its own: whoever takes its place with
    the same ones has what it had."""
    template_file: ClassVar[str | None] = None
    """Set when a template shipped with Calor implements the type."""
    rules: ClassVar[Sequence[Rule]] = ()
    """What must hold between properties."""

    @classmethod
    def can_be_made(cls) -> bool:
        """Whether an engine knows how to create such a resource. What belongs to no service takes no work."""
        works = cls.template_file or cls.nested_stack or hasattr(cls, "create")
        return bool(works) or cls.service in (None, "heat")

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """Names of resources of the same template to wait for although no property refers to them."""
        return iter(())

    @classmethod
    def peer_problems(cls, me: Peer, peers: Peers) -> Iterator[Problem]:
        """What is wrong between the resource and others of the same template."""
        return iter(())

    @classmethod
    def child_template(cls, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """The template of the stack that the resource keeps below itself, made from its properties."""
        return None

    @classmethod
    def member_count(cls, given: Mapping[str, Any]) -> int:
        """How many members a group has, for most of which one may stand in `child_template`; 0 if it is no group, or
        if that is not known yet."""
        return 0

    @classmethod
    def child_address(cls, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """Where that template is to be fetched, and the parameters for it, when a property says so."""
        return None


class Peer(Protocol):
    """A resource among others of its template."""

    @property
    def name(self) -> str: ...
    @property
    def type_name(self) -> str: ...

    def value(self, name: str) -> Any:
        """A property, after translation; a reference to a resource is that resource's name."""


class Peers(Protocol):
    """The resources of a template, found without walking through all of them."""

    def of_type(self, type_name: str) -> Sequence[Peer]: ...

    def having(self, type_name: str, name: str, value: Any) -> Sequence[Peer]:
        """Those of a type whose property has a value."""

    def named(self, name: Any) -> Peer | None: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule finds wrong: the kind of error, where below the properties, and what."""

    kind: str
    message: str
    path: tuple[str | int, ...] = ()


class Rule(Protocol):
    """A condition between properties.

    `given` holds every declared property after translation and defaults, None where absent. A value not known
    yet is an instance of Unknown, a hidden one of Secret, at any depth: a rule passes over what it cannot see.
    """

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]: ...


@dataclass(frozen=True, slots=True)
class AtLeastOne:
    names: tuple[str, ...]

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if all(given.get(name) is None for name in self.names):
            yield Problem("PropertyUnspecifiedError", f"one of {', '.join(self.names)} must be given")


@dataclass(frozen=True, slots=True)
class AtMostOne:
    names: tuple[str, ...]

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        present = [name for name in self.names if given.get(name) is not None]
        if len(present) > 1:
            yield Problem("ResourcePropertyConflict", f"{' and '.join(present)} exclude each other")


@dataclass(frozen=True, slots=True)
class Requires:
    """When `name` is given, `other` must be, too."""

    name: str
    other: str

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if given.get(self.name) is not None and given.get(self.other) is None:
            yield Problem("ResourcePropertyDependency", f"{self.name} needs {self.other}")


def exactly_one(*names: str) -> tuple[Rule, ...]:
    return (AtLeastOne(names), AtMostOne(names))
