"""A vault behind the Local REST API when things go wrong, each of them on a real socket.

Every fault has a message of its own that says what to do and never the key; what is written is
never lost, never doubled, and never said to be done when that is not known.
"""

import socket
import threading
import traceback
from contextlib import closing

import pytest

from echo_memory.errors import (
    BadRequest,
    Conflict,
    EchoError,
    Misconfigured,
    NotFound,
    VaultIO,
    VaultUnreachable,
)
from echo_memory.rest import client as rest_client
from echo_memory.rest import stamps as rest_stamps
from echo_memory.rest.access import Access, target
from echo_memory.rest.client import Client
from echo_memory.rest_vault import RestVault
from echo_memory.vault import MAX_NOTE_BYTES
from folders import VERBS, put, snapshot
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY, rest

SHORT_S = 0.2
ANY_VERB = {
    **VERBS,
    "stamps": lambda vault, _: vault.stamps(),
    "probe": lambda vault, _: vault.probe(),
}
HTML = {"Content-Type": "text/html"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def plugin(root):
    with StandIn(root, KEY) as plugin:
        yield plugin


@pytest.fixture
def vault(plugin):
    with rest(plugin) as vault:
        yield vault


@pytest.fixture
def hasty(plugin):
    """A vault that waits for hardly anything."""
    with rest(plugin, timeout=SHORT_S) as vault:
        yield vault


def puts(plugin, method="PUT"):
    return sum(seen.method == method for seen in plugin.requests)


def told(error):
    """Everything that anybody could get to read about an error."""
    return "".join(traceback.format_exception(error)) + repr(error.as_dict())


# What each fault says

FAULTS = {
    "a wrong key": (faults.unauthorized, Misconfigured, "ECHO_KEY"),
    "too many wrong keys": (
        faults.answer(429, JSON, b'{"message": "Too many", "errorCode": 42900}'),
        Misconfigured,
        "ECHO_KEY",
    ),
    "a proxy with a password": (faults.answer(401, HTML, b"<html>"), Misconfigured, "proxy"),
    "a proxy that forbids": (faults.answer(403, HTML, b"<html>"), Misconfigured, "proxy"),
    "a redirect": (
        faults.answer(301, {"Location": "https://elsewhere.example/"}),
        Misconfigured,
        "redirects to another one",
    ),
    "another service": (faults.answer(200, HTML, b"<html>"), Misconfigured, "is not Obsidian's"),
    "a JSON service": (faults.answer(200, JSON, b'{"a": 1}'), Misconfigured, "is not Obsidian's"),
    "another not found": (
        faults.answer(404, HTML, b"<html>Not Found</html>"),
        Misconfigured,
        "is not Obsidian's",
    ),
    "a bad gateway": (faults.bad_gateway, VaultUnreachable, "status 502"),
    "an overloaded proxy": (faults.answer(503, HTML, b"<html>"), VaultUnreachable, "status 503"),
    "garbage": (faults.garbage, VaultUnreachable, "is no HTTP"),
    "a cut connection": (faults.cut_before, VaultUnreachable, "broke off"),
    "a reset connection": (faults.reset_before, VaultUnreachable, "broke off"),
    "half an answer": (faults.truncated, VaultUnreachable, "broke off"),
    "a body without an end": (
        lambda exchange: (
            exchange.send_bytes(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n# half a no"),
            exchange.cut(),
        ),
        VaultUnreachable,
        "broke off",
    ),
    "a body that was packed": (
        faults.answer(200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"),
        VaultUnreachable,
        "broke off",
    ),
    "chunks that are none": (
        lambda exchange: (
            exchange.send_bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            exchange.cut(),
        ),
        VaultUnreachable,
        "broke off",
    ),
    "endless headers": (
        faults.answer(200, {f"X-{number}": "x" for number in range(200)}),
        VaultUnreachable,
        "broke off",
    ),
}


@pytest.mark.parametrize(("fault", "kind", "said"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("verb", ["read", "create", "trash", "probe"])
def test_each_fault_says_what_to_do_and_touches_nothing(
    root, plugin, vault, verb, fault, kind, said
):
    put(root / "a.md")
    before = snapshot(root)
    plugin.fail(fault, times=None)

    with pytest.raises(EchoError, match=said) as refusal:
        ANY_VERB[verb](vault, "a.md")

    assert isinstance(refusal.value, kind)
    assert refusal.value.message.count(". ") >= 1, "what happened, and what to do"
    assert KEY not in told(refusal.value)
    assert snapshot(root) == before
    assert puts(plugin) == puts(plugin, "DELETE") == 0


def test_every_fault_of_the_plugin_itself_is_told_apart(root, plugin, vault):
    put(root / "a.md", "one")
    cases = {
        40021: (BadRequest, "does not take this path"),
        50000: (VaultIO, "error 50000"),
        40400: (NotFound, "no such note"),
    }
    for code, (kind, said) in cases.items():
        plugin.fail(faults.refuse(code))
        with pytest.raises(kind, match=said) as refusal:
            vault.read("a.md")
        assert refusal.value.details["path"] == "a.md"


def test_one_note_that_cannot_be_read_hides_no_other(root, plugin, vault):
    for name in "abc":
        put(root / f"{name}.md", name)
    plugin.fail(faults.refuse(50000), path="/vault/b.md")

    assert vault.read_many(["a.md", "b.md", "c.md"]) == {"a.md": "a", "c.md": "c"}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(faults.unauthorized, Misconfigured), (faults.bad_gateway, VaultUnreachable)],
)
def test_a_vault_that_fails_while_many_notes_are_read_is_no_vault_without_them(
    root, plugin, vault, fault, kind
):
    paths = [f"{number}.md" for number in range(50)]
    for path in paths:
        put(root / path)
    plugin.fail(fault, nth=10, times=None)

    with pytest.raises(kind):
        vault.read_many(paths)


def test_a_proxy_that_takes_no_large_notes_is_named(root, plugin, vault):
    plugin.fail(faults.answer(413, HTML, b"<html>"), method="PUT")

    with pytest.raises(VaultIO, match="raise the proxy's limit"):
        vault.write("a.md", "x" * 100_000, expected=None)


@pytest.mark.parametrize("verb", ["read", "stamps", "probe"])
def test_an_answer_is_not_read_beyond_its_bounds(root, plugin, vault, verb):
    endless = faults.answer(404, {"Content-Length": str(10**15)})
    plugin.fail(endless, times=None)

    with pytest.raises(EchoError):
        ANY_VERB[verb](vault, "a.md")
    plugin.recover()
    used = plugin.connections
    vault.probe()

    assert plugin.connections == used + 1, "what was not read is not waited for"


def test_a_note_in_chunks_is_whole_and_one_without_an_end_is_left(root, plugin, vault):
    head = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
        b'Content-Disposition: attachment; filename="a.md"\r\n\r\n'
    )
    plugin.fail(lambda exchange: exchange.send_bytes(head + b"3\r\none\r\n0\r\n\r\n"))

    def endless(exchange):
        exchange.send_bytes(head)
        for _ in range(200):
            exchange.send_bytes(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")

    plugin.fail(endless, times=2)

    assert vault.read("a.md") == "one"
    with pytest.raises(VaultIO, match="larger than"):
        vault.read("a.md")
    with pytest.raises(Conflict):
        vault.write("a.md", "mine", expected="x" * MAX_NOTE_BYTES)


# Nobody there


@pytest.mark.parametrize("verb", ANY_VERB)
def test_a_vault_that_is_down_is_unreachable_until_it_is_up_again(root, plugin, vault, verb):
    put(root / "a.md")
    before = snapshot(root)
    vault.probe()

    with plugin.away(), pytest.raises(VaultUnreachable, match="Nothing listens") as refusal:
        ANY_VERB[verb](vault, "a.md")

    assert KEY not in told(refusal.value)
    assert snapshot(root) == before
    assert vault.read("a.md") == "secret"


@pytest.mark.parametrize("verb", ["read", "read_many", "create", "trash", "probe"])
def test_a_vault_that_never_answers_is_given_up(root, plugin, hasty, verb):
    put(root / "a.md")
    before = snapshot(root)
    hasty.probe()
    plugin.fail(faults.never_answer, times=None)

    with pytest.raises(VaultUnreachable, match="did not answer in time"):
        ANY_VERB[verb](hasty, "a.md")

    assert snapshot(root) == before
    assert len(plugin.calls) == 2, "waited for once"


def test_a_vault_may_take_longer_to_answer_than_to_connect(root, plugin, vault, monkeypatch):
    monkeypatch.setattr(rest_client, "CONNECT_TIMEOUT_S", 0.1)
    put(root / "a.md", "one")
    plugin.fail(faults.slow(0.2))

    assert vault.read("a.md") == "one"


def test_a_late_answer_in_time_is_an_answer(root, plugin, vault):
    put(root / "a.md", "one")
    ready = threading.Event()
    plugin.fail(faults.held(ready), path="/vault/a.md")
    plugin.fail(faults.meanwhile(ready.set), path="/vault/b.md")

    with closing(RestVault(Access.of(plugin.url, KEY), workers=2)) as waiting:
        texts = waiting.read_many(["a.md", "b.md"])

    assert texts == {"a.md": "one"}


def test_an_answer_that_is_slow_beyond_the_timeout_is_none(root, plugin, hasty):
    put(root / "a.md")
    plugin.fail(faults.slow(30))

    with pytest.raises(VaultUnreachable, match="raise ECHO_TIMEOUT"):
        hasty.read("a.md")

    assert hasty.read("a.md") == "secret"


def test_a_machine_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(rest_client, "CONNECT_TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))

        with pytest.raises(VaultUnreachable, match="machine does not answer"):
            RestVault(Access.of(f"http://127.0.0.1:{port}", KEY)).read("a.md")

        for filler in fillers:
            filler.close()


def test_a_name_that_is_nobodys_is_told_from_a_machine_that_is_off():
    with pytest.raises(VaultUnreachable, match="host name in ECHO_BASE was not found"):
        RestVault(Access.of("http://vault.invalid:27123", KEY)).read("a.md")


@pytest.mark.parametrize("hung", [faults.never_answer, faults.refuse(40070)])
def test_a_search_that_takes_too_long_is_replaced_by_a_walk(root, plugin, vault, monkeypatch, hung):
    monkeypatch.setattr(rest_stamps, "SEARCH_TIMEOUT_S", SHORT_S)
    put(root / "folder/a.md")
    plugin.fail(hung, path="/search/", times=None)

    assert list(vault.stamps()) == ["folder/a.md"]
    assert list(vault.stamps()) == ["folder/a.md"]
    assert plugin.calls.count(("POST", "/search/")) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.unauthorized, Misconfigured),
        (faults.bad_gateway, VaultUnreachable),
        (faults.cut_before, VaultUnreachable),
        (faults.answer(404, HTML, b"<html>"), Misconfigured),
    ],
)
def test_a_fault_that_is_not_of_the_search_is_not_replaced_by_a_walk(
    root, plugin, vault, fault, kind
):
    put(root / "a.md")
    plugin.fail(fault, path="/search/")

    with pytest.raises(kind):
        vault.stamps()
    assert list(vault.stamps()) == ["a.md"]

    assert plugin.calls == [("POST", "/search/")] * 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.unauthorized, Misconfigured),
        (faults.bad_gateway, VaultUnreachable),
        (faults.cut_before, VaultUnreachable),
        (faults.answer(200, HTML, b"<html>"), Misconfigured),
        (faults.answer(404, HTML, b"<html>"), Misconfigured),
    ],
)
def test_a_vault_that_is_not_there_is_no_empty_vault(root, plugin, vault, fault, kind):
    put(root / "a.md")
    plugin.fail(fault, times=None)

    with pytest.raises(kind):
        vault.stamps()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.unauthorized, Misconfigured),
        (faults.bad_gateway, VaultUnreachable),
        (faults.answer(404, HTML, b"<html>"), Misconfigured),
        (faults.answer(200, HTML, b"<html>"), Misconfigured),
    ],
)
@pytest.mark.parametrize("path", ["/vault/folder/", "/vault/folder/a.md"])
def test_a_walk_that_breaks_off_is_no_smaller_vault(root, plugin, vault, fault, kind, path):
    put(root / "folder/a.md")
    put(root / "b.md")
    plugin.fail(faults.refuse(40070), path="/search/")
    plugin.fail(fault, path=path)

    with pytest.raises(kind):
        vault.stamps()


