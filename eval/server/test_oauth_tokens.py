"""Codes and tokens: what each is good for, once, for how long, and what a thief gets from one."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from echo_mcp.__main__ import main
from echo_mcp.app import create_app
from echo_mcp.oauth.grants import FOLDER, MOST, Grants
from echo_mcp.settings import Settings
from echo_memory.errors import VaultIO
from echo_memory.memory import Memory
from folders import snapshot
from server.signing_in import CALLBACK, CLAUDE, CLAUDE_CALLBACK, Visitor, listening, parameters

OTHER_VERIFIER = "another-verifier-that-is-long-enough-to-be-one"


@pytest.fixture
def later(memory: Memory) -> Callable[[float], None]:
    """Lets time go on, in seconds."""

    def go_on(seconds: float) -> None:
        instant = memory.clock() + timedelta(seconds=seconds)
        memory.clock = lambda: instant

    return go_on


def test_an_access_token_calls_tools_and_is_good_for_nothing_else(visitor: Visitor) -> None:
    tokens = visitor.signed_in(visitor.register())
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}

    assert visitor.call(tokens["access_token"]) == 200
    assert visitor.call(visitor.token) == 200
    assert visitor.http.get("/nothing", headers=headers).status_code == 404
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)
    page = visitor.ask(visitor.register())
    assert visitor.press(page, token=tokens["access_token"]).status_code == 403


def test_nothing_else_that_is_sealed_is_an_access_token(visitor: Visitor) -> None:
    client = visitor.register()
    page = visitor.ask(client)
    code = visitor.code(client)
    request = page.text.split('name="request" value="')[1].split('"')[0]
    refresh = visitor.exchange(client, code).json()["refresh_token"]

    assert [visitor.call(sealed) for sealed in (client, request, code, refresh)] == [401] * 4


def test_a_token_with_one_letter_changed_is_none(visitor: Visitor) -> None:
    access = visitor.signed_in(visitor.register())["access_token"]
    body, _, mark = access.partition(".")
    content = json.loads(base64.urlsafe_b64decode(body + "=="))
    longer = base64.urlsafe_b64encode(json.dumps({**content, "until": 9e12}).encode()).decode()

    assert visitor.call(f"{body}.{mark[:-1]}") == 401
    assert visitor.call(f"{body}.{mark}A") == 401
    assert visitor.call(f"{body}.") == 401
    assert visitor.call(f"{longer.rstrip('=')}.{mark}") == 401


def test_a_code_needs_all_that_it_was_made_for_and_stays_good_for_its_client(
    visitor: Visitor,
) -> None:
    table: list[tuple[dict[str, str | None], str]] = [
        ({"code_verifier": OTHER_VERIFIER}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_grant"),
        ({"redirect_uri": f"{CALLBACK}/"}, "invalid_grant"),
        ({"redirect_uri": None}, "invalid_grant"),
        ({"client_id": CLAUDE}, "invalid_grant"),
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "somebody"}, "invalid_client"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"code": "x"}, "invalid_grant"),
        ({"code": None}, "invalid_grant"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": None}, "unsupported_grant_type"),
    ]
    client = visitor.register()
    code = visitor.code(client)

    for changed, error in table:
        refused = visitor.exchange(client, code, **changed)
        assert refused.json()["error"] == error, changed
        assert refused.status_code == (401 if error == "invalid_client" else 400), changed
        assert refused.headers["cache-control"] == "no-store", changed
    assert visitor.exchange(client, code).status_code == 200


def test_a_code_that_is_shown_again_ends_what_it_gave(visitor: Visitor) -> None:
    client = visitor.register()
    code = visitor.code(client)
    tokens = visitor.exchange(client, code).json()

    again = visitor.exchange(client, code, code_verifier=OTHER_VERIFIER)

    assert again.json()["error"] == "invalid_grant"
    assert visitor.call(tokens["access_token"]) == 401
    assert visitor.refresh(client, tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert visitor.exchange(client, code).json()["error"] == "invalid_grant"


def test_a_code_lasts_for_a_minute(visitor: Visitor, later: Callable[[float], None]) -> None:
    client = visitor.register()
    codes = visitor.code(client), visitor.code(client)
    later(59)
    in_time = visitor.exchange(client, codes[0]).status_code
    later(1)
    late = visitor.exchange(client, codes[1]).json()

    assert (in_time, late["error"]) == (200, "invalid_grant")


def test_an_access_token_lasts_for_an_hour_and_is_renewed(
    visitor: Visitor, later: Callable[[float], None]
) -> None:
    client = visitor.register()
    tokens = visitor.signed_in(client)
    later(3599)
    in_time = visitor.call(tokens["access_token"])
    later(1)
    late = visitor.call(tokens["access_token"])
    renewed = visitor.refresh(client, tokens["refresh_token"]).json()

    assert (in_time, late) == (200, 401)
    assert visitor.call(renewed["access_token"]) == 200


def test_a_grant_that_is_not_used_for_ninety_days_is_over(
    visitor: Visitor, later: Callable[[float], None]
) -> None:
    client = visitor.register()
    tokens = visitor.signed_in(client)
    later(89 * 86_400)
    renewed = visitor.refresh(client, tokens["refresh_token"]).json()
    later(90 * 86_400)
    late = visitor.refresh(client, renewed["refresh_token"])

    assert late.json()["error"] == "invalid_grant"


def test_a_refresh_token_is_good_once_and_ends_its_grant_when_it_is_shown_again(
    visitor: Visitor,
) -> None:
    client = visitor.register()
    first = visitor.signed_in(client)
    second = visitor.refresh(client, first["refresh_token"]).json()
    third = visitor.refresh(client, second["refresh_token"]).json()
    assert visitor.call(third["access_token"]) == 200

    replayed = visitor.refresh(client, first["refresh_token"])

    assert replayed.json()["error"] == "invalid_grant"
    assert visitor.call(third["access_token"]) == 401
    assert visitor.refresh(client, third["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_of_others_gives_nothing_and_ends_nothing(visitor: Visitor) -> None:
    table = [
        ({"client_id": CLAUDE}, "invalid_grant"),
        ({"client_id": ""}, "invalid_client"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"refresh_token": "x.y"}, "invalid_grant"),
    ]
    client = visitor.register()
    token = visitor.signed_in(client)["refresh_token"]

    for changed, error in table:
        assert visitor.refresh(client, token, **changed).json()["error"] == error, changed
    assert visitor.refresh(client, token).status_code == 200


def test_of_many_that_refresh_at_once_one_gets_tokens_and_the_grant_ends(
    visitor: Visitor,
) -> None:
    client = visitor.register()
    token = visitor.signed_in(client)["refresh_token"]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: visitor.refresh(client, token), range(8)))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 400: 7}
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    assert visitor.refresh(client, won["refresh_token"]).json()["error"] == "invalid_grant"


def test_of_many_that_show_one_code_at_once_one_gets_tokens(visitor: Visitor) -> None:
    client = visitor.register()
    code = visitor.code(client)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: visitor.exchange(client, code), range(8)))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 400: 7}


def test_two_grants_do_not_know_one_another(visitor: Visitor) -> None:
    clients = visitor.register(name="One"), visitor.register(name="Two")
    one, two = (visitor.signed_in(client) for client in clients)
    visitor.refresh(clients[0], one["refresh_token"])
    visitor.refresh(clients[0], one["refresh_token"])

    assert visitor.call(one["access_token"]) == 401
    assert visitor.call(two["access_token"]) == 200
    assert visitor.refresh(clients[0], two["refresh_token"]).status_code == 400
    assert visitor.refresh(clients[1], two["refresh_token"]).status_code == 200


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_client_can_sign_itself_out(visitor: Visitor, kind: str) -> None:
    client = visitor.register()
    tokens = visitor.signed_in(client)

    said = visitor.http.post("/revoke", data={"token": tokens[kind], "client_id": client})

    assert (said.status_code, said.content) == (200, b"")
    assert visitor.call(tokens["access_token"]) == 401
    assert visitor.refresh(client, tokens["refresh_token"]).status_code == 400


def test_to_revoke_what_is_no_token_changes_nothing(visitor: Visitor) -> None:
    tokens = visitor.signed_in(visitor.register())

    for given in ("", "x", "x.y", "é.\u2028"):
        assert visitor.http.post("/revoke", data={"token": given}).status_code == 200
    other = {"token": tokens["refresh_token"], "client_id": CLAUDE}
    assert visitor.http.post("/revoke", data=other).status_code == 200
    assert visitor.http.post("/revoke", data={}).status_code == 400
    assert visitor.call(tokens["access_token"]) == 200


def test_a_token_of_one_name_of_the_server_is_none_of_another(
    visitor: Visitor,
) -> None:
    client = visitor.register()
    tokens = visitor.signed_in(client)
    elsewhere = {"Host": "localhost"}

    assert visitor.call(tokens["access_token"], **elsewhere) == 401
    body = {
        "grant_type": "refresh_token",
        "client_id": client,
        "refresh_token": tokens["refresh_token"],
    }
    refused = visitor.http.post("/token", data=body, headers=elsewhere)
    assert refused.json()["error"] == "invalid_grant"


def test_a_code_of_one_name_of_the_server_is_none_of_another(visitor: Visitor) -> None:
    client = visitor.register()
    code = visitor.code(client)
    body = {
        "grant_type": "authorization_code",
        "client_id": client,
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": visitor.verifier,
    }
    elsewhere = visitor.http.post("/token", data=body, headers={"Host": "localhost"})

    assert elsewhere.json()["error"] == "invalid_grant"
    assert visitor.http.post("/token", data=body).status_code == 200


def test_grants_outlive_the_server_and_its_file_holds_no_secret(
    settings: Settings, memory: Memory, tmp_path: Path
) -> None:
    on = replace(settings, oauth=True)
    with listening(create_app(on, memory)) as url, httpx.Client(base_url=url) as http:
        before = Visitor(http, url, settings.token)
        client = before.register("http://localhost:9/callback")
        asked = before.ask(client, redirect_uri="http://localhost:9/callback")
        code = parameters(before.press(asked))["code"]
        form = {"redirect_uri": "http://localhost:9/callback"}
        tokens = before.exchange(client, code, **form).json()
        port = url.rpartition(":")[2]
    file = tmp_path / "state" / FOLDER / "grants.json"
    kept = file.read_text("utf-8")

    with listening(create_app(on, memory)) as url:
        host = {"Host": f"127.0.0.1:{port}"}
        with httpx.Client(base_url=url, headers=host) as http:
            after = Visitor(http, f"http://127.0.0.1:{port}", settings.token)
            status = after.call(tokens["access_token"])
            renewed = after.refresh(client, tokens["refresh_token"]).status_code

    assert (status, renewed) == (200, 200)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    for secret in (settings.token, code, *tokens.values(), before.verifier, client):
        if isinstance(secret, str) and secret not in ("Bearer", "memory"):
            assert secret not in kept


def test_a_new_token_of_the_server_ends_all_grants_and_forgets_no_client(
    settings: Settings, memory: Memory
) -> None:
    headers = {"Host": "notes.example.org"}
    on = replace(settings, oauth=True, hosts=("notes.example.org",))
    with listening(create_app(on, memory)) as url, httpx.Client(base_url=url) as http:
        http.headers.update(headers)
        before = Visitor(http, "https://notes.example.org", settings.token)
        client = before.register()
        tokens = before.signed_in(client)
    rotated = replace(on, token="another-token-that-is-long-enough-too")
    with listening(create_app(rotated, memory)) as url, httpx.Client(base_url=url) as http:
        http.headers.update(headers)
        after = Visitor(http, "https://notes.example.org", rotated.token)

        assert after.call(tokens["access_token"]) == 401
        assert after.refresh(client, tokens["refresh_token"]).json()["error"] == "invalid_grant"
        assert after.call(after.signed_in(client)["access_token"]) == 200


def test_the_operator_sees_grants_and_ends_one_while_the_server_runs(
    visitor: Visitor, tmp_path: Path, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    _to_now(memory)
    clients = visitor.register(name="One"), visitor.register(name="Two\u202e\n3")
    one, two = (visitor.signed_in(client) for client in clients)
    visitor.code(clients[0])  # one that waits to be exchanged is no grant yet
    env = {"ECHO_STATE_DIR": str(tmp_path / "state")}

    assert main(["grants", "list"], env) == 0
    first, second, end = capsys.readouterr().out.splitlines()
    assert ("One, client.example, for https://notes.example.org/mcp" in first, end) == (
        True,
        "2 in all",
    )
    assert "Two 3, client.example" in second
    assert main(["grants", "revoke", first.split()[0]], env) == 0
    assert visitor.call(one["access_token"]) == 401
    assert visitor.call(two["access_token"]) == 200
    assert main(["grants", "revoke", "all"], env) == 0
    assert visitor.call(two["access_token"]) == 401
    assert main(["grants", "revoke", "all"], env) == 0


def test_to_end_what_is_no_grant_is_an_error_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = {"ECHO_STATE_DIR": str(tmp_path / "state")}

    assert main(["grants", "list"], env) == 0
    assert main(["grants", "revoke"], env) != 0
    assert main(["grants", "revoke", "0123456789abcdef"], env) != 0
    assert capsys.readouterr().err.count("echo-mcp grants list") == 2


def test_a_damaged_file_is_left_alone_and_nobody_gets_in_by_it(
    visitor: Visitor, settings: Settings, memory: Memory, tmp_path: Path
) -> None:
    client = visitor.register()
    tokens = visitor.signed_in(client)
    file = tmp_path / "state" / FOLDER / "grants.json"
    good = '{"format": 1, "salt": "00", "grants": %s}'

    odd = json.loads(file.read_text("utf-8"))["grants"][0] | {"used": "x"}
    some = ["[[]]", '[{"id": "x"}]', json.dumps([odd])]

    for damage in ("", "{", "[]", "null", '{"format": 2}', *(good % grants for grants in some)):
        file.write_text(damage, "utf-8")
        assert visitor.call(tokens["access_token"]) == 401, damage
        assert visitor.call(visitor.token) == 200
        refused = visitor.refresh(client, tokens["refresh_token"])
        assert (refused.status_code, refused.json()["error"]) == (503, "temporarily_unavailable")
        assert visitor.press(visitor.ask(client)).status_code == 503
        assert file.read_text("utf-8") == damage
        with pytest.raises(VaultIO, match=r"grants\.json"):
            create_app(replace(settings, oauth=True), memory)


def test_a_file_that_is_moved_away_ends_all_grants_and_new_ones_can_be_made(
    visitor: Visitor, tmp_path: Path
) -> None:
    client = visitor.register()
    tokens = visitor.signed_in(client)
    (tmp_path / "state" / FOLDER / "grants.json").unlink()

    assert visitor.call(tokens["access_token"]) == 401
    assert visitor.call(visitor.signed_in(client)["access_token"]) == 200
    assert Grants(tmp_path / "state").salt() != b""


def test_there_are_a_hundred_grants_at_most_and_the_longest_unused_goes(
    visitor: Visitor, tmp_path: Path, later: Callable[[float], None]
) -> None:
    client = visitor.register(CLAUDE_CALLBACK, CALLBACK)
    first = visitor.signed_in(client)
    later(1)
    grants = Grants(tmp_path / "state")
    (known,) = grants.all().values()
    with grants.changing(known.used) as book:
        for number in range(MOST):
            other = replace(known, id=f"{number:016x}", used=known.used + 2)
            book[other.id] = other

    assert visitor.call(first["access_token"]) == 401
    assert len(grants.all()) == MOST


def test_who_has_no_token_makes_nothing_be_written(visitor: Visitor, tmp_path: Path) -> None:
    client = visitor.register()
    visitor.signed_in(client)
    before = snapshot(tmp_path / "state" / FOLDER)

    visitor.exchange(client, "x.y")
    visitor.refresh(client, "x.y")
    visitor.http.post("/revoke", data={"token": "x.y"})
    visitor.ask(client)

    assert snapshot(tmp_path / "state" / FOLDER) == before


def _to_now(memory: Memory) -> None:
    """The command line has no other clock than the machine's."""
    memory.clock = lambda: datetime.now(UTC)
