"""Functions that read what is outside of them: parameters, resources, files, the parent resource."""

from __future__ import annotations

from typing import Any

from calor.language.diagnostics import Path
from calor.language.expressions import AlreadyReported, Call, FunctionError, ListNode, Node, Scope, resolve
from calor.language.values import Unknown, Wrapping, bare, has_secret, has_unknown, peel


def _tactful(error: FunctionError, function: str, args: Any) -> FunctionError:
    """The error, or where it would repeat a hidden argument, one that does not."""
    if isinstance(error, AlreadyReported) or not has_secret(args):
        return error
    return FunctionError(f"`{function}` finds nothing by a hidden value", error.kind)


def _as_known(found: Any, args: Any) -> Any:
    """What was found by arguments that are not known yet is not known either."""
    if not has_unknown(args):
        return found
    return Unknown(bare(found), has_secret(found))


class GetParam(Call):
    """The value of a parameter, or the part of it that a path leads to; empty text where the path ends early."""

    def compute(self, scope: Scope) -> Any:
        args = resolve(self.args, scope)
        try:
            found = self._read(bare(args), scope)
        except FunctionError as error:
            raise _tactful(error, self.name, args) from None
        return _as_known(found, args)

    def _read(self, args: Any, scope: Scope) -> Any:
        if not args:
            raise FunctionError(f"`{self.name}` needs the name of a parameter")
        if not isinstance(args, (str, list)):
            raise FunctionError(f"`{self.name}` takes a name, or a list of a name and a path", "TypeError")
        name, *path = [args] if isinstance(args, str) else args
        if not isinstance(name, str):
            raise FunctionError(f"`{self.name}`: the name of a parameter must be text", "TypeError")
        value = scope.parameter(name)
        if not path:
            return value
        wrapping = Wrapping()
        value = peel(value, wrapping, 1)
        for step in path:
            value = peel(_step(value, step), wrapping, 1)
        return wrapping.around(value)


def _step(value: Any, key: Any) -> Any:
    if not isinstance(key, (str, int)) or not isinstance(value, (dict, list, str)):
        return ""
    if not isinstance(value, dict) and isinstance(key, str):
        try:
            key = int(key)
        except ValueError:
            return ""
    try:
        return value[key]
    except (KeyError, IndexError):
        return ""


class GetResource(Call):
    """The reference id of a resource: usually its physical id."""

    def compute(self, scope: Scope) -> Any:
        return scope.reference(self.resource(scope))

    def check(self) -> None:
        if isinstance(self.args, (dict, list)):
            raise FunctionError(f"`{self.name}` takes the name of a resource", "TypeError")

    def resource(self, scope: Scope) -> str:
        return _resource_name(resolve(self.args, scope), scope, self.name)


def _resource_name(given: Any, scope: Scope, function: str) -> str:
    name = bare(given)
    if not isinstance(name, str) or not scope.has_resource(name):
        hint = scope.resource_hint(str(name))
        error = FunctionError(f"there is no resource `{name}`", "InvalidTemplateReference", hint)
        raise _tactful(error, function, given)
    return name


class GetAttr(Call):
    """An attribute of a resource, and what a path leads to in it; null where the path ends early.

    In the first version of the language the path is followed in the template, later in the resource, which
    may give it a meaning of its own; that is the scope's business.
    """

    needs_attribute = True

    def check(self) -> None:
        if not isinstance(self.args, (list, ListNode)):
            if isinstance(self.args, Node):
                return
            raise FunctionError(f"`{self.name}` takes a list: resource, attribute, path…", "TypeError")
        if len(self.items) < (2 if self.needs_attribute else 1):
            raise FunctionError(f"`{self.name}` takes a resource, an attribute and a path")

    @property
    def items(self) -> list[Any]:
        return self.args.items if isinstance(self.args, ListNode) else self.args

    def parts(self, scope: Scope) -> list[Any]:
        wrapping = Wrapping()
        parts = peel(resolve(self.args, scope), wrapping, 1)
        if not isinstance(parts, list) or not parts:
            raise FunctionError(f"`{self.name}` takes a list: resource, attribute, path…", "TypeError")
        return [wrapping.around(part) for part in parts]

    def resource(self, scope: Scope) -> str | None:
        written = isinstance(self.args, (list, ListNode))
        first = resolve(self.items[0], scope) if written else self.parts(scope)[0]
        return _resource_name(first, scope, self.name)

    def validate(self, scope: Scope) -> None:
        parts = self.parts(scope)
        name = _resource_name(parts[0], scope, self.name)
        attribute = bare(parts[1]) if len(parts) > 1 else None
        if attribute is not None:
            try:
                scope.check_attribute(name, str(attribute))
            except FunctionError as error:
                raise _tactful(error, self.name, parts) from None

    def compute(self, scope: Scope) -> Any:
        parts = self.parts(scope)
        name = _resource_name(parts[0], scope, self.name)
        rest = bare(parts[1:])
        if not rest:
            return scope.all_attributes(name)
        return _as_known(scope.attribute(name, str(rest[0]), rest[1:]), parts)


