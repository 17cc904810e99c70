"""Who may call over HTTP: keys, access tokens, roles, and what belongs to whom."""

import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import tempfile
import threading

from harness import SANITIZER, Daemon, Skip, installed, main, run, same, wait_for
from mcp_wire import Session
from tokens import Issuer, Key

RESOURCE = "https://tools.example/mcp"
METADATA = "https://tools.example/.well-known/oauth-protected-resource/mcp"
PUBLIC = "/.well-known/oauth-protected-resource"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Caller:
    """The daemon as one who shows a token sees it."""

    def __init__(self, daemon, token):
        self.daemon, self.token = daemon, token
        self.address = daemon.address

    def http(self, method, path, body=None, headers=None, timeout=30):
        return self.daemon.http(method, path, body, {**bearer(self.token), **(headers or {})}, timeout)


@contextlib.contextmanager
def guarded(issuer=None, **more):
    """A daemon with OAuth: (daemon, issuer)."""
    issuer = issuer or Issuer(RESOURCE)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(temporary()))
        jwks = folder / "jwks.json"
        jwks.write_text(issuer.jwks())
        jwks.chmod(0o644)
        auth = {"resource": RESOURCE, "issuer": issuer.name, "jwks_file": str(jwks), **more.pop("auth", {})}
        d = stack.enter_context(Daemon(plugins=["echo"], config={"auth": auth, **more.pop("config", {})}, **more))
        d.jwks = jwks
        yield d, issuer


@contextlib.contextmanager
def temporary():
    with tempfile.TemporaryDirectory(prefix="toolhost-auth.") as folder:
        os.chmod(folder, 0o755)
        yield folder


def new_key(d, name, *args):
    """A key made by the command, and known to the daemon."""
    before = len(d.log_events("auth_reloaded"))
    status, key, said = run(installed("bin/toolhost"), "key", "new", name, "--config-dir", d.config_dir, *args)
    same((status, said), (0, ""))
    d.wait_log("auth_reloaded", after=before)
    return key.strip()


# ---- tokens

def test_what_the_daemon_says_of_itself():
    with guarded() as (d, issuer):
        for path in (PUBLIC, PUBLIC + "/mcp"):
            answer = d.http("GET", path)
            same((answer.status, answer.headers["content-type"]), (200, "application/json"))
            same({name: answer.json[name] for name in ("resource", "authorization_servers", "bearer_methods_supported")},
                 {"resource": RESOURCE, "authorization_servers": [issuer.name], "bearer_methods_supported": ["header"]})
        answer = d.mcp("tools/list")
        same(answer.status, 401)
        same(answer.headers["www-authenticate"], f'Bearer resource_metadata="{METADATA}", scope="toolhost:call"')
        same(d.http("GET", "/healthz").status, 200)
        for path in ("/", "/v1/tools", "/v1/plugins", "/metrics"):
            same(d.http("GET", path).status, 401, path)
        same(d.http("GET", f"/v1/tools?access_token={issuer.token()}").status, 401)


def test_good_tokens_of_every_algorithm():
    issuer = Issuer(RESOURCE, ("RS256", "PS256", "ES256", "EdDSA"))
    with guarded(issuer) as (d, _):
        for key in issuer.keys:
            token = issuer.token(key=key)
            for _ in range(2):
                outcome = d.call("echo", {"text": key.kind}, headers=bearer(token))
                assert outcome.ok and outcome.text == key.kind, outcome