# Connections that died


@pytest.mark.parametrize("fault", [faults.cut_before, faults.reset_before])
@pytest.mark.parametrize("verb", ["read", "stamp", "stamps", "probe"])
def test_a_kept_connection_that_is_dead_is_replaced_where_nothing_can_be_doubled(
    root, plugin, vault, verb, fault
):
    put(root / "a.md")
    vault.probe()
    plugin.fail(fault)

    ANY_VERB[verb](vault, "a.md")

    assert len(plugin.calls) == 3
    assert plugin.connections == 2


def test_a_new_connection_that_dies_is_not_tried_again(root, plugin, vault):
    put(root / "a.md")
    plugin.fail(faults.cut_before)

    with pytest.raises(VaultUnreachable):
        vault.read("a.md")

    assert len(plugin.calls) == 1


def test_a_connection_that_was_hung_up_meanwhile_is_not_used(root, plugin):
    access = Access.of(plugin.url, KEY, auth_header="Authorization", ca=None)
    with closing(Client(access, timeout=10, workers=2)) as client:
        client.ask("GET", "/", limit=1000)
        plugin.hang_up()

        answer = client.ask("PUT", target("a.md"), body=b"one", limit=0)

    assert answer.status == 204
    assert plugin.connections == 2


def test_a_connection_is_not_kept_longer_than_the_plugin_keeps_it(root, plugin, vault):
    put(root / "a.md")
    for said in ("timeout=1", "timeout=0", "timeout=5", "timeout=60, max=100", "nonsense"):
        plugin.fail(faults.answer(200, {"Keep-Alive": said, **JSON}, b'{"files": []}'))

    counts = []
    for _ in range(6):
        vault.read_many(["a.md"])
        counts.append(plugin.connections)

    assert counts == [1, 2, 3, 3, 3, 3]


