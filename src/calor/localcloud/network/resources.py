"""Generic list, show, create, update and delete handlers for all kinds of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from calor.localcloud.network.kinds import Given, Kind
from calor.localcloud.network.lists import filters_of, list_body, only_fields
from calor.localcloud.network.policy import usual_rule
from calor.localcloud.network.problems import StaleRevision, forbidden, missing
from calor.localcloud.network.quotas import check_quota
from calor.localcloud.network.records import Records
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Owned, Viewer
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import parse_json
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.store import Collection
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply, Rule

D = TypeVar("D", bound=Owned)
Views = Mapping[str, Mapping[str, object]]
Handler = Callable[[NetworkService, Call], Reply]
Lookup = Callable[[Records, Sequence[str]], Iterable[D]]


def no_details(viewer: Viewer, documents: Sequence[object]) -> Views:
    return {}


def is_owned(viewer: Viewer, document: Owned) -> bool:
    return viewer.owns(document)


@dataclass(frozen=True)
class Resource(Generic[D]):
    """One kind of object: where it is kept, who sees it, and what happens when it is made, changed and removed. All
    three are within one transaction."""

    kind: Kind
    path: str
    documents: Callable[[Records], Collection[D]]
    create: Callable[[NetworkService, Viewer, Given], D] | None = None
    update: Callable[[NetworkService, Viewer, D, Given], D] | None = None
    delete: Callable[[NetworkService, Viewer, D], None] | None = None
    details: Callable[[Viewer, Sequence[D]], Views] = no_details
    """Attributes that are not in the document, of many objects at once, by id."""
    sees: Callable[[Viewer, D], bool] = is_owned
    shared: Callable[[Viewer], Iterable[D]] = lambda viewer: ()
    """The objects that the caller sees in addition to those of their project."""
    reach: Callable[[Viewer], Iterable[D]] | None = None
    """Replaces the default query for all objects that the caller sees."""
    lookups: Mapping[str, Lookup[D]] = field(default_factory=dict)
    """Lookups for indexed filters."""
    prepare: Callable[[NetworkService, Viewer], None] = lambda networking, viewer: None
    """Called before a list is read."""
    rule: Rule | None = None
    """The policy rule, if it is not the default one."""
    quota: str | None = None

    def need(self, viewer: Viewer, id: str) -> D:
        found = self.documents(viewer.records).get(id)
        if found is None or not self.sees(viewer, found):
            raise missing(self.kind.label, id)
        return found

    def need_own(self, viewer: Viewer, id: str, action: str) -> D:
        """For actions of the owner. Raises Forbidden for others who see the object."""
        found = self.need(viewer, id)
        if not viewer.owns(found):
            raise forbidden(f"{action}_{self.kind.singular}")
        return found

    def views(self, viewer: Viewer, documents: Sequence[D]) -> list[Json]:
        details = self.details(viewer, documents)
        return [self.kind.show(each, details.get(each.id, {}), viewer.admin) for each in documents]

    def view(self, viewer: Viewer, document: D) -> Json:
        return self.views(viewer, [document])[0]

    def body(self, viewer: Viewer, document: D) -> Json:
        return {self.kind.singular: self.view(viewer, document)}


def routes_of(resource: Resource[Any]) -> tuple[ServiceRoute[NetworkService], ...]:
    one = f"{resource.path}/{{id}}"
    routes = [("GET", resource.path, _list), ("GET", one, _get)]
    if resource.create:
        routes.append(("POST", resource.path, _create))
    if resource.update:
        routes.append(("PUT", one, _update))
    if resource.delete:
        routes.append(("DELETE", one, _delete))
    return tuple(
        ServiceRoute(method, path, partial(handler, resource), resource.rule or usual_rule(method))
        for method, path, handler in routes
    )


def action_on(resource: Resource[D], action: Callable[[NetworkService, Viewer, D, Json], object]) -> Handler:
    """A further action of an object, such as PUT /routers/{id}/add_router_interface."""

    def handle(networking: NetworkService, call: Call) -> Reply:
        viewer = Viewer(networking.records, call.caller)
        target = resource.need_own(viewer, call.path["id"], "update")
        body = parse_json(call.raw)
        if not isinstance(body, dict):
            raise BadRequest("The body must be an object.")
        with networking.change():
            return Reply(body=action(networking, viewer, target, body))

    return handle


def _list(resource: Resource[D], networking: NetworkService, call: Call) -> Reply:
    viewer = Viewer(networking.records, call.caller)
    resource.prepare(networking, viewer)
    filters = filters_of(call, resource.kind.by_name)
    documents = _candidates(resource, viewer, filters)
    body = list_body(call, resource.kind.plural, resource.views(viewer, documents), filters)
    return Reply(body=body)


def _candidates(resource: Resource[D], viewer: Viewer, filters: dict[str, list[str]]) -> list[D]:
    collection = resource.documents(viewer.records)
    lookups: dict[str, Lookup[D]] = {"id": partial(_found_in, resource, "id"), **resource.lookups}
    if "name" in resource.kind.by_name:
        lookups["name"] = partial(_found_in, resource, "name")
    for name, lookup in lookups.items():
        if name in filters:
            found = lookup(viewer.records, filters[name])
            return [each for each in found if resource.sees(viewer, each)]
    if viewer.admin:
        wanted = filters.get("project_id")
        return collection.find() if wanted is None else collection.find_in("project_id", wanted)
    if resource.reach:
        return list(resource.reach(viewer))
    own = collection.find(project_id=viewer.project_id) if viewer.project_id else []
    return list({each.id: each for each in (*own, *resource.shared(viewer))}.values())


def _found_in(resource: Resource[D], field: str, records: Records, values: Sequence[str]) -> list[D]:
    return resource.documents(records).find_in(field, values)


def find_by(documents: Callable[[Records], Collection[D]], field: str) -> Lookup[D]:
    """A lookup by an indexed field."""
    return lambda records, values: documents(records).find_in(field, values)


def _get(resource: Resource[D], networking: NetworkService, call: Call) -> Reply:
    viewer = Viewer(networking.records, call.caller)
    view = resource.view(viewer, resource.need(viewer, call.path["id"]))
    return Reply(body={resource.kind.singular: only_fields(call, view)})


def _create(resource: Resource[D], networking: NetworkService, call: Call) -> Reply:
    kind, viewer = resource.kind, Viewer(networking.records, call.caller)
    body = parse_json(call.raw)
    bulk = isinstance(body, dict) and isinstance(body.get(kind.plural), list)
    if not bulk and (not isinstance(body, dict) or kind.singular not in body):
        raise BadRequest(f"The body must be an object with the member {kind.singular}.")
    wanted = body[kind.plural] if bulk else [body[kind.singular]]
    if not wanted:
        raise BadRequest(f"{kind.plural} must not be empty.")
    given = [kind.read_new(call.caller, each) for each in wanted]
    with networking.change():
        made = [create_record(resource, networking, viewer, each) for each in given]
        views = resource.views(viewer, made)
    return Reply(201, {kind.plural: views} if bulk else {kind.singular: views[0]})


def create_record(resource: Resource[D], networking: NetworkService, viewer: Viewer, given: Given) -> D:
    """Creates an object; to be called within a transaction."""
    assert resource.create is not None
    if resource.quota:
        collection = resource.documents(networking.records)
        check_quota(networking.records, resource.quota, given["project_id"], collection)
    return resource.create(networking, viewer, given)


def _update(resource: Resource[D], networking: NetworkService, call: Call) -> Reply:
    viewer = Viewer(networking.records, call.caller)
    target = resource.need_own(viewer, call.path["id"], "update")
    body = parse_json(call.raw)
    if not isinstance(body, dict) or resource.kind.singular not in body:
        raise BadRequest(f"The body must be an object with the member {resource.kind.singular}.")
    given = resource.kind.read_change(call.caller, body[resource.kind.singular])
    _check_revision(call, target)
    assert resource.update is not None
    with networking.change():
        updated = resource.update(networking, viewer, target, given)
        return Reply(body=resource.body(Viewer(networking.records, call.caller), updated))


def _delete(resource: Resource[D], networking: NetworkService, call: Call) -> Reply:
    viewer = Viewer(networking.records, call.caller)
    target = resource.need_own(viewer, call.path["id"], "delete")
    _check_revision(call, target)
    assert resource.delete is not None
    with networking.change():
        resource.delete(networking, viewer, target)
    return NO_CONTENT


def _check_revision(call: Call, target: Any) -> None:
    """Checks the If-Match header."""
    _, _, wanted = call.headers.get("if-match", "").partition("revision_number=")
    if wanted and wanted != str(getattr(target, "revision_number", "")):
        raise StaleRevision(
            f"{target.id} does not have revision {wanted[:20]}.", "RevisionNumberConstraintFailed"
        )
