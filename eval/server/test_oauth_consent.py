"""The consent page: who gets to see it, what it says, and where an answer may go."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_mcp.app import create_app
from echo_mcp.oauth import redirects
from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from server.signing_in import (
    CALLBACK,
    CLAUDE,
    CLAUDE_CALLBACK,
    CLAUDE_CODE,
    Visitor,
    listening,
    parameters,
)

LOOPBACK = "http://127.0.0.1:5000/callback"


def test_the_page_names_the_client_where_it_leads_and_what_is_given(visitor: Visitor) -> None:
    page = visitor.ask(visitor.register(name="Notebook"))

    assert page.status_code == 200
    for words in (
        "A client that calls itself “Notebook”",
        "<dd>client.example</dd>",
        "<dd>https://notes.example.org/mcp</dd>",
        "reading and changing all notes",
        "Go on only if you pressed",
    ):
        assert words in page.text
    assert "script" not in page.text.lower()
    assert visitor.token not in page.text


def test_the_page_may_load_nothing_and_be_shown_in_nothing(visitor: Visitor) -> None:
    page = visitor.ask(visitor.register())
    policy = dict(
        part.strip().partition(" ")[::2]
        for part in page.headers["content-security-policy"].split(";")
    )

    assert policy.pop("style-src").startswith("'sha256-")
    assert policy == {
        "default-src": "'none'",
        "form-action": "'self' https://client.example",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"
    assert "set-cookie" not in page.headers


def test_a_known_client_is_called_by_its_name(visitor: Visitor) -> None:
    claude = visitor.ask(CLAUDE, redirect_uri=CLAUDE_CALLBACK).text
    code = visitor.ask(CLAUDE_CODE, redirect_uri="http://localhost:51234/callback").text

    assert "<h1>Claude asks for your memory</h1>" in claude
    assert "<dd>claude.ai</dd>" in claude
    assert "<h1>Claude Code asks for your memory</h1>" in code
    assert "<dd>localhost:51234 (a program on your own machine)</dd>" in code


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "a\u202eb\u0007c\nd" * 40, "", '"><form action=//evil>']
)
def test_a_name_is_text_on_one_line_whatever_it_says(visitor: Visitor, name: str) -> None:
    page = visitor.ask(visitor.register(name=name)).text
    shown = re.search("<h1>(.*)</h1>", page)

    assert shown is not None
    assert len(shown[1]) < 150
    assert not re.search("[<>\u202e\u0007]", shown[1])
    assert page.count("<form") == 1


def test_allowing_sends_back_a_code_the_state_and_who_answers(visitor: Visitor) -> None:
    answer = visitor.press(visitor.ask(visitor.register()))
    said = parameters(answer)

    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{CALLBACK}?code=")
    assert said.pop("code")
    assert said == {"state": "a state & more", "iss": "https://notes.example.org"}
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_without_a_state_none_is_sent_back(visitor: Visitor) -> None:
    answer = visitor.press(visitor.ask(visitor.register(), state=None))

    assert set(parameters(answer)) == {"code", "iss"}


def test_parameters_of_the_redirect_uri_stay(visitor: Visitor) -> None:
    uri = "https://client.example/callback?tenant=a&x=%20"
    answer = visitor.press(visitor.ask(visitor.register(uri), redirect_uri=uri))

    assert answer.headers["location"].startswith(f"{uri}&code=")


def test_denying_needs_no_token_and_says_so(visitor: Visitor) -> None:
    answer = visitor.press(visitor.ask(visitor.register()), answer="deny", token="")
    said = parameters(answer)

    assert answer.status_code == 303
    assert (said["error"], said["state"]) == ("access_denied", "a state & more")
    assert "code" not in said


@pytest.mark.parametrize("token", ["", "wrong", "a-token-that-is-long-enough-for-anyonf", "ä" * 40])
def test_a_wrong_token_shows_the_page_again_and_the_right_one_still_works(
    visitor: Visitor, token: str
) -> None:
    page = visitor.ask(visitor.register())
    wrong = visitor.press(page, token=token)

    assert wrong.status_code == 403
    assert "not the server’s token" in wrong.text
    assert not token or token not in wrong.text
    assert visitor.press(wrong, token=f" {visitor.token}\r\n").status_code == 303


def test_what_is_not_allow_is_no_consent(visitor: Visitor) -> None:
    page = visitor.ask(visitor.register())

    for answer in ("", "ALLOW", "yes"):
        assert "code" not in parameters(visitor.press(page, answer=answer))


def test_a_page_that_was_open_for_ten_minutes_is_of_no_use(
    visitor: Visitor, memory: Memory
) -> None:
    page = visitor.ask(visitor.register())
    later = memory.clock() + timedelta(minutes=10)
    memory.clock = lambda: later
    answer = visitor.press(page)

    assert (answer.status_code, "open for too long" in answer.text) == (400, True)


def test_a_form_that_this_server_did_not_make_is_refused(visitor: Visitor) -> None:
    page = visitor.ask(visitor.register())
    elsewhere = {"Origin": "https://client.example"}
    sealed = re.search(r'name="request" value="([^"]+)"', page.text)
    assert sealed is not None
    form = {"request": sealed[1], "token": visitor.token, "answer": "allow"}

    assert visitor.press(page, request="x.y").status_code == 400
    assert visitor.press(page, request=visitor.register()).status_code == 400
    assert visitor.http.post("/authorize", data=form, headers=elsewhere).status_code == 403
    null = {"Origin": "null"}
    assert visitor.http.post("/authorize", data=form, headers=null).status_code == 403
    other = {"Host": "localhost"}
    assert visitor.http.post("/authorize", data=form, headers=other).status_code == 400
    ours = {"Origin": "https://notes.example.org"}
    assert visitor.http.post("/authorize", data=form, headers=ours).status_code == 303


@pytest.mark.parametrize(
    ("registered", "nearly"),
    [
        (CALLBACK, f"{CALLBACK}/"),
        (CALLBACK, f"{CALLBACK}?x=1"),
        (CALLBACK, f"{CALLBACK}#x"),
        (CALLBACK, "https://client.example/Callback"),
        (CALLBACK, "https://CLIENT.example/callback"),
        (CALLBACK, "https://client.example:443/callback"),
        (CALLBACK, "https://client.example./callback"),
        (CALLBACK, "https://client.example/./callback"),
        (CALLBACK, "https://client.example/x/../callback"),
        (CALLBACK, "https://client.example/%63allback"),
        (CALLBACK, "http://client.example/callback"),
        (CALLBACK, "https://client.example.evil.example/callback"),
        (CALLBACK, "https://client.example@evil.example/callback"),
        (CALLBACK, "https://evil.example/callback"),
        (CALLBACK, "https://evil.example\\@client.example/callback"),
        (CALLBACK, "//client.example/callback"),
        (CALLBACK, "javascript:alert(1)"),
        (CALLBACK, f" {CALLBACK}"),
        (CALLBACK, f"{CALLBACK}\n"),
        (CALLBACK, f"{CALLBACK}\r\nX-Evil: 1"),
        (CALLBACK, ""),
        (LOOPBACK, "http://127.0.0.1:5000/callback/"),
        (LOOPBACK, "http://localhost:5000/callback"),
        (LOOPBACK, "http://127.0.0.2:5000/callback"),
        (LOOPBACK, "http://127.0.0.1.evil.example:5000/callback"),
        (LOOPBACK, "http://127.0.0.1:5000@evil.example/callback"),
        (LOOPBACK, "http://127.0.0.1:5000/callback?x"),
        (LOOPBACK, "http://127.0.0.1:05000/callback"),
        (LOOPBACK, "http://127.0.0.1:/callback"),
        (LOOPBACK, "https://127.0.0.1:5000/callback"),
    ],
)
def test_a_redirect_uri_that_nearly_matches_does_not(registered: str, nearly: str) -> None:
    assert redirects.is_same(registered, registered)
    assert not redirects.is_same(registered, nearly)


@pytest.mark.parametrize("port", ["", ":1", ":65535"])
def test_on_the_loopback_any_port_is_the_same(port: str) -> None:
    assert redirects.is_same(LOOPBACK, f"http://127.0.0.1{port}/callback")


def test_who_is_not_known_or_wants_to_go_elsewhere_gets_a_page_that_leads_nowhere(
    visitor: Visitor,
) -> None:
    client = visitor.register()
    cases: list[tuple[str, dict[str, str | None]]] = [
        (client, {"redirect_uri": "https://evil.example/callback"}),
        (client, {"redirect_uri": None}),
        (client, {"redirect_uri": f"{CALLBACK}/"}),
        ("somebody", {}),
        ("https://evil.example/client.json", {}),
        (f"{CLAUDE}/", {"redirect_uri": CLAUDE_CALLBACK}),
        (CLAUDE, {"redirect_uri": "https://claude.ai.evil.example/api/mcp/auth_callback"}),
        (CLAUDE_CODE, {"redirect_uri": "http://localhost:1/callback/../x"}),
        (client, {"state": "x" * 5_000}),
        (client, {"access_token": visitor.token}),
        (client, {"token": visitor.token}),
    ]

    for client_id, changed in cases:
        answer = visitor.ask(client_id, **changed)
        assert answer.status_code == 400, changed
        assert "location" not in answer.headers, changed
        assert "<form" not in answer.text, changed
        assert "evil" not in answer.text, changed
        assert visitor.token not in answer.text
        assert "form-action 'none'" in answer.headers["content-security-policy"]


ODD: list[tuple[dict[str, str | None], str]] = [
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": None}, "unsupported_response_type"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge": "x"}, "invalid_request"),
    ({"code_challenge": "é" * 43}, "invalid_request"),
    ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ({"resource": "https://notes.example.org/mcp#x"}, "invalid_target"),
    ({"resource": "https://notes.example.org"}, "invalid_target"),
]


def test_a_known_client_is_told_what_was_wrong_and_a_registered_one_gets_no_redirect(
    visitor: Visitor,
) -> None:
    client = visitor.register()

    for changed, error in ODD:
        told = visitor.ask(CLAUDE, **{"redirect_uri": CLAUDE_CALLBACK, **changed})
        shown = visitor.ask(client, **changed)
        assert told.headers["location"].startswith(f"{CLAUDE_CALLBACK}?"), changed
        said = parameters(told)
        assert (said["error"], said["state"]) == (error, "a state & more"), changed
        assert said["iss"] == "https://notes.example.org"
        assert (shown.status_code, "location" in shown.headers) == (400, False), changed


def test_a_parameter_that_is_there_twice_is_refused(visitor: Visitor) -> None:
    client = visitor.register()
    query = str(visitor.ask(client).request.url.query, "ascii")

    for name, value in parse_qsl(query):
        again = visitor.http.get(f"/authorize?{query}", params=[*parse_qsl(query), (name, value)])
        assert (again.status_code, "<form" in again.text) == (400, False), name


@pytest.mark.parametrize("resource", ["https://notes.example.org/mcp/", None])
def test_a_resource_may_be_missing_or_have_a_slash_more(
    visitor: Visitor, resource: str | None
) -> None:
    client = visitor.register()
    answer = visitor.press(visitor.ask(client, resource=resource))
    tokens = visitor.exchange(client, parameters(answer)["code"], resource=resource).json()

    assert visitor.call(tokens["access_token"]) == 200


def test_under_a_name_that_is_not_ours_there_is_nothing(visitor: Visitor) -> None:
    client = visitor.register()
    asked = visitor.ask(client).request.url

    for host in (
        "evil.example",
        "notes.example.org.evil.example",
        "",
        "a b",
        "notes.example.org@x",
    ):
        answer = visitor.http.get(asked, headers={"Host": host})
        assert answer.status_code in (400, 421), host
        assert "<form" not in answer.text
    for path in ("/token", "/register", "/revoke", "/authorize"):
        answer = visitor.http.post(path, json={}, headers={"Host": "evil.example"})
        assert answer.status_code == 421


def test_the_host_that_a_proxy_names_beside_is_not_taken(visitor: Visitor) -> None:
    forwarded = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    found = visitor.http.get("/.well-known/oauth-authorization-server", headers=forwarded)

    assert found.json()["issuer"] == "https://notes.example.org"


def test_a_port_of_a_public_name_is_part_of_it(settings: Settings, memory: Memory) -> None:
    on = replace(settings, oauth=True, hosts=("notes.example.org",))
    with listening(create_app(on, memory)) as url:
        headers = {"Host": "Notes.Example.org:8443"}
        found = httpx.get(f"{url}/.well-known/oauth-protected-resource/mcp", headers=headers)

    assert found.json()["resource"] == "https://notes.example.org:8443/mcp"


@given(st.text(alphabet="https:/lo.calh@#?\\[]127 %\n", max_size=40))
def test_what_may_be_registered_is_an_absolute_url_with_nothing_hidden_in_it(text: str) -> None:
    for uri in (text, f"https://{text}", f"http://{text}", f"https://client.example/{text}"):
        if redirects.is_allowed(uri):
            parts = urlsplit(uri)
            assert parts.username is None
            assert not parts.fragment
            assert uri.isprintable()
            assert " " not in uri
            assert f"{parts.scheme}://{parts.netloc}" == redirects.origin(uri)
            assert parts.scheme == "https" or redirects.is_loopback(uri)