def test_bad_tokens():
    issuer = Issuer(RESOURCE, ("ES256", "RS256"))
    stranger = Issuer(RESOURCE, ("ES256",))
    secret = issuer.keys[1].public()

    def as_hmac(text):
        return hmac.new(secret, text, hashlib.sha256).digest()

    wrong = {
        "another audience": issuer.token(aud="https://other.example/mcp"),
        "no audience": issuer.token(aud=None),
        "another issuer": issuer.token(iss="https://evil.example"),
        "expired": issuer.token(exp=1700000000),
        "without an end": issuer.token(exp=None),
        "not yet": issuer.token(nbf=4000000000),
        "nobody's": issuer.token(sub=None),
        "another's key": stranger.token(),
        "another kid": issuer.token(header={"kid": "RS256-1"}),
        "an unknown kid": issuer.token(header={"kid": "none"}),
        "no algorithm": issuer.token(header={"alg": "none"}, signature=lambda text: b""),
        "no algorithm, signed": issuer.token(header={"alg": "none"}),
        "the public key as secret": issuer.token(header={"alg": "HS256", "kid": "RS256-1"}, signature=as_hmac),
        "another algorithm": issuer.token(key=issuer.keys[1], header={"alg": "PS256"}),
        "crit": issuer.token(header={"crit": ["exp"]}),
    }
    with guarded(issuer) as (d, _):
        same(d.call("echo", {"text": "x"}, headers=bearer(issuer.token())).ok, True)
        for name, token in wrong.items():
            answer = d.mcp("tools/list", headers=bearer(token))
            same((name, answer.status, answer.error), (name, 401, "invalid_token"))
            assert 'error="invalid_token"' in answer.headers["www-authenticate"], answer.headers
            assert token.split(".")[1] not in str(answer.headers) + answer.body.decode(), name
        same(d.mcp("tools/list", headers={"Authorization": "Bearer a b"}).status, 400)
        for line in d.raw:
            assert not any(token in line for token in wrong.values()), line


def test_scopes_give_roles():
    with guarded(auth={"scopes": {"see": ["list"], "use": ["call"], "admin": ["manage"]}}) as (d, issuer):
        see, use, admin, none = (bearer(issuer.token(scope=s)) for s in ("see", "use", "admin", "email"))
        same(d.mcp("tools/list", headers=see).status, 200)
        answer = d.mcp("tools/call", {"name": "echo", "arguments": {"text": "x"}}, headers=see)
        same((answer.status, answer.error), (403, "insufficient_scope"))
        challenge = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge and 'scope="use"' in challenge, challenge
        assert f'resource_metadata="{METADATA}"' in challenge, challenge
        same(d.mcp("tools/list", headers=none).status, 403)
        same(d.call("echo", {"text": "x"}, headers=use).ok, True)
        call = ("POST", "/v1/tools/echo/call", {"arguments": {"text": "x"}})
        same([d.http(*call, headers=who).status for who in (see, use, admin)], [403, 200, 200])
        same([d.http("GET", "/metrics", headers=who).status for who in (use, admin)], [403, 200])
        same([d.http("POST", "/v1/reload", headers=who).status for who in (use, admin)], [403, 200])


def test_keys_of_the_issuer_change():
    with guarded() as (d, old):
        new = Issuer(RESOURCE)
        new.keys[0].kid = "next"
        part = d.jwks.with_name("part")
        part.write_text(new.jwks())
        part.chmod(0o644)
        part.rename(d.jwks)
        d.wait_log("auth_reloaded")
        same(d.mcp("tools/list", headers=bearer(old.token())).status, 401)
        same(d.mcp("tools/list", headers=bearer(new.token())).status, 200)
        d.jwks.write_text("{")
        d.wait_log("auth_reload_failed")
        same(d.mcp("tools/list", headers=bearer(new.token(sub="bob"))).status, 200)


# ---- what belongs to whom

def test_a_session_is_its_principals():
    with guarded() as (d, issuer):
        alice, bob = Caller(d, issuer.token("alice")), Caller(d, issuer.token("bob"))
        session = Session(alice)
        same(session.ask("ping")["result"], {})
        stolen = session.headers()
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        same(bob.http("POST", "/mcp", ping, stolen).status, 404)
        same(bob.http("GET", "/mcp", None, {**stolen, "Accept": "text/event-stream"}).status, 404)
        same(bob.http("DELETE", "/mcp", None, stolen).status, 404)
        same(d.http("DELETE", "/mcp", None, stolen).status, 401)
        session.daemon = Caller(d, issuer.token("alice", jti="refreshed"))  # another token of the same principal
        same(session.ask("ping")["result"], {})
        session.daemon = Caller(d, issuer.token("alice", scope="toolhost:list"))
        call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
        same(session.post(call).status, 403)
        same(alice.http("DELETE", "/mcp", None, stolen).status, 204)


# ---- keys

def toolhost(d, *words, **more):
    return run(installed("bin/toolhost"), *words, **more)


