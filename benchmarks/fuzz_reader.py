"""Fuzzes the reader and the resolver: no text may make them raise, or take long.

    python benchmarks/fuzz_reader.py [--inputs N] [--seed S] [--resolve-every K]

Inputs are mutations of the texts below, of their bytes and of their structure, the same ones for the same
seed. Each goes through the reader; of those that are maps, every K-th is resolved as a template and used as an
environment. The first input that raises, or uses more than two seconds of processor time, is kept in a file so
that it can be fed in again, and the run ends with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from types import FrameType
from typing import Any

import yaml

from calor.language.diagnostic_json import diagnostic_to_json
from calor.language.diagnostics import Report
from calor.language.lint import lint
from calor.language.reader import read_mapping
from calor.language.request import resolve_request
from calor.language.view import resolved_view
from calor.types.world import offline_world

SLOW = 2.0
MEMORY = 4 * 1024**3
LARGEST = 500
"""Documents with more places are not made larger: here the shape is to be hard, not the size."""

SERVER = """\
heat_template_version: 2021-04-16
description: >
  A server behind a load balancer
parameters:
  flavor: {type: string, default: m1.small, constraints: [{allowed_values: [m1.small, m1.large]}]}
  count: {type: number, default: 2, constraints: [{range: {min: 1, max: 9}}, {modulo: {step: 1, offset: 0}}]}
  names: {type: comma_delimited_list, default: "a,b,c"}
  extra: {type: json, default: {k: [1, {x: y}]}}
  debug: {type: boolean, default: off}
  secret: {type: string, hidden: true, default: s3cret, constraints: [{length: {min: 3}}]}
  host: {type: string, default: web1, constraints: [{allowed_pattern: '[a-z]+[0-9]*'}, {custom_constraint: dns_name}]}
parameter_groups:
- {label: size, description: how big, parameters: [flavor, count]}
conditions:
  many: {not: {equals: [{get_param: count}, 1]}}
  loud: {and: [many, {get_param: debug}]}
  seen: {contains: [a, {get_param: names}]}
resources:
  net: {type: OS::Neutron::Net, properties: {name: {list_join: ['-', {get_param: names}]}}}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.0.0.0/24, allocation_pools: [{start: 10.0.0.2, end: 10.0.0.9}]}
  port:
    type: OS::Neutron::Port
    depends_on: [subnet]
    properties:
      network: {get_resource: net}
      fixed_ips: [{subnet: {get_resource: subnet}}]
  server:
    type: OS::Nova::Server
    condition: many
    deletion_policy: retain
    metadata: {note: {if: [loud, yes, no]}}
    properties:
      flavor: {get_param: flavor}
      image: {if: [many, cirros, fedora]}
      networks: [{port: {get_resource: port}}]
      user_data:
        str_replace:
          template: |
            #!/bin/sh
            echo $name $secret
          params: {$name: {get_param: [names, 0]}, $secret: {get_param: secret}}
  group:
    type: OS::Heat::ResourceGroup
    update_policy: {batch_create: {max_batch_size: 2}}
    properties:
      count: {get_param: count}
      resource_def: {type: OS::Heat::TestResource, properties: {value: "%index%"}}
outputs:
  address: {value: {get_attr: [server, first_address]}}
  digest: {value: {digest: [sha256, {get_param: flavor}]}}
  url: {value: {make_url: {scheme: http, host: {get_attr: [server, first_address]}, port: 80, query: {a: b}}}}
  rules: {value: {repeat: {template: 'r-%a%', for_each: {'%a%': {get_param: names}}, permutations: false}}}
  merged: {value: {map_merge: [{get_param: extra}, {k: 2}]}}
  replaced: {value: {map_replace: [{a: b}, {keys: {a: c}, values: {b: d}}]}}
  queried: {value: {yaql: {expression: $.data.len(), data: [1, 2, 3]}}}
  filtered: {value: {filter: [[a], {get_param: names}]}}
  concat: {value: {list_concat_unique: [[1, 2], [2, 3]]}, condition: seen}
  split: {value: {str_split: [',', 'a,b', 1]}}
"""

OLD = """\
heat_template_version: 2013-05-23
parameters:
  zone: {type: string, default: nova}
resources:
  volume:
    type: OS::Cinder::Volume
    deletion_policy: Snapshot
    properties: {size: 1, availability_zone: {get_param: zone}}
  config:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: {get_file: run.sh}, inputs: [{name: a, type: String}]}
