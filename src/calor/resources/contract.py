"""The hooks of a resource type, each with its signature and its default.

A type is a subclass of `ResourceType` that declares properties and attributes, and overrides hooks with classmethods,
plain or async. Hooks that are None are optional; their documentation describes the default. Defining a public name that
is not in the contract raises TypeError: helpers start with an underscore. A base class that adds hooks is defined with
`extends=True`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, Protocol

from calor.language.library import ResolvedType
from calor.language.schema import DeclaredType
from calor.resources.context import (
    AdoptContext,
    AttributeContext,
    Context,
    GroupContext,
    LiveContext,
    LookupContext,
    NestedStackView,
    ResourceView,
)
from calor.resources.outcomes import Stage
from calor.resources.values import JsonObject, Properties

Work = Awaitable[object] | None
"""The result of a hook that does something: None if it is done, otherwise an awaitable."""
PeerProperties = Callable[[object], Properties | None]
"""Returns the future properties of the resource with a reference; None if they are not known."""


class Create(Protocol):
    def __call__(self, ctx: Context, props: JsonObject, /) -> Work: ...


class Update(Protocol):
    def __call__(self, ctx: Context, props: JsonObject, changed: frozenset[str], /) -> Work: ...


class Act(Protocol):
    def __call__(self, ctx: Context, /) -> Work: ...


class Find(Protocol):
    def __call__(self, ctx: Context, /) -> Awaitable[bool]: ...


class ReadAttribute(Protocol):
    def __call__(self, ctx: AttributeContext, name: str, /) -> Any: ...


class IsAttributeKnown(Protocol):
    def __call__(self, ctx: ResourceView, attribute: str, /) -> bool: ...


class LiveState(Protocol):
    def __call__(self, ctx: LiveContext, /) -> Awaitable[JsonObject | None]: ...


class Exists(Protocol):
    def __call__(self, ctx: LookupContext, /) -> Awaitable[bool]: ...


class IsAdoptable(Protocol):
    def __call__(self, ctx: AdoptContext, /) -> Awaitable[bool]: ...


class Signal(Protocol):
    def __call__(self, ctx: Context, details: object, /) -> Awaitable[str | None] | str | None: ...


class Snapshot(Protocol):
    def __call__(self, ctx: Context, /) -> Awaitable[JsonObject]: ...


class Restored(Protocol):
    def __call__(self, props: Properties, kept: Properties, /) -> JsonObject: ...


class NeedsReplacementHook(Protocol):
    def __call__(self, before: Properties, after: Properties, changed: frozenset[str], /) -> bool: ...


class NeverReplaced(Protocol):
    def __call__(self, after: Properties, peer: PeerProperties, /) -> bool: ...


class Refusal(Protocol):
    def __call__(self, before: Properties, after: Properties, changed: frozenset[str], /) -> str | None: ...


class IsAlwaysReplaced(Protocol):
    def __call__(self, props: Properties, /) -> bool: ...


class StackTemplate(Protocol):
    def __call__(self, ctx: GroupContext, values: Properties, /) -> JsonObject: ...


class Stages(Protocol):
    def __call__(self, ctx: GroupContext, values: Properties, /) -> Iterator[Stage]: ...


class Prepare(Protocol):
    def __call__(self, ctx: Context, values: Properties, /) -> Work: ...


class MemberAttribute(Protocol):
    def __call__(self, ctx: NestedStackView, name: str, path: Sequence[Any], /) -> Any: ...


class ResourceType(DeclaredType):
    """Base of all resource types. The first paragraph of a subclass's docstring is its documentation."""

    # Actions. An engine may be killed at any time: all but `create` are called again after an interruption, and have to
    # be idempotent.

    create: ClassVar[Create | None] = None
    """Creates the object. Without `find` it is called again after a crash, with the physical id if it was set."""
    find: ClassVar[Find | None] = None
    """Whether the object of an interrupted `create` exists; if so, sets the physical id. While `ctx.action` is CREATE
    it also completes `create`, such as by waiting. With it, `create` is called only once the intent is stored, so that
    objects are created exactly once."""
    update: ClassVar[Update | None] = None
    """Changes the object in place, or raises NeedsReplacement. Without it every change of a property replaces the
    resource."""
    delete: ClassVar[Act | None] = None
    """Deletes the object if it exists."""
    snapshot_delete: ClassVar[Act | None] = None
    """Deletes the object when the deletion policy is Snapshot."""
    check: ClassVar[Act | None] = None
    """Fails if the object is not as it should be."""
    suspend: ClassVar[Act | None] = None
    resume: ClassVar[Act | None] = None
    snapshot: ClassVar[Snapshot | None] = None
    """Creates a snapshot; returns the data that identifies it."""
    restored: ClassVar[Restored | None] = None
    """The properties with which an update restores a snapshot."""
    snapshot_parts: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """The service and the collection of each object that `snapshot` returns the id of; they are deleted with it."""
    signal: ClassVar[Signal | None] = None
    """Handles a signal; returns the reason for the event."""
    is_healthy: ClassVar[Find | None] = None
    """Whether the object of a failed resource can be kept. Without it a failed resource is replaced."""
    before_replace: ClassVar[Act | None] = None
    """Releases what the replacement needs, before that is created."""
    revert_replace: ClassVar[Act | None] = None
    """Takes it back when the replacement is rolled back."""

    # Reading.

    attribute: ClassVar[ReadAttribute | None] = None
    """An attribute, from what is stored; synchronous and fast. Values that are secret only in some cases are returned
    as `Secret`."""
    is_attribute_known: ClassVar[IsAttributeKnown | None] = None
    """Whether the value of an attribute is stored. If not, `refresh` is called when a template starts using it."""
    refresh: ClassVar[Act | None] = None
    """Updates what `attribute` reads."""
    volatile: ClassVar[bool] = False
    """Whether other resources change the attributes, so that they are refreshed once more when the action on the stack
    ends."""
    live_state: ClassVar[LiveState | None] = None
    """The current updatable properties of the object; None if it does not exist."""
    exists: ClassVar[Exists | None] = None
    """Whether the physical id is of an object that the stack's owner can see. Read-only."""
    is_adoptable: ClassVar[IsAdoptable | None] = None
    """Whether a stack may adopt the object, if `exists` is not enough."""
    stored_in_database: ClassVar[bool] = False
    """Whether the object is stored in Calor's database."""

    # Signals and metadata.

    no_signal_actions: ClassVar[Sequence[str]] = ("SUSPEND", "DELETE")
    """The actions on a resource during and after which it takes no signals."""
    concurrent_signals: ClassVar[bool] = False
    """Whether signals are handled concurrently rather than one after the other."""
    own_metadata: ClassVar[Sequence[str]] = ()
    """Keys of the metadata that the type itself sets: updates of the template do not remove them."""
    refresh_metadata_on_signal: ClassVar[bool] = False
    """Whether the metadata is re-evaluated when a resource of the stack was signalled."""

    # Plans.

    needs_replacement: ClassVar[NeedsReplacementHook | None] = None
    """Whether a change needs a new resource although each property could be changed in place. If it reads a value that
    is not known yet, the plan is left open. Called for all changes together, and for each alone to find out which needs
    it."""
    may_need_replacement: ClassVar[bool] = False
    """Whether `update` may raise NeedsReplacement in cases that `needs_replacement` does not predict."""
    never_replaced: ClassVar[NeverReplaced | None] = None
    """Whether `update` never does so with such properties."""
    refusal: ClassVar[Refusal | None] = None
    """Why such a change is impossible; None if it is possible. Updates with it are rejected before they begin."""
    always_replaced: ClassVar[bool] = False
    is_always_replaced: ClassVar[IsAlwaysReplaced | None] = None
    """Whether every update replaces a resource with such properties."""
    update_when_unchanged: ClassVar[bool] = False
    """Whether `update` is called even if nothing of the definition changes."""
    attributes_from_properties: ClassVar[Mapping[str, str]] = {}
    """Attributes that always equal a property, with its name."""
    stable_attributes: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Attributes that in-place updates do not change, except for changes of the properties listed with each."""
    new_reference: ClassVar[bool] = False
    """Whether get_resource returns something unique, such as a random id."""
    association_properties: ClassVar[Sequence[str]] = ()
    """For resources without an object of their own, the properties that name what they associate: a replacement with
    the same values takes over the association."""

    # Adoption.

    adopted_data: ClassVar[Sequence[str]] = ()
    """The keys of a resource's data that are accepted when a stack is adopted. They come from a request, so they must
    not identify anything that the type accesses with other rights than the stack owner's."""
    create_on_adopt: ClassVar[bool] = False
    """Whether adopting a resource creates it: its object belongs to one stack alone, such as its user."""

    # Nested stacks, for types with `nested_stack`.

    stack_template: ClassVar[StackTemplate | None] = None
    """The template of the nested stack."""
    stages: ClassVar[Stages | None] = None
    """The successive templates of a rolling update; the last is the final one."""
    before_nested_stack: ClassVar[Prepare | None] = None
    """Called before the nested stack is created or updated."""
    after_nested_stack: ClassVar[Prepare | None] = None
    """Called afterwards."""
    member_attribute: ClassVar[MemberAttribute | None] = None
    """An attribute computed from the members'."""
    member_properties: ClassVar[Mapping[str, int]] = {}
    """Properties with values for the members, and the nesting depth at which these begin. Plans include the members
    even if such a value is not known yet."""
    random_member_names: ClassVar[bool] = False
    """Whether members get random names when they are created."""

    name_limit: ClassVar[int] = 255
    """The longest physical name that the service accepts."""

    _extended: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, *, extends: bool = False) -> None:
        super().__init_subclass__()
        own = _public_names(cls)
        inherited = (base._extended for base in cls.__bases__ if issubclass(base, ResourceType))
        cls._extended = frozenset().union(*inherited, own if extends else ())
        contract = _CONTRACT | cls._extended
        for name in sorted(own - contract):
            close = get_close_matches(name, contract, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise TypeError(f"{cls.__qualname__}.{name} is not part of the contract of resource types{hint}")
        for name in sorted(own & _HOOK_PARAMETERS.keys()):
            _check_parameters(cls, name)

    @classmethod
    def can_create(cls) -> bool:
        """Whether the engine can create such a resource. Types without a service need no work."""
        works = cls.template_file or cls.nested_stack or cls.create is not None
        return bool(works) or cls.service in (None, "heat")


def _public_names(cls: type) -> frozenset[str]:
    names = (*vars(cls), *vars(cls).get("__annotations__", ()))
    return frozenset(name for name in names if not name.startswith("_"))


def _hook_parameters() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names of the parameters of each hook, from its protocol."""
    for name, annotation in vars(ResourceType)["__annotations__"].items():
        found = re.fullmatch(r"ClassVar\[(\w+) \| None\]", annotation)
        protocol = globals().get(found[1]) if found else None
        if protocol is not None and "__call__" in vars(protocol):
            yield name, tuple(inspect.signature(protocol.__call__).parameters)[1:]


_HOOK_PARAMETERS = dict(_hook_parameters())


def _check_parameters(cls: type[ResourceType], name: str) -> None:
    """Raises TypeError unless the hook can be called with the arguments that the contract states."""
    hook, expected = getattr(cls, name), _HOOK_PARAMETERS[name]
    if not callable(hook):
        return
    try:
        inspect.signature(hook).bind(*expected)
    except TypeError:
        raise TypeError(
            f"{cls.__qualname__}.{name} must be a classmethod with the parameters ({', '.join(expected)})"
        ) from None


_CONTRACT = _public_names(ResourceType) | _public_names(DeclaredType)


def contract_of(found: ResolvedType | None) -> type[ResourceType]:
    """The hooks of a resolved type; the defaults for templates and for types that no longer exist."""
    return found if isinstance(found, type) and issubclass(found, ResourceType) else ResourceType
