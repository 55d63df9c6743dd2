"""Runs Calor beside the Heat of a genuine OpenStack, in a region of its own, and heat-tempest-plugin against it.

    python tests/conformance/genuine.py --config-file /etc/heat/heat.conf [OPTION ...]

OS_* name an admin of the cloud, who registers the region and takes it away again. In that region Calor is the
orchestration service; every other service of the cloud is registered there with the address that it has in the region
that OS_REGION_NAME names. Calor has a database of its own: Heat, its stacks and its region are left alone.
"""

from __future__ import annotations

import argparse
import configparser
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.conformance import tempest_runs

CLASSES = {"a": tempest_runs.WITHOUT_A_CLOUD, "b": tempest_runs.IN_A_CLOUD}
EXPECTED = {"a": 89, "b": 37}
OWN = ("orchestration", "cloudformation")
OWN_CONFIGURATION = """
[DEFAULT]
heat_metadata_server_url = http://{host}:{cfn_port}
heat_waitcondition_server_url = http://{host}:{cfn_port}/v1/waitcondition
region_name_for_services = {region}
num_engine_workers = 1
hidden_stack_tags = hidden
[database]
connection = {database}
[heat_api]
bind_host = {host}
bind_port = {port}
workers = 1
[heat_api_cfn]
bind_host = {host}
bind_port = {cfn_port}
"""
PATIENCE = 60


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    tempest = shutil.which(options.tempest)
    if not options.serve_only and tempest is None:
        print(f"{options.tempest} is not installed", file=sys.stderr)
        return 2
    # Whoever ends it, what was started ends, and the region goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        kept = options.keep or stack.enter_context(tempfile.TemporaryDirectory())
        home = Path(kept).absolute()
        home.mkdir(parents=True, exist_ok=True)
        stack.enter_context(served(options, home))
        stack.enter_context(registered(options))
        if options.serve_only:
            print(f"ready: region {options.region}, state in {home}; Ctrl-C ends it", flush=True)
            try:
                while True:
                    time.sleep(3600)
            except KeyboardInterrupt:
                return 0
        assert tempest is not None
        return judged(options, tempest, home)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    made.add_argument(
        "--config-file", action="append", required=True, help="a heat.conf for the cloud; repeatable"
    )
    made.add_argument("--region", default="Calor", help="the region to register (%(default)s)")
    made.add_argument("--host", default="127.0.0.1", help="where Calor listens (%(default)s)")
    made.add_argument(
        "--port", type=int, default=8014, help="port of the API; the CFN API has the next (%(default)s)"
    )
    made.add_argument("--database", help="URL of an empty database; SQLite unless given")
    made.add_argument(
        "--keep", metavar="DIR", help="where to keep the logs, the database and tempest's workspace"
    )
    made.add_argument(
        "--classes", default="ab", help="a: only OS::Heat types; b: a small cloud (%(default)s)"
    )
    made.add_argument("--tests", help="a regular expression of the tests to run instead of the classes")
    made.add_argument("--tempest", default="tempest", help="the command (%(default)s)")
    made.add_argument("--tempest-conf", help="a tempest.conf, of which only the region is replaced")
    made.add_argument(
        "--user", default="demo", help="who the tests log in as (%(default)s); the password is in"
    )
    made.add_argument(
        "--password", default=os.environ.get("OS_PASSWORD"), help="theirs; OS_PASSWORD unless given"
    )
    made.add_argument("--project", default="demo", help="their project (%(default)s)")
    made.add_argument("--concurrency", type=int, default=2, help="tests at once (%(default)s)")
    made.add_argument("--seconds", type=float, default=3600, help="how long tempest may take (%(default)s)")
    made.add_argument("--serve-only", action="store_true", help="run no tests: start Calor and register it")
    return made


def judged(options: argparse.Namespace, tempest: str, home: Path) -> int:
    """Runs the tests and tells how they ended; 0 if all passed."""
    chosen = options.tests or "".join(CLASSES[each] for each in options.classes)
    done = tempest_runs.run(
        tempest,
        home,
        configuration(options),
        chosen,
        concurrency=options.concurrency,
        seconds=options.seconds,
    )
    (home / "tempest.out").write_text(done.output)
    print(
        f"heat-tempest-plugin, {options.region}: {len(done.passed)} of {len(done.passed) + len(done.failed)} pass"
    )
    for each in done.failed:
        print(f"FAILED {each}")
    expected = 1 if options.tests else sum(EXPECTED[each] for each in options.classes)
    if len(done.passed) + len(done.failed) < expected:
        print(f"{expected} tests were expected to run", file=sys.stderr)
        return 1
    return 1 if done.failed else 0