# A write whose answer is lost

BEFORE = {"cut": faults.cut_before, "reset": faults.reset_before}
AFTER = {"cut": faults.cut_after, "reset": faults.reset_after, "late": faults.never_answer_after}


@pytest.mark.parametrize("fault", BEFORE.values(), ids=BEFORE)
@pytest.mark.parametrize("expected", ["one", None])
def test_a_write_that_did_not_arrive_is_sent_again(root, plugin, vault, fault, expected):
    if expected:
        put(root / "a.md", expected)
    plugin.fail(fault, method="PUT")

    vault.write("a.md", "two", expected=expected)

    assert (root / "a.md").read_text() == "two"
    assert plugin.calls == [("GET", "/vault/a.md"), ("PUT", "/vault/a.md")] * 2


@pytest.mark.parametrize("fault", AFTER.values(), ids=AFTER)
@pytest.mark.parametrize("expected", ["one", None])
def test_a_write_that_arrived_is_done_though_its_answer_is_lost(
    root, plugin, hasty, fault, expected
):
    if expected:
        put(root / "a.md", expected)
    plugin.fail(fault, method="PUT")

    hasty.write("a.md", "two", expected=expected)

    assert (root / "a.md").read_text() == "two"
    assert [method for method, _ in plugin.calls] == ["GET", "PUT", "GET"]


