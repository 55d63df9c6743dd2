"""Stacks below resources, walked within the walk of the stack above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calor.engine import definitions
from calor.engine.ids import new_id, physical_name
from calor.engine.states import ResourceState, StepFailed, follow
from calor.language import template as structure
from calor.language.defining import define
from calor.language.definition import Definition, Facade, ResourceDefinition
from calor.language.diagnostics import Report, Severity
from calor.language.environment import Environment
from calor.language.evaluation import Evaluated
from calor.language.library import TemplateType
from calor.language.nesting import child_parameters
from calor.language.parameters import StackIdentity
from calor.language.template import Template
from calor.store import contents, records

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

    async def create(self, evaluated: Evaluated) -> None:
        await self._become("CREATE", evaluated, None)

    async def update(self, evaluated: Evaluated) -> None:
        stack = await self.parent.run.stack_row(self.state.physical_id)
        if stack is None:
            await self._become("CREATE", evaluated, None)
        else:
            await self._become("UPDATE", evaluated, stack)

    async def _become(self, action: str, evaluated: Evaluated, stack: records.Stack | None) -> None:
        id = stack.id if stack is not None else new_id()
        rows = await self.parent.run.resource_rows(id) if stack is not None else []
        name = stack.name if stack is not None else self._name()
        template, parameters, implementing = self._template(evaluated, rows)
        definition = self._define(
            template, parameters, implementing, StackIdentity(name, id, self.parent.stack.project), evaluated
        )
        digest = self._store(template, parameters, definition.environment)
        stack = self._enter(stack, id, name, action, digest, definition)
        walk = type(self.parent)(self.parent.run, stack, definition, rows)
        self.walk = walk
        failed = await walk.execute()
        if failed:
            reason = walk.failure(failed)
            self._leave(stack, "FAILED", f"Resource {action} failed: {reason.kind}: {reason.message}")
            raise reason
        if self.parent.run.stop.is_set():
            return
        self._leave(
            stack,
            "COMPLETE",
            f"Stack {action} completed successfully",
            outputs=walk.outputs(),
            previous=digest,
        )
        self.state.reference = self._reference(walk, stack)

    def _name(self) -> str:
        return physical_name(self.parent.stack.name, self.resource.name, self.state.id, NAME_LIMIT)

    def _template(
        self, evaluated: Evaluated, rows: Sequence[records.Resource]
    ) -> tuple[Template, dict[str, Any], tuple[str, str] | None]:
        """The template of the child, the values for its parameters, and what it implements."""
        found = self.resource.found
        if isinstance(found, TemplateType):
            return found.template, child_parameters(evaluated.values), (self.resource.type_name, found.url)
        assert found is not None
        context = self.parent.context(self.state, members=[ResourceState.of(row) for row in rows])
        assemble = getattr(found, "stack_template")  # noqa: B009
        data = assemble(context, evaluated.values)
        report = Report()
        template = structure.parse(data, self.resource.name, report, self.parent.run.world.custom)
        if template is None:
            raise StepFailed("StackValidationFailed", next(iter(report)).full_message)
        return template, {}, None

    def _define(
        self,
        template: Template,
        parameters: Mapping[str, Any],
        implementing: tuple[str, str] | None,
        identity: StackIdentity,
        evaluated: Evaluated,
    ) -> Definition:
        above = self.parent.definition
        assert above is not None
        environment = above.environment.nested(self.resource.name, parameters, implementing)
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

    def _store(self, template: Template, parameters: Mapping[str, Any], environment: Environment) -> str:
        """Stores the child's own definition; files are the parent's."""
        digest, bodies = definitions.encode_nested(
            dict(template.data), parameters, environment.shown(), self.parent.run.file_digests
        )
        self.parent.journal.changes.then(lambda connection: contents.put(connection, bodies))
        return digest

    def _enter(
        self,
        stack: records.Stack | None,
        id: str,
        name: str,
        action: str,
        digest: str,
        definition: Definition,
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
                deadline=above.deadline,
                username=above.username,
                user_project=above.user_project,
                credentials=above.credentials,
                tags=[],
                outputs=None,
                run_id=above.run_id,
                run={},
            )
            self.parent.journal.new_stack(**records.as_row(made))
        else:
            values: dict[str, Any] = {
                "action": action,
                "status": "IN_PROGRESS",
                "reason": reason,
                "updated_at": now,
                "definition": digest,
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

    def _reference(self, walk: StackWalk, stack: records.Stack) -> Any:
        """The output OS::stack_id stands for the whole stack, where a template has one."""
        outputs = walk.outputs()
        if "OS::stack_id" in outputs:
            return outputs["OS::stack_id"]["value"]
        return stack.arn

    def attribute(self, name: str, path: Sequence[Any]) -> Any:
        """An attribute of the resource that the stack stands for."""
        walk = self.walk
        if walk is None:
            return None
        found = self.resource.found
        if name.startswith("resource."):
            return walk.member_attribute(name.removeprefix("resource."), path)
        if isinstance(found, TemplateType):
            outputs = walk.outputs()
            return follow(outputs[name]["value"], path) if name in outputs else None
        reader = getattr(found, "member_attribute", None)
        if reader is None:
            return None
        return reader(self.parent.context(self.state, child=walk), name, list(path))


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
    walk = type(parent)(parent.run, stack, None, await parent.run.resource_rows(stack.id))
    failed = await walk.execute()
    if failed:
        reason = walk.failure(failed)
        ended = records.changed(
            stack, status="FAILED", reason=f"Resource DELETE failed: {reason.kind}: {reason.message}"
        )
        parent.journal.stack(stack.id, status="FAILED", reason=ended.reason)
        parent.run.tell(ended)
        raise reason
    if parent.run.stop.is_set():
        return
    done = {
        "status": "COMPLETE",
        "reason": "Stack DELETE completed successfully",
        "deleted_at": parent.run.now(),
    }
    parent.journal.stack(stack.id, **done)
    parent.run.tell(records.changed(stack, **done))
