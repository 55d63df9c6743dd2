"""Stacks below resources, walked within the walk of the stack above them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calor.engine import definitions
from calor.engine.ids import new_id, physical_name
from calor.engine.states import ResourceState, StepFailed, Stopped, follow
from calor.language import template as structure
from calor.language.defining import define
from calor.language.definition import Definition, Facade, ResourceDefinition
from calor.language.diagnostics import Report, Severity
from calor.language.environment import Environment
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.library import Missing, TemplateType
from calor.language.nesting import child_parameters
from calor.language.parameters import StackIdentity
from calor.language.template import Template
from calor.language.values import bare
from calor.store import contents, records
from calor.types.behaviour import Stage

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk

NAME_LIMIT = 255


class Child:
    """The stack below a resource, as its parent's walk sees it."""

    def __init__(self, parent: StackWalk, resource: ResourceDefinition, state: ResourceState) -> None:
        self.parent = parent
        self.resource = resource
        self.state = state
        self.walk: StackWalk | None = None
        self.outputs: dict[str, Any] = {}
        """As they were when the stack was reached."""

    async def create(self, evaluated: Evaluated) -> None:
        await self._become("CREATE", evaluated, None)

    async def update(self, evaluated: Evaluated) -> None:
        stack = await self.parent.run.stack_row(self.state.physical_id)
        await self._become("CREATE" if stack is None else "UPDATE", evaluated, stack)

    async def resume(self, evaluated: Evaluated) -> None:
        """Goes on with the creation of the stack below."""
        await self._become("CREATE", evaluated, await self.parent.run.stack_row(self.state.physical_id))

    async def differs(self, evaluated: Evaluated) -> bool:
        """Whether the stack below would change, although the resource's own properties do not: its template may
        be another one, or it may not have got where it was to go."""
        stack = await self.parent.run.stack_row(self.state.physical_id)
        if stack is None or stack.status != "COMPLETE" or stack.id in await self.parent.run.ailing():
            return True
        try:
            whole = self._whole(evaluated)
            if whole is None:
                stages = await self._stages(self.resource.found, evaluated, stack)
                if len(stages) != 1:
                    return True
                whole = self._parsed(stages[0].template), {}, None
        except Exception:
            # The update that follows meets the same error, and tells it.
            return True
        template, parameters, implementing = whole
        digest, _ = self._encoded(template, parameters, self._environment(parameters, implementing))
        return digest != stack.definition

    async def _become(self, action: str, evaluated: Evaluated, stack: records.Stack | None) -> None:
        """Makes the stack below what it shall be, in stages if its type wants that."""
        found = self.resource.found
        prepare = getattr(found, "prepare", None)
        if prepare is not None:
            await _done(prepare(self.parent.context(self.state), evaluated.values))
        whole = self._whole(evaluated)
        if whole is not None:
            await self._walk(action, evaluated, stack, *whole)
        else:
            for stage in await self._stages(found, evaluated, stack):
                template = self._parsed(stage.template)
                stack = await self._walk(action, evaluated, stack, template, {}, None)
                action = "UPDATE"
                if stage.pause:
                    await self.parent.run.pause(stage.pause)
        settled = getattr(found, "settled", None)
        if settled is not None:
            await _done(settled(self.parent.context(self.state, child=self.walk), evaluated.values))

    async def adopt(self, evaluated: Evaluated, left: Mapping[str, Any]) -> None:
        """Takes over the stack that another one had below, as it is: its members keep their names."""
        whole = self._whole(evaluated)
        if whole is None:
            template = left.get("template")
            if not isinstance(template, dict):
                raise StepFailed("Exception", "the data of the stack below has no template")
            whole = self._parsed(template), {}, None
        stack = await self.parent.run.stack_row(self.state.physical_id)
        await self._walk("ADOPT", evaluated, stack, *whole, {"adopt": left.get("resources") or {}})

    async def rewalk(
        self, evaluated: Evaluated, stack: records.Stack, template: dict[str, Any], run: dict[str, Any]
    ) -> None:
        """Makes the stack below what a template says, that stack alone. `run` is noted with it."""
        await self._walk("UPDATE", evaluated, stack, self._parsed(template), {}, None, run)

    async def reopen(self, evaluated: Evaluated, stack: records.Stack, walk: StackWalk | None = None) -> None:
        """Reads what the stack below is, without changing anything."""
        run = self.parent.run
        template, parameters, implementing = self._whole(evaluated) or (
            self._parsed(await run.template_of(stack)),
            {},
            None,
        )
        identity = StackIdentity(stack.name, stack.id, stack.project)
        definition = self._define(template, self._environment(parameters, implementing), identity, evaluated)
        if walk is None:
            walk = type(self.parent)(run, stack, None, await run.resource_rows(stack.id))
            walk.open()
        walk.define(definition)
        self.walk = walk
        self.outputs = stack.outputs if stack.outputs is not None else walk.outputs()

    async def _stages(self, found: Any, evaluated: Evaluated, stack: records.Stack | None) -> list[Stage]:
        rows = await self.parent.run.resource_rows(stack.id) if stack is not None else []
        below = await self.parent.run.template_of(stack) if stack is not None else {}
        context = self.parent.context(
            self.state, members=[ResourceState.of(row) for row in rows], below=below.get("resources") or {}
        )
        if hasattr(found, "stages"):
            stages: list[Stage] = list(found.stages(context, evaluated.values))
            return stages
        return [Stage(found.stack_template(context, evaluated.values))]

    async def _walk(
        self,
        action: str,
        evaluated: Evaluated,
        stack: records.Stack | None,
        template: Template,
        parameters: dict[str, Any],
        implementing: tuple[str, str] | None,
        noted: dict[str, Any] | None = None,
    ) -> records.Stack:
        run = self.parent.run
        id = stack.id if stack is not None else new_id()
        rows = await run.resource_rows(id) if stack is not None else []
        name = stack.name if stack is not None else self._name()
        environment = self._environment(parameters, implementing)
        identity = StackIdentity(name, id, self.parent.stack.project)
        definition = self._define(template, environment, identity, evaluated)
        digest, bodies = self._encoded(template, parameters, environment)
        run.journal.changes.then(lambda connection: contents.put(connection, bodies))
        stack = self._enter(stack, id, name, action, digest, definition, noted or {})
        self.walk = walk = type(self.parent)(run, stack, definition, rows)
        failed = await walk.execute()
        if run.stop.is_set():
            if run.aborted:
                self._leave(stack, "FAILED", f"{action} was given up")
            raise Stopped
        if failed:
            reason = walk.failure(failed)
            self._leave(stack, "FAILED", f"Resource {action} failed: {reason.reason}")
            raise reason
        self.outputs = walk.outputs()
        reached = {"outputs": self.outputs, "previous": digest}
        self._leave(stack, "COMPLETE", f"Stack {action} completed successfully", **reached)
        self._refer(stack)
        return stack

    def _refer(self, stack: records.Stack) -> None:
        """The output OS::stack_id stands for the whole stack, where a template has one."""
        if "OS::stack_id" in self.outputs:
            self.state.reference = self.outputs["OS::stack_id"]["value"]
        elif isinstance(self.resource.found, TemplateType):
            self.state.reference = stack.arn

    def _name(self) -> str:
        return physical_name(self.parent.stack.name, self.resource.name, self.state.id, NAME_LIMIT)

    def _whole(self, evaluated: Evaluated) -> tuple[Template, dict[str, Any], tuple[str, str] | None] | None:
        """A template used as a type, or named by its address, the values for its parameters, and what it
        implements; None if the type makes the template itself."""
        found = self.resource.found
        if isinstance(found, TemplateType):
            return found.template, child_parameters(evaluated.values), (self.resource.type_name, found.url)
        address = found.child_address(evaluated.values) if found is not None else None
        if address is None:
            return None
        url, parameters = address
        assert self.parent.definition is not None
        fetched = self.parent.definition.library.template(url, self.resource.type_name)
        if isinstance(fetched, Missing):
            raise StepFailed("ValueError", fetched.message)
        return fetched.template, bare(parameters), None

    def _parsed(self, data: dict[str, Any]) -> Template:
        report = Report()
        template = structure.parse(data, self.resource.name, report, self.parent.run.world.custom)
        if template is None:
            raise StepFailed("StackValidationFailed", next(iter(report)).full_message)
        return template

    def _environment(
        self, parameters: Mapping[str, Any], implementing: tuple[str, str] | None
    ) -> Environment:
        above = self.parent.definition
        assert above is not None
        return above.environment.nested(self.resource.name, parameters, implementing)

    def _define(
        self, template: Template, environment: Environment, identity: StackIdentity, evaluated: Evaluated
    ) -> Definition:
        above = self.parent.definition
        assert above is not None
        facade = Facade(evaluated.metadata, self.resource.deletion_policy, self.resource.text.update_policy)
        report = Report(template.locate)
        definition = define(
            template,
            environment,
            above.library,
            report,
            identity=identity,
            depth=self.parent.stack.depth + 1,
            facade=facade,
        )
        for found in report:
            if found.severity is Severity.ERROR and not found.deferred:
                raise StepFailed("StackValidationFailed", found.full_message)
        return definition

    def _encoded(
        self, template: Template, parameters: Mapping[str, Any], environment: Environment
    ) -> tuple[str, dict[str, bytes]]:
        """The child's own definition, as it is stored; its files are the parent's."""
        return definitions.encode_nested(
            dict(template.data),
            parameters,
            environment.shown(),
            self.parent.run.file_digests,
            self.parent.run.seal,
        )

    def _enter(
        self,
        stack: records.Stack | None,
        id: str,
        name: str,
        action: str,
        digest: str,
        definition: Definition,
        noted: dict[str, Any],
    ) -> records.Stack:
        above = self.parent.stack
        now = self.parent.run.now()
        reason = f"Stack {action} started"
        if stack is None:
            made = records.Stack(
                id=id,
                name=name,
                project=above.project,
                root=above.root,
                parent=above.id,
                parent_resource=self.resource.name,
                depth=above.depth + 1,
                action=action,
                status="IN_PROGRESS",
                reason=reason,
                created_at=now,
                updated_at=None,
                deleted_at=None,
                definition=digest,
                previous=None,
                description=definition.template.description,
                disable_rollback=True,
                timeout_mins=above.timeout_mins,
                username=above.username,
                user_project=above.user_project,
                credentials=above.credentials,
                tags=[],
                outputs=None,
                run_id=above.run_id,
                run=noted,
            )
            self.parent.journal.new_stack(**records.as_row(made))
        else:
            values: dict[str, Any] = {
                "action": action,
                "status": "IN_PROGRESS",
                "reason": reason,
                "updated_at": now,
                "definition": digest,
                "run": noted,
            }
            made = records.changed(stack, **values)
            self.parent.journal.stack(id, **values)
        self.state.physical_id = id
        self.parent.journal.resource(self.state)
        self.parent.run.tell(made)
        return made

    def _leave(self, stack: records.Stack, status: str, reason: str, **values: Any) -> None:
        ended = records.changed(stack, status=status, reason=reason, **values)
        self.parent.journal.stack(stack.id, status=status, reason=reason, **values)
        self.parent.run.tell(ended)

    def attribute(self, name: str, path: Sequence[Any]) -> Any:
        """An attribute of the resource that the stack stands for."""
        walk = self.walk
        if walk is None:
            return None
        found = self.resource.found
        reader = getattr(found, "member_attribute", None)
        if reader is not None:
            return reader(self.parent.context(self.state, child=walk), name, list(path))
        if name.startswith("resource."):
            return walk.member_attribute(name.removeprefix("resource."), path)
        output = self.outputs.get(name)
        if output is None:
            return None
        if "error" in output:
            raise FunctionError(f"Error in {self.resource.name} output {name}: {output['error']}")
        return follow(output["value"], path)