def test_keys():
    with Daemon(plugins=["echo"], config={"auth": {"required": True}}) as d:
        same(d.mcp("tools/list").headers["www-authenticate"], 'Bearer realm="toolhost"')
        key = new_key(d, "ci", "--role", "call", "--tenant", "acme")
        admin = new_key(d, "boss", "--role", "manage")
        assert re.fullmatch(r"thk_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", key), key
        text = (d.config_dir / "keys").read_text()
        assert key not in text and key.split("_", 2)[2] not in text
        same((d.config_dir / "keys").stat().st_mode & 0o777, 0o600)
        same(d.call("echo", {"text": "x"}, headers=bearer(key)).ok, True)
        same([d.http("POST", "/v1/reload", headers=bearer(k)).status for k in (key, admin)], [403, 200])
        same(d.mcp("tools/list", headers=bearer(key[:-1] + ("A" if key[-1] != "A" else "B"))).status, 401)
        status, listed, _ = toolhost(d, "key", "list", "--config-dir", d.config_dir, "--json")
        same([(k["name"], k["tenant"], k["roles"]) for k in json.loads(listed)["keys"]],
             [("ci", "acme", ["call"]), ("boss", "default", ["manage"])])
        before = len(d.log_events("auth_reloaded"))
        same(toolhost(d, "key", "revoke", "ci", "--config-dir", d.config_dir)[0], 0)
        d.wait_log("auth_reloaded", after=before)
        same(d.mcp("tools/list", headers=bearer(key)).status, 401)
        same(d.mcp("tools/list", headers=bearer(admin)).status, 200)
        same(toolhost(d, "key", "revoke", "ci", "--config-dir", d.config_dir)[2],
             'toolhost: key: there is no key with the id or name "ci"\n')


def test_the_command_shows_a_key():
    with Daemon(plugins=["echo"], config={"auth": {"required": True}}) as d:
        file = d.dir / "my.key"
        file.write_text(new_key(d, "me") + "\n")
        file.chmod(0o600)
        url = ("--url", f"http://{d.address}")
        same(toolhost(d, "list", "--names", *url)[0] != 0, True)
        same(toolhost(d, "list", "--names", *url, "--key", file)[:2], (0, "echo\n"))
        same(toolhost(d, "list", "--names", *url, env={**os.environ, "TOOLHOST_KEY_FILE": str(file)})[:2], (0, "echo\n"))
        file.chmod(0o644)
        assert "its owner alone may use" in toolhost(d, "list", *url, "--key", file)[2]
        same(toolhost(d, "list", "--names", "--socket", d.socket)[:2], (0, "echo\n"))  # known by its uid


def test_other_addresses():
    with Daemon(plugins=["echo"], args=["--listen", "0.0.0.0:0"], check=False) as d:
        same(d.process.wait(15) != 0, True)
        wait_for(lambda: any("without keys (toolhost key new) or OAuth" in line for line in d.raw), 5, "the refusal")
    with guarded(args=["--listen", "0.0.0.0:0"]) as (d, issuer):
        address = d.wait_log("listening", lambda e: str(e["address"]).startswith("0.0.0.0"))["address"]
        connection = http.client.HTTPConnection("127.0.0.1", int(address.rsplit(":", 1)[1]), timeout=10)
        with contextlib.closing(connection):
            for headers, status in (({}, 401), (bearer(issuer.token()), 200), ({"Host": "evil.example"}, 403),
                                    ({**bearer(issuer.token()), "Host": "tools.example"}, 200)):
                connection.request("GET", "/v1/tools", headers=headers)
                response = connection.getresponse()
                response.read()
                same(response.status, status, headers)


# ---- what nobody else gets to see