outputs:
  id: {value: {get_resource: volume}, description: its id}
  pick: {value: {Fn::Select: [0, [a, b]]}}
  joined: {value: {list_join: [', ', [a, {get_attr: [volume, size]}]]}}
"""

CFN = """\
{"AWSTemplateFormatVersion": "2010-09-09",
 "Parameters": {"Key": {"Type": "String", "Default": "k", "NoEcho": "true", "MinLength": 1},
                "Zones": {"Type": "CommaDelimitedList", "Default": "a,b"}},
 "Mappings": {"Sizes": {"small": {"ram": "512"}}},
 "Conditions": {"Small": {"Fn::Equals": [{"Ref": "Key"}, "k"]}, "Big": {"Fn::Not": [{"Condition": "Small"}]}},
 "Resources": {
  "Wait": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
  "Server": {"Type": "AWS::EC2::Instance", "Condition": "Small", "DependsOn": ["Wait"],
   "Properties": {"ImageId": "i", "InstanceType": {"Fn::FindInMap": ["Sizes", "small", "ram"]},
    "UserData": {"Fn::Base64": {"Fn::Join": ["", ["#!/bin/sh\\n", {"Ref": "Key"}, {"Ref": "Wait"}]]}}}}},
 "Outputs": {"Address": {"Value": {"Fn::GetAtt": ["Server", "PublicIp"]}},
             "Az": {"Value": {"Fn::Select": ["0", {"Fn::GetAZs": ""}]}},
             "If": {"Value": {"Fn::If": ["Small", "a", {"Fn::Split": [",", "b,c"]}]}}}}
"""

ENVIRONMENT = """\
parameters:
  flavor: m1.large
  count: 3
parameter_defaults:
  names: [x, y]
  extra: {deep: {er: 1}}
parameter_merge_strategies: {default: merge, extra: deep_merge}
resource_registry:
  OS::Networking::*: OS::Neutron::*
  My::Server: OS::Nova::Server
  resources:
    server: {hooks: [pre-create, pre-update], restricted_actions: replace}
    "gr*": {"0": {hooks: pre-delete}}