class GetAttrAll(GetAttr):
    """An attribute of a resource, or all of them; null where a path in it ends early."""

    needs_attribute = False

    def __init__(self, name: str, args: Any, path: Path) -> None:
        # Heat takes a bare name only if it has a single letter: it counts the letters as it does items.
        bare_name = isinstance(args, str) and len(args) == 1
        super().__init__(name, [args] if bare_name else args, path)


class GetAtt(GetAttr):
    """An attribute of a resource."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of a resource and an attribute")


class Ref(Call):
    """A resource's reference id or, if there is no such resource, a parameter's value."""

    def check(self) -> None:
        if isinstance(self.args, (dict, list, Node)):
            raise FunctionError(f"`{self.name}` takes the name of a resource or a parameter", "TypeError")

    def compute(self, scope: Scope) -> Any:
        name = bare(resolve(self.args, scope))
        if isinstance(name, str) and scope.has_resource(name):
            return scope.reference(name)
        if isinstance(name, str) and scope.has_parameter(name):
            return scope.parameter(name)
        hint = scope.resource_hint(str(name))
        message = f"there is no resource or parameter `{name}`"
        raise FunctionError(message, "InvalidTemplateReference", hint)

    def resource(self, scope: Scope) -> str | None:
        name = bare(resolve(self.args, scope))
        return name if isinstance(name, str) and scope.has_resource(name) else None


class ParamRef(Ref):
    """Ref where only parameters can be meant: inside a condition."""

    def compute(self, scope: Scope) -> Any:
        name = bare(resolve(self.args, scope))
        if isinstance(name, str) and scope.has_parameter(name):
            return scope.parameter(name)
        raise FunctionError(f"there is no parameter `{name}`", "InvalidTemplateReference")

    def resource(self, scope: Scope) -> str | None:
        return None


class GetFile(Call):
    """The content of a file that came along with the template."""

    def apply(self, args: Any, scope: Scope) -> Any:
        if not isinstance(args, str):
            raise FunctionError(f"`{self.name}` takes the name of a file", "TypeError")
        if args not in scope.files:
            raise FunctionError(f"the file {args} did not come along with the template")
        return scope.files[args]


class ResourceFacade(Call):
    """What the parent template says of the resource that this template implements."""

    FACETS = ("metadata", "deletion_policy", "update_policy")

    def check(self) -> None:
        if self.args not in self.FACETS:
            raise FunctionError(f"`{self.name}` takes one of {', '.join(self.FACETS)}")

    def apply(self, args: Any, scope: Scope) -> Any:
        return scope.facade(ResourceFacade.FACETS[self.FACETS.index(args)])


class ResourceFacadeCfn(ResourceFacade):
    """What the parent template says of the resource that this template implements, in CFN's words."""

    FACETS = ("Metadata", "DeletionPolicy", "UpdatePolicy")


class GetAZs(Call):
    """The availability zones that servers can be placed in. The region that is given makes no difference."""

    def compute(self, scope: Scope) -> Any:
        return scope.availability_zones()


class FindInMap(Call):
    """A value of the Mappings section."""

    def check(self) -> None:
        if not self.has_list(3):
            raise FunctionError(f"`{self.name}` takes a list of a mapping, a key and a second key")

    def apply(self, args: Any, scope: Scope) -> Any:
        value: Any = scope.mappings
        for key in args:
            try:
                value = value[key]
            except (KeyError, TypeError, IndexError) as error:
                kind = type(error).__name__
                raise FunctionError(f"the mappings have nothing at `{key}`", kind) from None
        return value
