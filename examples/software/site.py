"""The guest book's web site: shows the entries of the database, and adds those that visitors write."""

import html
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

TITLE = os.environ["TITLE"]
DATABASE = os.environ["DATABASE_URL"]
PASSWORD = os.environ["DATABASE_PASSWORD"]
LONGEST = 5_000

PAGE = """<!doctype html>
<title>{title}</title>
<h1>{title}</h1>
<form method="post">
  <input name="name" placeholder="Your name" required>
  <input name="text" placeholder="Your words" required>
  <button>Sign</button>
</form>
<ul>{entries}</ul>
"""


def ask_database(entry=None):
    request = urllib.request.Request(DATABASE, headers={"Authorization": f"Bearer {PASSWORD}"})
    if entry is not None:
        request.data = json.dumps(entry).encode()
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        entries = "".join(
            f"<li><b>{html.escape(entry['name'])}</b>: {html.escape(entry['text'])}</li>"
            for entry in ask_database()
        )
        body = PAGE.format(title=html.escape(TITLE), entries=entries).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        if length > LONGEST:
            self.send_error(413)
            return
        form = parse_qs(self.rfile.read(length).decode())
        ask_database({"name": form["name"][0], "text": form["text"][0]})
        self.send_response(303)
        self.send_header("Location", "/")
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ["PORT"])), Site).serve_forever()
