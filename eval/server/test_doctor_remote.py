"""`echo-mcp doctor --remote`: each fault of a deployment is found, and says what to change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_mcp import state
from echo_mcp.__main__ import main
from echo_mcp.remote.examination import examine
from echo_mcp.remote.visitor import Visitor
from echo_memory.errors import BadRequest
from echo_memory.ops.health import Check
from olrapi import certificates
from server import process
from server.deployment import Deployment, Fault, Reply, Request, deployed

TOKEN = "a-token-of-forty-letters-or-a-few-more"
NOW = datetime(2026, 3, 14, tzinfo=UTC)
SOUND = Fault()
METADATA = "/.well-known/oauth-protected-resource/mcp"
SERVER_METADATA = "/.well-known/oauth-authorization-server"

Before = Callable[[Request], Reply | None]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home in which a server runs."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "vault").mkdir()
    words = ("--vault", str(folder / "vault"), "--state-dir", str(folder / "state"))
    with process.serving(folder, *words):
        yield folder


@pytest.fixture(scope="module")
def upstream(home: Path) -> str:
    """That server's endpoint."""
    return state.read_address(home / "state")


@pytest.fixture(scope="module")
def token(home: Path) -> str:
    """That server's token."""
    return state.read_token(home / "state/token")


def faults(checks: list[Check]) -> dict[str, str]:
    """What is wrong, and what to change, by the name of the check."""
    assert all(check.ok or check.fix for check in checks)
    return {check.check: f"{check.detail}. {check.fix}" for check in checks if not check.ok}


def test_a_sound_deployment_has_no_fault(upstream: str, token: str) -> None:
    with deployed(upstream, SOUND) as deployment:
        checks = examine(deployment.url, token, NOW)

    assert faults(checks) == {}
    assert [check.check for check in checks] == [
        "tls", "health", "in order", "redirects", "without a token", "sign-in", "token",
        "another token", "foreign host", "foreign origin", "hosted clients",
        "protocol 2025-11-25", "protocol 2026-07-28", "large requests", "too large requests",
        "latency", "latency",
    ]  # fmt: skip


def at(path: str, reply: Reply) -> Before:
    """Answer one path by oneself."""
    return lambda request: reply if request.path.partition("?")[0] == path else None


def without(*names: str) -> Before:
    """Lose headers on the way in."""

    def lose(request: Request) -> None:
        for name in names:
            request.headers.pop(name, None)

    return lose


def with_header(name: str, value: str) -> Before:
    """Set a header on the way in."""
    return lambda request: request.headers.update({name: value})


def challenge_lost(_: Request, reply: Reply) -> None:
    reply.headers.pop("www-authenticate", None)


def own_login(request: Request) -> Reply | None:
    if "authorization" in request.headers or request.path.startswith("/health"):
        return None
    return Reply(401, {"WWW-Authenticate": 'Basic realm="home"'})


def limited_to_1_mb(request: Request) -> Reply | None:
    return Reply(413) if len(request.body) > 1_000_000 else None


def origins_refused(request: Request) -> Reply | None:
    return Reply(403) if "origin" in request.headers else None


def degraded(request: Request, reply: Reply) -> None:
    if request.path == "/health?strict=1":
        told = {**json.loads(reply.body), "ok": False, "alerts": ["backup-old"]}
        reply.status, reply.body = 503, json.dumps(told).encode()


def query_lost(request: Request) -> Reply | None:
    return Reply(200, body=b"OK") if "?" in request.path else None


def any_token_taken(request: Request, reply: Reply) -> None:
    if reply.status == 401 and "authorization" in request.headers:
        reply.status, reply.body = 200, b'{"result": {}}'


def swallowed(request: Request, reply: Reply) -> None:
    """What a cache in front does that knows no bodies."""
    if b"tools/call" in request.body:
        reply.status = 500


