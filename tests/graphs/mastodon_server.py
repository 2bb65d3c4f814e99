"""A small server on loopback that speaks Mastodon's public REST API."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

RESET = "2030-01-01T00:05:00.000Z"


class World:
    """Accounts, whom they follow, what they post, and how the server misbehaves."""

    def __init__(self):
        self.accounts, self.following, self.statuses = {}, {}, {}
        self.requests = []
        self.failures = []
        self.remaining = None
        self.next_host = ""
        self.redirect = False
        self.robots, self.asked_for_rules = "", 0

    def add(self, name, following=(), posts=(), **said):
        number = str(len(self.accounts) + 1)
        self.accounts[name] = {"id": number, "acct": name, "note": "", "fields": [], **said}
        self.following[number] = list(following)
        self.statuses[number] = [
            post if isinstance(post, dict) else {"content": post, "visibility": "public"}
            for post in posts
        ]

    def by_id(self, number):
        return next((one for one in self.accounts.values() if one["id"] == number), None)


def handler_for(world):
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *words):
            pass

        def do_GET(self):
            if self.path == "/robots.txt":
                return self.robots()
            world.requests.append(self.path)
            if world.failures:
                status, headers = world.failures.pop(0)
                return self.answer(status, {}, headers)
            if world.redirect:
                return self.answer(302, {}, {"Location": "http://elsewhere.invalid/"})
            return self.route(urlsplit(self.path))

        def route(self, parts):
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            steps = parts.path.strip("/").split("/")[3:]
            if steps == ["lookup"]:
                return self.one(world.accounts.get(query["acct"]))
            account = world.by_id(steps[0])
            if account is None or len(steps) == 1:
                return self.one(account)
            if steps[1] == "following":
                known = [world.accounts[name] for name in world.following[steps[0]]]
                return self.page(parts, known, query)
            return self.page(parts, world.statuses[steps[0]], query)

        def robots(self):
            world.asked_for_rules += 1
            body = world.robots.encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def one(self, account):
            self.answer(404 if account is None else 200, account or {"error": "not found"}, {})

        def page(self, parts, items, query):
            start, limit = int(query.get("max_id", 0)), min(int(query["limit"]), 2)
            headers = {}
            if start + limit < len(items):
                rest = f"limit={query['limit']}&max_id={start + limit}"
                host = world.next_host or f"http://{self.headers['Host']}"
                headers["Link"] = f'<{host}{parts.path}?{rest}>; rel="next", <{host}/>; rel="prev"'
            self.answer(200, items[start : start + limit], headers)

        def answer(self, status, content, headers):
            body = json.dumps(content).encode()
            self.send_response(status)
            if world.remaining is not None and status == 200:
                world.remaining -= 1
                self.send_header("X-RateLimit-Remaining", str(max(0, world.remaining)))
                self.send_header("X-RateLimit-Reset", RESET)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


@contextmanager
def serving(world):
    """The address at which *world* answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(world))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