event_sinks: [{type: zaqar-queue, target: q}]
"""

EVIL = (
    "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: &d [*c, *c, *c, *c]\n",
    "base: &base {a: 1, b: 2}\nover: {<<: *base, b: 3}\nmany: {<<: [*base, {c: 4}]}\n",
    "a: &a {b: *a}\n",
    "? [1, 2]\n: x\n? {a: b}\n: y\n",
    "? |\n  block key\n: - one\n  - two\n",
    "%YAML 1.1\n%TAG ! tag:example.org,2000:\n---\na: !thing b\n...\n---\nsecond: document\n",
    "int: 0o17\nhex: 0x1F\nsex: 12:30:45\nf: 1e3\ninf: .inf\nnan: .NaN\nn: ~\nb: Yes\nd: 2001-12-14\nu: 1_000\n",
    "a: !!int '12'\nb: !!float 3\nc: !!bool yes\nd: !!binary aGVsbG8=\ne: !!python/object:os.system {}\n",
    '{"a": 1, "a": 2, "nested": [[[[[[[[]]]]]]]], "u": "\\ud800\\u0000", "big": 1e999, "n": NaN}',
    "a: 'it''s'\nb: \"\\x41\\u263A\\n\"\nc: >-\n  folded\n  text\n\n  more\nd: |+2\n    kept\n\n",
    "\ufeffheat_template_version: 2018-08-31\n\tresources: {}\n",
    "heat_template_version: 2021-04-16\noutputs:\n  o: {value: {repeat: {template: abcd, for_each: "
    "{a: &l [1, 2, 3, 4, 5, 6], b: *l, c: *l, d: *l}}}}\n",
    "heat_template_version: 2021-04-16\noutputs:\n  o: {value: {str_replace: {template: xxxx, params: "
    "{x: {str_replace: {template: yyyy, params: {y: zzzz}}}}}}}\n",
    "heat_template_version: 2021-04-16\nresources:\n  a: {type: OS::Heat::TestResource, depends_on: b}\n"
    "  b: {type: OS::Heat::TestResource, depends_on: a}\n",
    "[" * 99 + "]" * 99,
    "- " * 60 + "x\n",
    "{a: " * 40 + "1" + "}" * 40,
    "",
)

SEEDS = (SERVER, OLD, CFN, ENVIRONMENT, *EVIL)
FILES = {"run.sh": "echo hello", "child.yaml": OLD, "broken.yaml": "a: [", "env.yaml": ENVIRONMENT}

TOKENS = (
    *(b"{", b"}", b"[", b"]", b":", b": ", b", ", b"- ", b"? ", b"|\n ", b">\n ", b"'", b'"', b"#", b"\n"),
    *(b"\t", b"&a ", b"*a", b"<<: *a", b"!!int ", b"!!str ", b"!Ref ", b"%", b"---\n", b"...\n", b"=", b"~"),
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc2\x85", b"\xe2\x80\xa8", b"\r", b"\\u", b"\\"),
    *(b"0x", b"0b", b"1e999", b".nan", b"-.inf", b"9" * 400, b"60:60", b"null", b"true", b"get_param", b"if"),
    *(b"{get_param: ", b"{get_resource: ", b"{get_attr: [", b"{repeat: ", b"{str_replace: ", b"{yaql: "),
)

ATOMS: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**70,
        1.5,
        float("inf"),
        float("nan"),
        "",
        "a",
        "0",
        "x" * 300,
        "é\u2028",
    ),
    *(
        "%index%",
        "child.yaml",
        "broken.yaml",
        "missing.yaml",
        "OS::Heat::TestResource",
        "2013-05-23",
        "wallaby",
    ),
    *(
        [],
        {},
        [None],
        {"": ""},
        {"a": {"b": []}},
        [[1, "two", {"three": 3}]],
        ["server", "net"],
        "server",
        "net",
    ),
)
KEYS: tuple[Any, ...] = (
    "type",
    "properties",
    "value",
    "resources",
    "default",
    "hooks",
    "",
    "a",
    1,
    None,
    True,
    1.5,
)
FUNCTIONS = (
    *("get_param", "get_resource", "get_attr", "get_file", "list_join", "str_replace", "str_replace_strict"),
    *(
        "str_replace_vstrict",
        "str_split",
        "repeat",
        "digest",
        "map_merge",
        "map_replace",
        "yaql",
        "if",
        "equals",
    ),
    *(
        "not",
        "and",
        "or",
        "contains",
        "filter",
        "make_url",
        "list_concat",
        "list_concat_unique",
        "resource_facade",
    ),
    *("Ref", "Fn::GetAtt", "Fn::Join", "Fn::Select", "Fn::If", "Fn::FindInMap", "Fn::Split", "Fn::Replace"),
    *("Fn::MemberListToMap", "Fn::Equals", "Fn::Not", "Fn::Base64", "Fn::ResourceFacade"),
)


class TooSlow(BaseException):
    """Out of time; not an Exception, so that nothing on the way takes it for an error of its own."""


@dataclass(slots=True)
class Figures:
    inputs: int = 0
    refused: int = 0
    resolved: int = 0
    slowest: float = 0.0
    slowest_number: int = 0


class Mutator:
    """Makes inputs out of the seeds; the same ones for the same random numbers."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.texts = [seed.encode() for seed in SEEDS]
        self.documents = [
            source.data for seed in SEEDS if (source := read_mapping(seed, "seed", Report())) is not None
        ]

    def input(self) -> bytes:
        if self.chance.random() < 0.5:
            return self._bytes(self.chance.choice(self.texts))
        text = self._written(self._structure(deepcopy(self.chance.choice(self.documents))))
        return self._bytes(text) if self.chance.random() < 0.1 else text

    def _bytes(self, text: bytes) -> bytes:
        made = bytearray(text)
        for _ in range(self.chance.choice((1, 1, 1, 2, 3, 8))):
            self._change_bytes(made)
        return bytes(made)

    def _change_bytes(self, made: bytearray) -> None:
        at = self.chance.randint(0, len(made))
        end = min(len(made), at + self.chance.choice((1, 1, 4, 20, 200)))
        match self.chance.randrange(7):
            case 0 if at < len(made):
                made[at] ^= 1 << self.chance.randrange(8)
            case 1:
                made.insert(at, self.chance.randrange(256))
            case 2:
                del made[at:end]
            case 3:
                made[at:at] = made[at:end] * self.chance.choice((1, 2, 50))
            case 4:
                other = self.chance.choice(self.texts)
                start = self.chance.randint(0, len(other))
                made[at:end] = other[start : start + self.chance.choice((5, 50, 500))]
            case 5:
                del made[at:]
            case _:
                made[at:at] = self.chance.choice(TOKENS)

    def _structure(self, document: Any) -> Any:
        for _ in range(self.chance.choice((1, 1, 2, 3, 6))):
            places = _places(document)
            if not places:
                break
            holder, key = self.chance.choice(places)
            others = [item[key] for item, key in places] if len(places) < LARGEST else [1]
            self._change_place(holder, key, others)
        return document

    def _change_place(self, holder: Any, key: Any, others: list[Any]) -> None:
        """Changes what stands at a place, perhaps to something that stands elsewhere."""
        value = holder[key]
        match self.chance.randrange(7):
            case 0:
                holder[key] = deepcopy(self.chance.choice(ATOMS))
            case 1:
                holder[key] = deepcopy(self.chance.choice(others))
            case 2:
                holder[key] = {self.chance.choice(FUNCTIONS): value}
            case 3:
                holder[key] = {self.chance.choice(FUNCTIONS): [value, deepcopy(self.chance.choice(others))]}
            case 4:
                holder[key] = [value] * self.chance.choice((1, 2, 30) if len(others) > 1 else (1,))
            case 5 if isinstance(holder, dict):
                holder[self.chance.choice((*KEYS, *FUNCTIONS))] = holder.pop(key)
            case _:
                del holder[key]

    def _written(self, document: Any) -> bytes:
        if self.chance.random() < 0.5:
            return json.dumps(document, skipkeys=True).encode()
        return yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True).encode()


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every container of a document with each of its keys."""
    found: list[tuple[Any, Any]] = []
    stack = [document]
    while stack and len(found) < 5000:
        node = stack.pop()
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    return found


class Target:
    """What the inputs are fed to."""

    def __init__(self, resolve_every: int) -> None:
        self.world = offline_world()
        self.resolve_every = resolve_every

    def feed(self, text: bytes, number: int, figures: Figures) -> None:
        report = Report()
        source = read_mapping(text, "input", report)
        _show(report)
        if source is None:
            assert report.has_errors, "refused without a reason"
            figures.refused += 1
        elif number % self.resolve_every == 0:
            figures.resolved += 1
            self._resolve({"template": text, "files": FILES})
            self._resolve(
                {
                    "template": SERVER,
                    "files": {**FILES, "input": text},
                    "environment_files": ["env.yaml", "input"],
                }
            )

    def _resolve(self, request: dict[str, Any]) -> None:
        report = Report()
        definition = resolve_request(request, self.world, report)
        if definition is not None:
            json.dumps(resolved_view(definition, show_secrets=False), default=str, skipkeys=True)
            report.extend(lint(definition))
        _show(report)


def _show(report: Report) -> None:
    for diagnostic in report.sorted():
        json.dumps(diagnostic_to_json(diagnostic))


def run(inputs: int, seed: int, resolve_every: int) -> int:
    mutator = Mutator(random.Random(seed))
    target = Target(resolve_every)
    # What is imported or cached once should not count as the slowness of the first input.
    target.feed(SERVER.encode(), 0, Figures())
    figures = Figures()
    started = time.monotonic()
    signal.signal(signal.SIGVTALRM, _too_slow)
    for number in range(inputs):
        text = mutator.input()
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
        try:
            target.feed(text, number, figures)
        except (Exception, TooSlow):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            _print_reproducer(number, text)
            return 1
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        figures.inputs += 1
        taken = time.process_time() - begun
        if taken > figures.slowest:
            figures.slowest, figures.slowest_number = taken, number
    _print_figures(figures, time.monotonic() - started)
    return 0


def _too_slow(signum: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {SLOW} s")


def _print_reproducer(number: int, text: bytes) -> None:
    traceback.print_exc(limit=-8)
    with tempfile.NamedTemporaryFile(prefix="fuzz-", suffix=".yaml", delete=False) as kept:
        kept.write(text)
    print(
        f"\ninput {number} is the cause; it is kept in {kept.name} and starts with\n\n{text[:2000]!r}",
        flush=True,
    )


def _print_figures(figures: Figures, seconds: float) -> None:
    rows: list[tuple[str, Callable[[], str]]] = [
        ("inputs", lambda: f"{figures.inputs:,}"),
        ("refused by the reader", lambda: f"{figures.refused:,}"),
        ("resolved as template and environment", lambda: f"{figures.resolved:,}"),
        ("slowest", lambda: f"{figures.slowest * 1000:.0f} ms (input {figures.slowest_number})"),
        ("exceptions", lambda: "0"),
        ("time", lambda: f"{seconds:.0f} s"),
    ]
    for name, value in rows:
        print(f"{name:38}{value()}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzzes the reader and the resolver.")
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resolve-every", type=int, default=2, metavar="K")
    arguments = parser.parse_args()
    # An input that would fill the memory fails with an error of its own instead of taking the machine along.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return run(arguments.inputs, arguments.seed, arguments.resolve_every)


if __name__ == "__main__":
    sys.exit(main())