@pytest.mark.parametrize("conditional", [True, False])
@pytest.mark.parametrize("expected", ["one", None])
def test_a_lost_write_over_which_somebody_wrote_is_a_conflict(root, conditional, expected):
    if expected:
        put(root / "a.md", expected)

    def overtaken(exchange):
        exchange.handle()
        put(root / "a.md", "theirs")
        exchange.cut()

    with StandIn(root, KEY, conditional=conditional) as plugin, rest(plugin) as vault:
        plugin.fail(overtaken, method="PUT")
        with pytest.raises(Conflict):
            vault.write("a.md", "mine", expected=expected)

    assert (root / "a.md").read_text() == "theirs"
    assert puts(plugin) == 1


def test_a_write_that_never_arrives_is_not_said_to_be_done(root, plugin, vault):
    put(root / "a.md", "one")
    plugin.fail(faults.cut_before, method="PUT", times=None)

    with pytest.raises(VaultUnreachable):
        vault.write("a.md", "two", expected="one")

    assert (root / "a.md").read_text() == "one"
    assert puts(plugin) == 2


def test_a_write_that_is_only_late_is_not_sent_twice(root, plugin, hasty):
    put(root / "a.md", "one")
    plugin.fail(faults.never_answer, method="PUT")

    with pytest.raises(VaultUnreachable, match="did not answer in time"):
        hasty.write("a.md", "two", expected="one")

    assert puts(plugin) == 1