@pytest.mark.parametrize(
    ("fault", "check", "says"),
    [
        (Fault(at("/mcp/", Reply(307, {"Location": "/mcp"}))), "redirects", "lose the body"),
        (Fault(at("/mcp", Reply(301, {"Location": "/mcp/"}))), "redirects", "POST /mcp is sent"),
        (
            Fault(at("/mcp", Reply(308, {"Location": "https://other.example/mcp"}))),
            "redirects",
            "under the name that it leads to",
        ),
        (Fault(at("/mcp", Reply(302))), "redirects", "to nowhere"),
        (Fault(at("/health", Reply(404))), "health", "forward /health"),
        (Fault(at("/health", Reply(200, body=b"<html>"))), "health", "not as this server does"),
        (Fault(after=degraded), "in order", "backup-old"),
        (Fault(query_lost), "in order", "pass the query on"),
        (Fault(at("/mcp", Reply(404))), "without a token", "forward /mcp, with this path"),
        (Fault(at("/mcp", Reply(502))), "without a token", "does not reach the server"),
        (Fault(at("/mcp", Reply(504))), "without a token", "time-outs"),
        (Fault(at("/mcp", Reply(429))), "without a token", "limits requests"),
        (Fault(at("/mcp", Reply(418))), "without a token", "418"),
        (
            Fault(at("/mcp", Reply(503, {"cf-mitigated": "challenge"}))),
            "without a token",
            "Cloudflare",
        ),
        (Fault(at("/mcp", Reply(200))), "without a token", "anyone gets in"),
        (Fault(after=challenge_lost), "without a token", "missing"),
        (Fault(own_login), "without a token", "login of its own"),
        (Fault(without("authorization")), "token", "pass the Authorization header"),
        (Fault(with_header("host", "another.example")), "token", "ECHO_MCP_HOSTS"),
        (Fault(after=any_token_taken), "another token", "must be refused"),
        (Fault(with_header("host", "localhost")), "foreign host", "pass the Host header"),
        (Fault(without("origin")), "foreign origin", "pass the Origin header"),
        (Fault(origins_refused), "hosted clients", "refuse none"),
        (Fault(without("mcp-method")), "protocol 2026-07-28", "headers that begin with MCP"),
        (Fault(limited_to_1_mb), "large requests", "client_max_body_size"),
        (Fault(after=swallowed), "latency", "5 failed"),
        (Fault(at(METADATA, Reply(401))), "sign-in", "forward /.well-known"),
        (Fault(at(METADATA, Reply(200, body=b"[]"))), "sign-in", "no metadata"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_fault_is_found_and_says_what_to_change(
    upstream: str, token: str, fault: Fault, check: str, says: str
) -> None:
    with deployed(upstream, fault) as deployment:
        found = faults(examine(deployment.url, token, NOW))

    assert says in found[check]


def test_a_proxy_that_adds_the_token_lets_anyone_in(upstream: str, token: str) -> None:
    fault = Fault(with_header("authorization", f"Bearer {token}"))
    with deployed(upstream, fault) as deployment:
        found = faults(examine(deployment.url, token, NOW))

    assert "anyone gets in" in found["without a token"]
    assert "token of its own" in found["another token"]


def test_a_request_larger_than_the_server_takes_is_not_let_through(
    upstream: str, token: str
) -> None:
    def cut(request: Request) -> None:
        request.body = request.body.strip()
        request.headers["content-length"] = str(len(request.body))

    with deployed(upstream, Fault(cut)) as deployment:
        found = faults(examine(deployment.url, token, NOW))

    assert "itself refuses it" in found["too large requests"]


def test_what_never_answers_is_given_up_on(upstream: str, token: str) -> None:
    over = Event()

    def wait(request: Request) -> None:
        if request.path == "/mcp":
            over.wait(30)

    with deployed(upstream, Fault(wait)) as deployment:
        found = faults(examine(deployment.url, token, NOW, patience=0.2))
        over.set()

    assert "no answer within 0.2 s" in found["without a token"]
    assert "time-outs" in found["token"]


def test_an_answer_without_end_is_given_up_on(upstream: str, token: str) -> None:
    endless = Fault(at("/health", Reply(200, body=b" " * 5_000_000)))
    with deployed(upstream, endless) as deployment:
        found = faults(examine(deployment.url, token, NOW))

    assert "does not end" in found["health"]


def test_where_nobody_listens_it_says_so_once(upstream: str, token: str) -> None:
    with deployed(upstream, SOUND) as deployment:
        url = deployment.url

    found = faults(examine(url, token, NOW))

    assert list(found) == ["reached"]
    assert found["reached"].startswith("no connection: Connection refused. Check the address")


def test_the_token_goes_nowhere_else_and_is_never_shown(upstream: str, token: str) -> None:
    def tell(_: Request, reply: Reply) -> None:
        reply.headers["www-authenticate"] = f"Digest {token}"

    with deployed(upstream, SOUND) as elsewhere:
        away = Fault(
            lambda request: (
                Reply(307, {"Location": f"{elsewhere.url}?{token}"})
                if "authorization" in request.headers or request.path == "/mcp/"
                else None
            ),
            tell,
        )
        with deployed(upstream, away) as deployment:
            checks = examine(deployment.url, token, NOW)

    assert elsewhere.seen == []
    assert {"redirects", "token", "without a token"} <= set(faults(checks))
    assert token not in str(checks)


@given(st.lists(st.sampled_from([TOKEN, TOKEN[:9], TOKEN[9:], "x", "\n", "\u200b", " "])))
@settings(max_examples=50, deadline=None)
def test_whatever_is_shown_of_an_answer_the_token_is_not_in_it(parts: list[str]) -> None:
    with closing(Visitor("http://127.0.0.1:1/mcp", TOKEN)) as visitor:
        shown = visitor.shown("".join(parts))

    assert TOKEN not in shown
    assert "\n" not in shown
    assert len(shown) <= 120


def test_a_foreign_host_that_is_somebody_else_does_not_get_the_token(
    upstream: str, token: str
) -> None:
    def other_site(request: Request) -> Reply | None:
        foreign = request.headers["host"].endswith(".invalid")
        return Reply(401, body=b"who are you") if foreign else None

    with deployed(upstream, Fault(other_site)) as deployment:
        examine(deployment.url, token, NOW)

    (request,) = [it for it in deployment.seen if it.headers["host"].endswith(".invalid")]
    assert "authorization" not in request.headers


def test_without_a_token_it_looks_at_what_needs_none(upstream: str) -> None:
    with deployed(upstream, SOUND) as deployment:
        checks = examine(deployment.url, "", NOW)

    assert faults(checks) == {}
    assert checks[-1].check == "token"
    assert "--token-file" in checks[-1].detail
    assert all("authorization" not in request.headers for request in deployment.seen)


@pytest.mark.parametrize(
    "url",
    [
        "", "notes.example.org/mcp", "ftp://notes.example.org/mcp", "https://", "https://[::1/mcp",
        "https://notes.example.org", "https://notes.example.org/", "https://a:b@c.example/mcp",
        "https://notes.example.org:x/mcp", "https://notes.example.org/mcp?token=x",
        "https://notes.example.org/mcp#x", f"https://{'a' * 64}.example/mcp",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str, token: str) -> None:
    with pytest.raises(BadRequest, match="not the address"):
        examine(url, token, NOW)


# The sign-in: its metadata, as a proxy that has them answers.


def metadata(deployment: Deployment, **changed: Any) -> Fault:
    """A deployment with a sign-in whose metadata fit together, but for what is changed."""
    origin = deployment.url.removesuffix("/mcp")
    resource = {"resource": deployment.url, "authorization_servers": [origin]}
    server = {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "registration_endpoint": f"{origin}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
    }
    pointer = changed.pop("pointer", f"{origin}{METADATA}")
    told: dict[str, dict[str, Any]] = {METADATA: resource, SERVER_METADATA: server}
    for document in told.values():
        document.update({name: it for name, it in changed.items() if name in document})

    def before(request: Request) -> Reply | None:
        if request.path not in told:
            return None
        return Reply(200, body=json.dumps(told[request.path]).encode())

    def after(_: Request, reply: Reply) -> None:
        if reply.status == 401:
            reply.headers["www-authenticate"] = f'Bearer resource_metadata="{pointer}"'

    return Fault(before, after)


def test_a_sign_in_whose_metadata_fit_together_has_no_fault(upstream: str, token: str) -> None:
    with deployed(upstream, SOUND) as deployment:
        deployment.fault = metadata(deployment)
        checks = examine(deployment.url, token, NOW)

    assert faults(checks) == {}
    assert "on; its metadata fit together" in {check.detail for check in checks}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"resource": "http://notes.example.org/mcp"}, "clients ask for"),
        ({"resource": None}, "`resource` is None"),
        ({"pointer": "https://notes.example.org/x"}, "points at https://notes.example.org/x"),
        ({"authorization_servers": []}, "names none"),
        ({"authorization_servers": "x"}, "names none"),
        ({"authorization_servers": ["https://notes.example.org"]}, "names https://notes.example"),
        ({"issuer": "https://notes.example.org/"}, "`issuer` is https://notes.example.org/"),
        ({"authorization_endpoint": "http://127.0.0.1/authorize"}, "`authorization_endpoint`"),
        ({"token_endpoint": 5}, "`token_endpoint` is 5"),
        ({"registration_endpoint": None}, "`registration_endpoint`"),
        ({"code_challenge_methods_supported": ["plain"]}, "lacks S256"),
        ({"response_types_supported": "code"}, "lacks code"),
        ({"token_endpoint_auth_methods_supported": ["client_secret_post"]}, "lacks none"),
    ],
)
def test_metadata_that_do_not_fit_together_are_told(
    upstream: str, changed: dict[str, Any], says: str
) -> None:
    with deployed(upstream, SOUND) as deployment:
        deployment.fault = metadata(deployment, **changed)
        found = faults(examine(deployment.url, "", NOW))

    assert list(found) == ["sign-in"]
    assert says in found["sign-in"]