async def _done(outcome: Any) -> None:
    if inspect.isawaitable(outcome):
        await outcome


async def delete_child(parent: StackWalk, state: ResourceState) -> None:
    """Deletes the stack below a resource, with all that is in it."""
    stack = await parent.run.stack_row(state.physical_id)
    if stack is None or stack.deleted_at is not None:
        return
    values: dict[str, Any] = {
        "action": "DELETE",
        "status": "IN_PROGRESS",
        "reason": "Stack DELETE started",
        "updated_at": parent.run.now(),
    }
    stack = records.changed(stack, **values)
    parent.journal.stack(stack.id, **values)
    parent.run.tell(stack)
    registry = parent.registry.nested(state.name, None)
    walk = type(parent)(parent.run, stack, None, await parent.run.resource_rows(stack.id), registry)
    failed = await walk.execute()
    if parent.run.stop.is_set():
        raise Stopped
    if failed:
        reason = walk.failure(failed)
        ended = records.changed(stack, status="FAILED", reason=f"Resource DELETE failed: {reason.reason}")
        parent.journal.stack(stack.id, status="FAILED", reason=ended.reason)
        parent.run.tell(ended)
        raise reason
    done = {
        "status": "COMPLETE",
        "reason": "Stack DELETE completed successfully",
        "deleted_at": parent.run.now(),
    }
    parent.journal.stack(stack.id, **done)
    parent.run.tell(records.changed(stack, **done))