def readable_memory(pid):
    """What can be read of a process's memory, one mapping at a time."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            begin, end = (int(n, 16) for n in line.split()[0].split("-"))
            if line.split()[1].startswith("r") and "[v" not in line:
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    memory.seek(begin)
                    yield memory.read(end - begin)


def test_a_token_stays_in_the_daemon():
    if os.geteuid() != 0:
        raise Skip("only root may look into the workers' memory")
    if SANITIZER != "no":
        raise Skip("a sanitizer maps terabytes, too much to look into")
    with guarded(config={"log_level": "debug"}) as (d, issuer):
        token = issuer.token(scope="toolhost:manage")
        secret = token.rsplit(".", 1)[1].encode()
        for _ in range(3):
            same(d.call("echo", {"text": "what is mine"}, headers=bearer(token)).ok, True)
        same(d.http("POST", "/v1/tools/echo/call", {"arguments": {"text": "x"}}, bearer(token)).status, 200)
        looked = 0
        for pid in d.workers():
            for part in readable_memory(pid):
                assert secret not in part, "a worker has the token"
                looked += len(part)
            assert secret not in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            assert secret not in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
        assert looked > 100000, looked
        assert any(secret in part for part in readable_memory(d.pid)), "the look itself finds nothing"
        assert secret not in d.http("GET", "/metrics", headers=bearer(token)).body
        d.signal(signal.SIGHUP)
        d.wait_log("reloaded")
        assert not any(secret.decode() in line for line in d.raw), "the token is in the log"


# ---- keys that the issuer publishes

class Publisher(http.server.ThreadingHTTPServer):
    """Where an issuer publishes its keys: `answer` is (status, body), `asked` how often it was asked."""

    daemon_threads = True

    def __init__(self, issuer):
        publisher = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                publisher.asked += 1
                status, body = publisher.answer
                self.send_response(status)
                self.send_header("Content-Type", "application/jwk-set+json")
                self.send_header("Cache-Control", "max-age=3600")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.asked = (200, issuer.jwks()), 0
        self.auth = {"resource": RESOURCE, "issuer": issuer.name, "jwks_refresh": "1s",
                     "jwks_url": f"http://127.0.0.1:{self.server_address[1]}/jwks"}
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def status_of(d, token):
    return d.http("GET", "/v1/tools", headers=bearer(token)).status


def test_keys_from_where_the_issuer_publishes_them():
    issuer = Issuer(RESOURCE)
    with Publisher(issuer) as publisher, Daemon(plugins=["echo"], config={"auth": publisher.auth}) as d:
        d.wait_log("jwks_loaded")
        same(status_of(d, issuer.token()), 200)
        same(publisher.asked, 1)
        old, issuer.keys = issuer.keys[0], [Key("ES256", "new")]
        publisher.answer = (200, issuer.jwks())
        wait_for(lambda: status_of(d, issuer.token()) == 200, what="a token of the new key")
        same(status_of(d, issuer.token(key=old)), 401)
        assert 2 <= publisher.asked <= 3, publisher.asked


def test_keys_that_can_not_be_fetched_stay():
    issuer, stranger = Issuer(RESOURCE), Issuer(RESOURCE)
    with Publisher(issuer) as publisher, Daemon(plugins=["echo"], config={"auth": publisher.auth}) as d:
        d.wait_log("jwks_loaded")
        token = issuer.token()
        same(status_of(d, token), 200)
        publisher.answer = (200, "<html>")
        unknown = issuer.token(key=Key("ES256", "unknown"))
        wait_for(lambda: status_of(d, unknown) in (401, 503) and d.log_events("jwks_failed"), what="a failure")
        failed = d.log_events("jwks_failed")[0]
        same((failed["kept"], failed["url"]), ("yes", publisher.auth["jwks_url"]))
        same((status_of(d, token), status_of(d, issuer.token())), (200, 200))
        publisher.answer = (200, stranger.jwks().replace("ES256-0", "unknown"))
        wait_for(lambda: len(d.log_events("jwks_loaded")) == 2, what="keys that can be read")


def test_without_keys_nobody_gets_in_and_hears_when_to_come_again():
    issuer = Issuer(RESOURCE)
    with Publisher(issuer) as publisher:
        publisher.answer = (500, "later")
        with Daemon(plugins=["echo"], config={"auth": publisher.auth}) as d:
            d.wait_log("jwks_failed")
            answer = d.http("GET", "/v1/tools", headers=bearer(issuer.token()))
            same((answer.status, answer.error, answer.headers["retry-after"]), (503, "keys_unavailable", "1"))
            same(d.http("GET", "/v1/tools").status, 401)
            publisher.answer = (200, issuer.jwks())
            d.wait_log("jwks_loaded")
            same(status_of(d, issuer.token()), 200)


def test_where_keys_may_not_come_from():
    for auth, why in (({"jwks_url": "http://keys.example/jwks"}, "jwks_url: expected an https:// URI"),
                      ({"jwks_url": "https://keys.example/jwks", "jwks_file": "/etc/jwks"}, "either it or jwks_file"),
                      ({}, "jwks_url: expected either it or jwks_file")):
        with temporary() as folder:
            file = pathlib.Path(folder, "toolhostd.json")
            file.write_text(json.dumps({"auth": {"resource": RESOURCE, "issuer": "https://as.example", **auth}}))
            status, _, said = run(installed("sbin/toolhostd"), "--check", "--config", str(file), "--config-dir", folder)
            assert status != 0 and why in said, (auth, status, said)


if __name__ == "__main__":
    main()