def test_a_refusal_that_points_at_nothing_is_told(upstream: str) -> None:
    with deployed(upstream, SOUND) as deployment:
        sound = metadata(deployment)
        deployment.fault = Fault(after=sound.after)
        found = faults(examine(deployment.url, "", NOW))

    assert "there is nothing" in found["sign-in"]


def test_a_sign_in_without_metadata_of_its_server_is_told(upstream: str) -> None:
    with deployed(upstream, SOUND) as deployment:
        sound = metadata(deployment)
        deployment.fault = Fault(
            lambda request: None if request.path == SERVER_METADATA else sound.before(request),
            sound.after,
        )
        found = faults(examine(deployment.url, "", NOW))

    assert f"{SERVER_METADATA} answers 404" in found["sign-in"]


# TLS, with certificates of our own, which are trusted where the test says so.


def trusted(folder: Path, monkeypatch: pytest.MonkeyPatch, **how: Any) -> tuple[Path, Path]:
    """A certificate whose authority this process trusts."""
    authority = certificates.make(folder / "authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority[0]))
    return certificates.make(folder / "site", issuer=authority, **how)


def test_a_trusted_certificate_is_no_fault(
    upstream: str, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deployed(upstream, SOUND, trusted(tmp_path, monkeypatch)) as deployment:
        checks = examine(deployment.url, token, NOW)

    assert faults(checks) == {}
    assert checks[0].detail == "trusted until 2099-12-31"


def test_a_certificate_that_ends_soon_is_a_fault_before_it_does(
    upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deployed(upstream, SOUND, trusted(tmp_path, monkeypatch)) as deployment:
        found = faults(examine(deployment.url, "", datetime(2099, 12, 20, tzinfo=UTC)))

    assert list(found) == ["tls"]
    assert "renewal" in found["tls"]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"expired": True}, "Renew it"),
        ({"name": "DNS:notes.example.org"}, "the certificate of this name"),
    ],
)
def test_a_certificate_that_clients_refuse_is_told_and_no_token_is_sent(
    upstream: str,
    token: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: dict[str, Any],
    says: str,
) -> None:
    with deployed(upstream, SOUND, trusted(tmp_path, monkeypatch, **how)) as deployment:
        found = faults(examine(deployment.url, token, NOW))

    assert list(found) == ["tls"]
    assert says in found["tls"]
    assert deployment.seen == []