def configuration(options: argparse.Namespace) -> str:
    if options.tempest_conf is None:
        return tempest_runs.filled_in(
            region=options.region,
            auth_url=os.environ["OS_AUTH_URL"],
            user=options.user,
            password=options.password,
            project=options.project,
            admin=os.environ["OS_USERNAME"],
            admin_password=os.environ["OS_PASSWORD"],
            admin_project=os.environ["OS_PROJECT_NAME"],
        )
    read = configparser.RawConfigParser()
    read.read(options.tempest_conf)
    for section in ("identity", "heat_plugin"):
        read.set(section, "region", options.region)
    written = io.StringIO()
    read.write(written)
    return written.getvalue()


# Calor's processes.


@contextmanager
def served(options: argparse.Namespace, home: Path) -> Iterator[None]:
    """While Calor runs."""
    own = home / "calor.conf"
    database = options.database or f"sqlite:///{home / 'calor.db'}"
    values = {
        "host": options.host,
        "port": options.port,
        "cfn_port": options.port + 1,
        "region": options.region,
    }
    own.write_text(OWN_CONFIGURATION.format(database=database, **values))
    files = [part for each in (*options.config_file, str(own)) for part in ("--config-file", each)]
    calor = [sys.executable, "-m", "calor"]
    subprocess.run([*calor, "db", "upgrade", *files], check=True, stdout=subprocess.DEVNULL)
    state = ["--state-dir", str(home / "state")]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for part in ("api", "api-cfn", "engine"):
            with (home / f"{part}.log").open("ab") as log:
                processes.append(subprocess.Popen([*calor, part, *files, *state], stdout=log, stderr=log))
        for port in (options.port, options.port + 1):
            await_answer(f"http://{options.host}:{port}/", processes)
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(PATIENCE)


def await_answer(url: str, processes: Sequence[subprocess.Popen[bytes]]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if any(process.poll() is not None for process in processes):
            raise SystemExit("Calor did not start; see the logs (--keep)")
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"nobody answers at {url}")


# The catalog.


@contextmanager
def registered(options: argparse.Namespace) -> Iterator[None]:
    """While the region is in the catalog."""
    identity = admin()
    base = f"http://{options.host}"
    addresses = {
        "orchestration": f"{base}:{options.port}/v1/%(tenant_id)s",
        "cloudformation": f"{base}:{options.port + 1}/v1",
    }
    forget(identity, options.region)
    identity("PUT", f"/regions/{options.region}", {"region": {"description": "Calor beside Heat"}})
    services = {each["id"]: each for each in identity("GET", "/services")["services"]}
    for type, url in addresses.items():
        ids = [id for id, each in services.items() if each["type"] == type]
        if not ids:
            made = identity("POST", "/services", {"service": {"type": type, "name": type}})["service"]
            ids = [made["id"]]
        for interface in ("public", "internal", "admin"):
            add(identity, options.region, ids[0], interface, url)
    home = os.environ.get("OS_REGION_NAME", "RegionOne")
    for each in identity("GET", f"/endpoints?region_id={home}")["endpoints"]:
        if services[each["service_id"]]["type"] not in OWN:
            add(identity, options.region, each["service_id"], each["interface"], each["url"])
    try:
        yield
    finally:
        forget(identity, options.region)


def add(identity: Any, region: str, service: str, interface: str, url: str) -> None:
    wanted = {"region_id": region, "service_id": service, "interface": interface, "url": url}
    identity("POST", "/endpoints", {"endpoint": wanted})


def forget(identity: Any, region: str) -> None:
    known = {each["id"] for each in identity("GET", "/regions")["regions"]}
    if region not in known:
        return
    for each in identity("GET", f"/endpoints?region_id={region}")["endpoints"]:
        identity("DELETE", f"/endpoints/{each['id']}")
    identity("DELETE", f"/regions/{region}")


def admin() -> Any:
    """Asks the identity service as the admin that OS_* name."""
    from keystoneauth1.identity import v3
    from keystoneauth1.session import Session

    known = {
        name: os.environ[f"OS_{name.upper()}"]
        for name in (
            "username",
            "password",
            "project_name",
            "user_domain_id",
            "user_domain_name",
            "project_domain_id",
            "project_domain_name",
        )
        if os.environ.get(f"OS_{name.upper()}")
    }
    url = os.environ["OS_AUTH_URL"].rstrip("/")
    url = url if url.endswith("/v3") else f"{url}/v3"
    session = Session(v3.Password(url, **known), verify=os.environ.get("OS_CACERT") or True)

    def ask(method: str, path: str, body: Any = None) -> Any:
        answer = session.request(f"{url}{path}", method, json=body, authenticated=True)
        return answer.json() if answer.content else None

    return ask


if __name__ == "__main__":
    sys.exit(main())
