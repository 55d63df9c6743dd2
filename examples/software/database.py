"""The guest book's database: entries in SQLite, for everyone who knows the password.

GET / returns all entries as JSON, newest first; POST / adds one: {"name": …, "text": …}.
"""

import hmac
import json
import os
import sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FILE = os.environ["DATABASE_FILE"]
PASSWORD = os.environ["PASSWORD"]
LONGEST = 10_000


def connect():
    connection = sqlite3.connect(FILE)
    connection.execute("CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, name TEXT, text TEXT)")
    return connection


class Database(BaseHTTPRequestHandler):
    def do_GET(self):
        if not self.authorized():
            return
        with connect() as connection:
            rows = connection.execute("SELECT name, text FROM entries ORDER BY id DESC").fetchall()
        self.answer(200, [{"name": name, "text": text} for name, text in rows])

    def do_POST(self):
        if not self.authorized():
            return
        length = int(self.headers["Content-Length"])
        if length > LONGEST:
            self.answer(413, {"error": "The entry is too long."})
            return
        entry = json.loads(self.rfile.read(length))
        with connect() as connection:
            connection.execute(
                "INSERT INTO entries (name, text) VALUES (?, ?)", (entry["name"], entry["text"])
            )
        self.answer(201, entry)

    def authorized(self):
        given = self.headers.get("Authorization", "").encode()
        if hmac.compare_digest(given, f"Bearer {PASSWORD}".encode()):
            return True
        self.answer(401, {"error": "The password is wrong."})
        return False

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


connect().close()
ThreadingHTTPServer(("", int(os.environ["PORT"])), Database).serve_forever()
