"""cfn-push-stats: reports figures about this server to the CloudWatch API."""

import argparse
from typing import Any, Dict, List

from calor_guest.cfn import endpoints, haproxy, statistics
from calor_guest.cfn.api import put_metric
from calor_guest.cfn.credentials import read_credentials
from calor_guest.cfn.haproxy import Figure
from calor_guest.cfn.logs import log, start_logging
from calor_guest.cfn.places import THIS_SERVER, Places
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.server_metadata import server_metadata, tags
from calor_guest.common.http import RequestFailed

_UNITS = {"bytes": 1, "kilobytes": 1 << 10, "megabytes": 1 << 20, "gigabytes": 1 << 30}
_SERVER, _BALANCER = "system/linux", "AWS/ELB"


def main(arguments: List[str], places: Places = THIS_SERVER) -> int:
    given = _parser().parse_args(arguments)
    start_logging("cfn-push-stats", places, given.verbose)
    try:
        if given.haproxy or given.haproxy_latency:
            _send(_BALANCER, haproxy.figures(haproxy.ask(), latency_only=not given.haproxy), given, places)
        else:
            _send(_SERVER, _figures(given), given, places)
    except (Problem, RequestFailed, OSError) as error:
        log.error("%s", error)
        return 1
    return 0


def _figures(given: Any) -> Dict[str, Figure]:
    found: Dict[str, Figure] = {}
    if given.metric and given.units and given.value:
        found[given.metric] = (given.value, given.units)
    if given.service_failure:
        found["ServiceFailure"] = ("1", "Counter")
    if given.heartbeat:
        found["Heartbeat"] = ("1", "Counter")
    if given.mem_util or given.mem_used or given.mem_avail:
        memory, unit = statistics.memory(), given.memory_units
        _add(found, "MemoryUtilization", given.mem_util, memory.percent, "Percent")
        _add(found, "MemoryUsed", given.mem_used, memory.used / _UNITS[unit], unit)
        _add(found, "MemoryAvailable", given.mem_avail, memory.available / _UNITS[unit], unit)
    if given.swap_util or given.swap_used:
        swap, unit = statistics.swap(), given.memory_units
        _add(found, "SwapUtilization", given.swap_util, swap.percent, "Percent")
        _add(found, "SwapUsed", given.swap_used, swap.used / _UNITS[unit], unit)
    if given.disk_space_util or given.disk_space_used or given.disk_space_avail:
        disk, unit = statistics.disk(given.disk_path), given.disk_units
        _add(found, "DiskSpaceUtilization", given.disk_space_util, disk.percent, "Percent")
        _add(found, "DiskSpaceUsed", given.disk_space_used, disk.used / _UNITS[unit], unit)
        _add(found, "DiskSpaceAvailable", given.disk_space_avail, disk.available / _UNITS[unit], unit)
    if given.cpu_util:
        _add(found, "CPUUtilization", True, statistics.cpu_percent(), "Percent")
    return found


def _add(found: Dict[str, Figure], name: str, wanted: bool, value: float, unit: str) -> None:
    if wanted:
        found[name] = (str(value), unit)


def _send(namespace: str, figures: Dict[str, Figure], given: Any, places: Places) -> None:
    """Raises Problem and RequestFailed."""
    path = given.credential_file or places.credentials
    credentials = read_credentials(path)
    if not credentials.are_complete:
        raise Problem(f"there are no credentials in {path}")
    endpoint = endpoints.cloudwatch(places)
    if endpoint is None:
        raise Problem("the CloudWatch server is unknown")
    dimensions = tags(server_metadata(places.server_metadata))
    if given.watch:
        dimensions["AlarmName"] = given.watch
    for name, (value, unit) in figures.items():
        log.info("reports %s: %s %s", name, value, unit)
        metric = {"MetricName": name, "Unit": unit, "Value": value}
        put_metric(endpoint, credentials, namespace, metric, dimensions)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cfn-push-stats", description="Reports figures about this server to the CloudWatch API."
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="log more")
    parser.add_argument(
        "--credential-file", help="a file with EC2 credentials (default: /etc/cfn/cfn-credentials)"
    )
    for name, what in (
        ("service-failure", "that a service has failed"),
        ("heartbeat", "that this server works"),
        ("mem-util", "used memory in percent"),
        ("mem-used", "used memory, without caches"),
        ("mem-avail", "available memory, with caches"),
        ("swap-util", "used swap space in percent"),
        ("swap-used", "used swap space"),
        ("disk-space-util", "used disk space in percent"),
        ("disk-space-used", "used disk space"),
        ("disk-space-avail", "available disk space"),
        ("cpu-util", "use of the processors in percent, during one second"),
        ("haproxy", "use of HAProxy; nothing else is then reported"),
        ("haproxy-latency", "latency of HAProxy; nothing else is then reported"),
    ):
        parser.add_argument("--" + name, action="store_true", help="reports " + what)
    for name in ("memory-units", "disk-units"):
        parser.add_argument(
            "--" + name, choices=sorted(_UNITS), default="megabytes", help="(default: megabytes)"
        )
    parser.add_argument("--disk-path", default="/", help="a path of the file system to report (default: /)")
    parser.add_argument("--watch", help="the name of the alarm to report to")
    parser.add_argument("--metric", help="reports a metric of this name, with --units and --value")
    parser.add_argument("--units", help="the unit of --metric")
    parser.add_argument("--value", help="the value of --metric")
    return parser
