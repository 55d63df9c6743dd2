"""Regions, services and endpoints."""

from __future__ import annotations

from calor.localcloud.identity.lists import list_reply
from calor.localcloud.identity.policy import readers
from calor.localcloud.identity.records import (
    Endpoint,
    Region,
    Service,
    need,
    new_id,
    new_record,
    updated_record,
)
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.views import show_endpoint, show_region, show_service
from calor.localcloud.policy import admins, anyone
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import boolean, description, identifier, name, nullable, one_of, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_REGION = shape(
    optional={"id": text(255), "description": description, "parent_region_id": nullable(identifier)},
    others=True,
)
_SERVICE_MEMBERS = {"description": description, "enabled": boolean, "name": text(255)}
_NEW_SERVICE = shape({"type": name}, _SERVICE_MEMBERS, others=True)
_SERVICE_CHANGE = shape(optional={"type": name, **_SERVICE_MEMBERS}, others=True)
_ENDPOINT_NEEDS = {
    "interface": one_of("public", "internal", "admin"),
    "service_id": identifier,
    "url": text(2048, shortest=1),
}
_ENDPOINT_MEMBERS = {"enabled": boolean, "region": nullable(identifier), "region_id": nullable(identifier)}
_NEW_ENDPOINT = shape(_ENDPOINT_NEEDS, _ENDPOINT_MEMBERS, others=True)
_ENDPOINT_CHANGE = shape(optional={**_ENDPOINT_NEEDS, **_ENDPOINT_MEMBERS}, others=True)


def list_regions(identity: IdentityService, call: Call) -> Reply:
    shown = [show_region(call, region) for region in identity.records.regions.find()]
    return list_reply(call, "regions", shown, ("parent_region_id",))


def create_region(identity: IdentityService, call: Call) -> Reply:
    """The id is in the body, in the path (with PUT), or made."""
    given = call.read_in("region", _REGION)
    region_id = call.path.get("region_id") or given.get("id") or new_id()
    if given.get("id", region_id) not in ("", region_id):
        raise BadRequest("region.id must match the ID in the path.")
    _check_parent(identity, given.get("parent_region_id"))
    region = new_record(Region, given, id=identifier(region_id, "region.id"))
    return Reply(201, {"region": show_region(call, identity.records.regions.add(region))})


def get_region(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"region": show_region(call, _region(identity, call))})


def update_region(identity: IdentityService, call: Call) -> Reply:
    region = _region(identity, call)
    given = call.read_in("region", _REGION)
    _check_parent(identity, given.get("parent_region_id"), below=region.id)
    return Reply(
        body={"region": show_region(call, identity.records.regions.put(updated_record(region, given)))}
    )


def delete_region(identity: IdentityService, call: Call) -> Reply:
    region = _region(identity, call)
    if identity.records.regions.find(parent_region_id=region.id):
        raise Forbidden("A region with child regions cannot be deleted.")
    if identity.records.endpoints.find(region_id=region.id):
        raise Forbidden("A region with endpoints cannot be deleted.")
    identity.records.regions.remove(region.id)
    return NO_CONTENT


def list_services(identity: IdentityService, call: Call) -> Reply:
    shown = [show_service(call, service) for service in identity.records.services.find()]
    return list_reply(call, "services", shown, ("id", "name", "type"))


def create_service(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("service", _NEW_SERVICE)
    service = identity.records.services.add(new_record(Service, given, id=new_id()))
    return Reply(201, {"service": show_service(call, service)})


def get_service(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"service": show_service(call, _service(identity, call))})


def update_service(identity: IdentityService, call: Call) -> Reply:
    service = _service(identity, call)
    given = call.read_in("service", _SERVICE_CHANGE)
    service = identity.records.services.put(updated_record(service, given))
    return Reply(body={"service": show_service(call, service)})


def delete_service(identity: IdentityService, call: Call) -> Reply:
    service = _service(identity, call)
    with identity.records.store.transaction():
        identity.records.endpoints.remove_where(service_id=service.id)
        identity.records.services.remove(service.id)
    return NO_CONTENT


