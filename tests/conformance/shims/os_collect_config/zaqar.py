import json

from os_collect_config.sources import collected, logging_in, made
from zaqarclient import transport as zaqar_transport
from zaqarclient.transport import request

from calor_guest.common import http


class Collector:
    def __init__(self, keystoneclient=None, zaqarclient=None, discover_class=None, transport=zaqar_transport):
        def send(method, url, headers=None, tls=None):
            endpoint, _, path = url.partition("v2/queues/")
            messages = zaqarclient.Client(endpoint, conf={}, version=2).queue(path.partition("/")[0]).pop()
            return http.Response(
                200, {}, json.dumps({"messages": [{"body": one.body} for one in messages]}).encode()
            )

        class WebSocket:
            """In the place of ours: one of the client of Zaqar."""

            def __init__(self, url, tls):
                self._url = url + "/"
                self._opened = transport.get_transport_for(self._url, options={})
                self._answers = []

            def __enter__(self):
                self._socket = self._opened.__enter__()
                return self

            def __exit__(self, *problem):
                self._opened.__exit__(*problem)

            def send(self, value):
                answer = self._socket.send(
                    request.Request(self._url, value["action"], content=json.dumps(value["body"]))
                )
                self._answers.append({"request": {}, "body": json.loads(answer.content)})

            def receive(self, seconds=0):
                return self._answers.pop() if self._answers else self._socket.recv()

        self.source = made(
            "zaqar",
            **{
                "common.http.send": send,
                "common.keystone.log_in": logging_in(keystoneclient),
                "collect.messages.WebSocket": WebSocket,
            },
        )

    def collect(self):
        return collected(self.source, "ZaqarMetadata")
