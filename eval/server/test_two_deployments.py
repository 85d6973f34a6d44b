"""Two people's servers side by side on one machine: nothing of one is found in the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from echo_mcp.client import Client
from echo_memory.config import Config
from echo_memory.errors import Misconfigured
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from olrapi.standin import StandIn
from server import process
from vaults import KEY

ADA, GRACE = "Ada", "Grace"


@dataclass
class Deployment:
    """One person's server, vault and state folder; what is theirs has their word in it."""

    owner: str
    root: Path
    vault: StandIn
    server: process.Server

    @property
    def word(self) -> str:
        """What all of this person's notes speak of, and nobody else's."""
        return f"quillon{self.owner.lower()}"

    def client(self, token: str = "") -> Client:
        """A client with this person's token, or with another."""
        return Client(self.server.url, token or token_of(self.owner))

    def health(self) -> dict[str, object]:
        """What its monitor sees."""
        answer: dict[str, object] = httpx.get(
            self.server.url.replace("/mcp", "/health"), trust_env=False
        ).json()
        return answer

    def capture(self, title: str) -> dict[str, object]:
        """Write a note with the word in it."""
        arguments = {"title": f"{title} {self.word}", "kind": "concept", "body": self.word}
        return self.client().call("echo_capture", arguments).envelope

    def holds(self, word: str) -> list[str]:
        """Where a word stands, in a name or in bytes: the vault, the state folder, the log."""
        paths = [path for path in self.root.rglob("*") if path.is_file()]
        found = [str(path) for path in paths if word in str(path) or word.encode() in read(path)]
        return found + [line for line in self.server.lines if word in line]


def token_of(owner: str) -> str:
    return f"the-token-of-{owner.lower()}".ljust(40, "x")


def read(path: Path) -> bytes:
    """A file's bytes; none of one that went away meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


@contextmanager
def deployed(owner: str, home: Path) -> Iterator[Deployment]:
    """A server with a vault behind the Local REST API and an environment of its own."""
    root = home / owner.lower()
    (root / "vault").mkdir(parents=True)
    with StandIn(root / "vault", f"{KEY}-{owner}") as vault:
        said = {
            "ECHO_BASE": vault.url,
            "ECHO_KEY": f"{KEY}-{owner}",
            "ECHO_OWNER": owner,
            "ECHO_STATE_DIR": str(root / "data"),
            "ECHO_MCP_TOKEN": token_of(owner),
        }
        seeding = Config.from_env(said, state_dir=str(home / f"seeding-{owner}"))
        with closing(open_memory(seeding, notify=lambda _: None)) as echo:
            bootstrap_op(echo)
        # The home is one and the same, as for two services of one user.
        with process.serving(home, **said) as server:
            yield Deployment(owner, root, vault, server)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Deployment, Deployment]]:
    """Two of them, at the same time."""
    home = tmp_path_factory.mktemp("home")
    with ExitStack() as stack:
        ada, grace = (stack.enter_context(deployed(owner, home)) for owner in (ADA, GRACE))
        yield ada, grace


def test_each_finds_their_own_notes_and_none_of_the_other_s(
    two: tuple[Deployment, Deployment],
) -> None:
    for mine in two:
        assert mine.capture("Engine")["action"] == "created"

    for mine, other in (two, two[::-1]):
        for query in ("Engine", mine.word, other.word):
            found = mine.client().call("echo_recall", {"query": query})
            assert other.word not in str(found.envelope) + found.text
        assert mine.word in str(mine.client().call("echo_recall", {"query": mine.word}).envelope)


def test_the_token_of_one_opens_nothing_of_the_other(two: tuple[Deployment, Deployment]) -> None:
    for mine, other in (two, two[::-1]):
        with pytest.raises(Misconfigured):
            mine.client(token_of(other.owner)).call("echo_load", {})


def test_what_waits_for_one_vault_waits_in_one_outbox_and_reaches_that_vault_only(
    two: tuple[Deployment, Deployment],
) -> None:
    ada, grace = two
    with ada.vault.away():
        assert ada.capture("Later")["queued"] is True
        waiting = [deployment.health()["outbox_depth"] for deployment in two]
        assert grace.capture("Now")["action"] == "created"
        held = ada.holds(ada.word)
    process.until(lambda: ada.health()["outbox_depth"] == 0)

    assert waiting == [1, 0]
    assert any("outbox" in place for place in held)
    assert list((ada.root / "vault").rglob(f"*later*{ada.word}*"))
    assert (ada.holds(grace.word), grace.holds(ada.word)) == ([], [])


def test_no_file_or_log_of_one_has_anything_of_the_other(
    two: tuple[Deployment, Deployment],
) -> None:
    for mine in two:
        mine.capture("Loom")
        mine.client().call("echo_log_session", _session(mine))
        mine.client().call("echo_load", {})

    for mine, other in (two, two[::-1]):
        assert mine.holds(mine.word)
        for trace in (other.word, token_of(other.owner), f"{KEY}-{other.owner}", other.vault.url):
            assert mine.holds(trace) == []


def _session(mine: Deployment) -> dict[str, object]:
    return {
        "slug": mine.word,
        "log_body": f"About {mine.word}.",
        "agent_log_line": f"Spoke of {mine.word}.",
        "apply": True,
    }