def list_endpoints(identity: IdentityService, call: Call) -> Reply:
    shown = [show_endpoint(call, endpoint) for endpoint in identity.records.endpoints.find()]
    return list_reply(call, "endpoints", shown, ("interface", "service_id", "region_id", "region"))


def create_endpoint(identity: IdentityService, call: Call) -> Reply:
    given = _endpoint_given(identity, call.read_in("endpoint", _NEW_ENDPOINT))
    endpoint = identity.records.endpoints.add(new_record(Endpoint, given, id=new_id()))
    return Reply(201, {"endpoint": show_endpoint(call, endpoint)})


def get_endpoint(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"endpoint": show_endpoint(call, _endpoint(identity, call))})


def update_endpoint(identity: IdentityService, call: Call) -> Reply:
    endpoint = _endpoint(identity, call)
    given = _endpoint_given(identity, call.read_in("endpoint", _ENDPOINT_CHANGE))
    endpoint = identity.records.endpoints.put(updated_record(endpoint, given))
    return Reply(body={"endpoint": show_endpoint(call, endpoint)})


def delete_endpoint(identity: IdentityService, call: Call) -> Reply:
    identity.records.endpoints.remove(_endpoint(identity, call).id)
    return NO_CONTENT


def _endpoint_given(identity: IdentityService, given: dict[str, str | None]) -> dict[str, str | None]:
    """An endpoint's service and region must be there. `region` is an older way to name it, which makes it as well."""
    region = given.pop("region", None)
    if region and not given.get("region_id"):
        given["region_id"] = region
        if identity.records.regions.get(region) is None:
            identity.records.regions.add(Region(region))
    if (region_id := given.get("region_id")) and identity.records.regions.get(region_id) is None:
        raise BadRequest(f"Region {region_id} could not be found.")
    if (service_id := given.get("service_id")) and identity.records.services.get(service_id) is None:
        raise BadRequest(f"Service {service_id} could not be found.")
    return given


def _check_parent(identity: IdentityService, parent_id: str | None, below: str | None = None) -> None:
    """The regions above must be there, and none of them be the one below."""
    while parent_id:
        if parent_id == below:
            raise BadRequest("A region cannot be its own ancestor.")
        parent_id = need("region", identity.records.regions, parent_id).parent_region_id


def _region(identity: IdentityService, call: Call) -> Region:
    return need("region", identity.records.regions, call.path["region_id"])


def _service(identity: IdentityService, call: Call) -> Service:
    return need("service", identity.records.services, call.path["service_id"])


def _endpoint(identity: IdentityService, call: Call) -> Endpoint:
    return need("endpoint", identity.records.endpoints, call.path["endpoint_id"])


ROUTES = (
    ServiceRoute("GET", "/v3/regions", list_regions, anyone),
    ServiceRoute("POST", "/v3/regions", create_region, admins),
    ServiceRoute("GET", "/v3/regions/{region_id}", get_region, anyone),
    ServiceRoute("PUT", "/v3/regions/{region_id}", create_region, admins),
    ServiceRoute("PATCH", "/v3/regions/{region_id}", update_region, admins),
    ServiceRoute("DELETE", "/v3/regions/{region_id}", delete_region, admins),
    ServiceRoute("GET", "/v3/services", list_services, readers),
    ServiceRoute("POST", "/v3/services", create_service, admins),
    ServiceRoute("GET", "/v3/services/{service_id}", get_service, readers),
    ServiceRoute("PATCH", "/v3/services/{service_id}", update_service, admins),
    ServiceRoute("DELETE", "/v3/services/{service_id}", delete_service, admins),
    ServiceRoute("GET", "/v3/endpoints", list_endpoints, readers),
    ServiceRoute("POST", "/v3/endpoints", create_endpoint, admins),
    ServiceRoute("GET", "/v3/endpoints/{endpoint_id}", get_endpoint, readers),
    ServiceRoute("PATCH", "/v3/endpoints/{endpoint_id}", update_endpoint, admins),
    ServiceRoute("DELETE", "/v3/endpoints/{endpoint_id}", delete_endpoint, admins),
)