@pytest.mark.parametrize("done", [True, False])
def test_a_write_after_which_nobody_answers_is_not_said_to_be_done(root, plugin, vault, done):
    put(root / "a.md", "one")

    def last(exchange):
        if done:
            exchange.handle()
        plugin.down()
        exchange.cut()

    plugin.fail(last, method="PUT")

    with pytest.raises(VaultUnreachable, match="broke off") as refusal:
        vault.write("a.md", "two", expected="one")

    assert refusal.value.in_doubt
    assert (root / "a.md").read_text() == ("two" if done else "one")


@pytest.mark.parametrize("code", [50000, 40400, 40012])
def test_a_write_that_the_plugin_refuses_is_an_error_of_the_vault(root, plugin, vault, code):
    plugin.fail(faults.refuse(code), method="PUT")

    with pytest.raises(VaultIO, match=f"error {code}") as refusal:
        vault.write("a.md", "one", expected=None)

    assert refusal.value.details == {"path": "a.md"}
    assert snapshot(root) == {}


@pytest.mark.parametrize("status", [200, 201])
def test_a_write_that_somebody_else_confirms_is_not_done(root, plugin, vault, status):
    plugin.fail(faults.answer(status, HTML, b"<html>"), method="PUT")

    with pytest.raises(Misconfigured):
        vault.write("a.md", "one", expected=None)


def test_a_write_to_the_name_of_a_folder_that_shows_nothing_fails(root, vault):
    (root / "a.md").mkdir()

    with pytest.raises(VaultIO):
        vault.write("a.md", "one", expected=None)

    assert list(root.iterdir()) == [root / "a.md"]


# A deletion whose answer is lost


@pytest.mark.parametrize("fault", BEFORE.values(), ids=BEFORE)
def test_a_deletion_that_did_not_arrive_is_sent_again(root, plugin, vault, fault):
    put(root / "a.md", "one")
    plugin.fail(fault, method="DELETE")

    assert vault.trash("a.md", expected="one") == ".trash/a.md"

    assert not (root / "a.md").exists()
    assert puts(plugin, "DELETE") == 2


@pytest.mark.parametrize("fault", AFTER.values(), ids=AFTER)
def test_a_deletion_that_arrived_is_done_though_its_answer_is_lost(root, plugin, hasty, fault):
    put(root / "a.md", "one")
    plugin.fail(fault, method="DELETE")

    assert hasty.trash("a.md", expected="one") == ".trash/a.md"

    assert not (root / "a.md").exists()
    assert puts(plugin, "DELETE") == 1


def test_a_lost_deletion_of_what_somebody_wrote_anew_is_a_conflict(root, plugin, vault):
    put(root / "a.md", "one")

    def anew(exchange):
        exchange.handle()
        put(root / "a.md", "theirs")
        exchange.cut()

    plugin.fail(anew, method="DELETE")

    with pytest.raises(Conflict):
        vault.trash("a.md", expected="one")

    assert (root / "a.md").read_text() == "theirs"


def test_a_note_that_cannot_be_deleted_is_said_to_be_there(root, plugin, vault):
    put(root / "a.md", "one")
    plugin.fail(faults.refuse(50000), method="DELETE")

    with pytest.raises(VaultIO):
        vault.trash("a.md", expected="one")

    assert (root / "a.md").read_text() == "one"


# In the end


@pytest.mark.parametrize("nth", range(1, 7))
@pytest.mark.parametrize("fault", [faults.cut_before, faults.cut_after, faults.truncated])
def test_a_trashing_that_breaks_off_anywhere_loses_no_note(root, plugin, vault, fault, nth):
    put(root / "a.md", "one")
    plugin.fail(fault, nth=nth)

    try:
        vault.trash("a.md", expected="one")
    except VaultUnreachable:
        vault.trash("a.md", expected="one")

    assert not (root / "a.md").exists()
    assert {path.read_text() for path in (root / ".trash").iterdir()} == {"one"}