def test_a_certificate_that_signed_itself_is_told(upstream: str, tmp_path: Path) -> None:
    certificate = certificates.make(tmp_path / "own")
    with deployed(upstream, SOUND, certificate) as deployment:
        found = faults(examine(deployment.url, "", NOW))

    assert "public authority" in found["tls"]


def test_a_chain_without_its_middle_is_told(
    upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = trusted(tmp_path, monkeypatch)
    monkeypatch.delenv("SSL_CERT_FILE")
    with deployed(upstream, SOUND, certificate) as deployment:
        found = faults(examine(deployment.url, "", NOW))

    assert "fullchain.pem" in found["tls"]


def test_a_port_that_speaks_no_tls_is_told(upstream: str) -> None:
    found = faults(examine(upstream.replace("http:", "https:"), "", NOW))

    assert "speaks no TLS" in found["tls"]


def test_a_redirect_out_of_tls_is_told_as_what_it_is(
    upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out(request: Request) -> Reply | None:
        target = f"http://{request.headers['host']}/mcp"
        return Reply(307, {"Location": target}) if request.path == "/mcp/" else None

    with deployed(upstream, Fault(out), trusted(tmp_path, monkeypatch)) as deployment:
        found = faults(examine(deployment.url, "", NOW))

    assert "out of TLS" in found["redirects"]


# The command.


def test_the_command_ends_with_0_or_1_and_never_shows_the_token(
    upstream: str, token: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["doctor", "--token-file", str(home / "state/token"), "--remote"]
    with deployed(upstream, Fault(limited_to_1_mb)) as deployment:
        sound = main([*words, upstream], {})
        faulty = main([*words, deployment.url], {})
    printed = capsys.readouterr()

    assert (sound, faulty) == (0, 1)
    assert "Everything is in order." in printed.out
    assert "client_max_body_size" in printed.out
    assert token not in printed.out + printed.err


def test_the_command_takes_the_token_of_the_environment(
    upstream: str, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--remote", upstream], {"ECHO_MCP_TOKEN": token}) == 0
    assert "- token: ok, taken" in capsys.readouterr().out


def test_without_a_url_the_command_looks_at_this_machine(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state_dir = ["--state-dir", str(home / "state")]
    sound = main(["doctor", "--vault", str(home / "vault"), *state_dir], {})
    faulty = main(["doctor", "--vault", str(tmp_path / "gone"), "--state-dir", str(tmp_path)], {})
    printed = capsys.readouterr().out

    assert (sound, faulty) == (0, 1)
    assert "- marker: ok" in printed
    assert "- vault: FAULT" in printed
