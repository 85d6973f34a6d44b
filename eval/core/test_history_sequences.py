"""Any writes in any order: what the ring should hold comes back byte for byte, in any order."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bytewise import NOTES
from conftest import NOW
from echo_memory import difference, routing
from echo_memory.config import Config
from echo_memory.errors import EchoError, NotFound
from echo_memory.history import RING, RING_OF_ADDED, id_of
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.history import history_op, restore_op
from echo_memory.ops.link import link_op
from echo_memory.ops.note import append_op, delete_op, patch_op, put_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import list_op, route_op
from echo_memory.rest.access import Access
from echo_memory.vault import to_text
from folders import put
from olrapi.standin import StandIn
from vaults import KEY

NAMES = ("Engine", "Ada Lovelace", "Tea", "Brass", "Loom", "Café")
KINDS = ("person", "project", "concept", "company", "area")
LINES = ("One.", "Two.", "- a list", "## Status", "> said", "updated: 2026-03-13", "", "ümläut")
OURS = {
    *routing.table().files.values(),
    *(routing.table().fixed[name].path for name in ("heartbeat", "health")),
}
FOLDERS = tuple(f"{kind.folder}/" for kind in routing.table().kinds.values() if kind.entity)


@dataclass
class Rings:
    """What the history should hold: the texts of each path, oldest first, and whether they lost."""

    held: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)

    def keep(self, path: str, text: str, *, lost: bool) -> None:
        ring = self.held.setdefault(path, [])
        lost = lost or (text, True) in ring
        ring[:] = [*(one for one in ring if one[0] != text), (text, lost)]
        like = [one for one in ring if one[1] is lost]
        for one in like[: -(RING if lost else RING_OF_ADDED)]:
            ring.remove(one)

    def texts(self, path: str) -> list[str]:
        """Newest first."""
        return [text for text, _ in reversed(self.held.get(path, []))]


class Life:
    """A vault that is written to at random, and what its history should hold of that."""

    def __init__(self, echo: Memory, folder: Path, chance: random.Random) -> None:
        self.echo, self.folder, self.chance = echo, folder, chance
        self.rings = Rings()
        self.made: set[str] = set()

    def live(self, steps: int) -> None:
        every = [*WRITES.items()]
        for _ in range(steps):
            name, (act, keeps) = self.chance.choice(every)
            self.do(lambda act=act: act(self), keeps, name)

    def do(self, act: Callable[[], object], keeps: str, name: str) -> None:
        """Write, and note what should have been kept."""
        before = self.texts()
        with suppress(EchoError):  # a target that is not there, a gate, a note that has gone
            act()
            self.made.add(name)
        after = self.texts() if keeps != "nobody" else before
        for path, text in before.items():
            if after.get(path) == text:
                continue
            lost = path not in after or difference.loses(text, after[path])
            if lost or keeps == "all" or (keeps == "entities" and path.startswith(FOLDERS)):
                self.rings.keep(path, text, lost=lost)

    def texts(self) -> dict[str, str]:
        """All files that a person sees, but those that the memory has for itself."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        named = {path.relative_to(self.folder).as_posix(): path for path in files}
        return {
            name: to_text(path.read_bytes())
            for name, path in named.items()
            if name not in OURS and not name.startswith(".") and "/." not in name
        }

    # What is written

    def name(self) -> str:
        return self.chance.choice(NAMES)

    def words(self) -> str:
        return "\n".join(self.chance.choices(LINES, k=self.chance.randrange(1, 6)))

    def note(self) -> str:
        """The path of some note of an entity."""
        paths = [path for path in self.texts() if path.startswith(FOLDERS)]
        return self.chance.choice(sorted(paths) or ["resources/people/nobody.md"])

    def proposal(self) -> dict[str, Any]:
        merged = {"merge_into": Path(self.note()).stem} if self.chance.random() < 0.3 else {}
        kind = {} if merged else {"kind": self.chance.choice(KINDS)}
        return {"title": self.name(), **kind, "body": self.words(), "force": not merged, **merged}

    def capture(self) -> None:
        capture_op(self.echo, **self.proposal())

    def inbox(self) -> None:
        capture_op(self.echo, f"Buy {self.name()}", body=self.words())

    def triage(self) -> None:
        items = list_op(self.echo)["items"][: self.chance.randrange(1, 4)]
        route_op(self.echo, [{**self.proposal(), "line": it["id"]} for it in items], apply=True)

    def reflect(self) -> None:
        apply_op(self.echo, [self.proposal() for _ in range(3)], apply=True)

    def patch(self) -> None:
        operation = self.chance.choice(("append", "prepend", "replace"))
        target, kind = self.chance.choice(
            (("Status", "heading"), ("status", "frontmatter"), ("tags", "frontmatter"))
        )
        patch_op(
            self.echo,
            self.note(),
            operation=operation,
            target_type=kind,
            target=target,
            content=self.name(),
        )

    def append(self) -> None:
        append_op(self.echo, self.note(), f"- {self.chance.random()}")

    def put(self) -> None:
        put_op(self.echo, self.note(), self.words())

    def delete(self) -> None:
        delete_op(self.echo, self.note())

    def link(self) -> None:
        link_op(self.echo, self.note(), self.note())

    def scope(self) -> None:
        scope_set_op(self.echo, f"{self.name()} {self.chance.randrange(9)}")

    def session(self) -> None:
        session_end_op(
            self.echo,
            slug=self.name().split()[0].lower(),
            log_body=self.words(),
            agent_log_line=self.name(),
            scope=self.name(),
            reflect=[self.proposal()],
            apply=True,
        )

    def restore(self) -> None:
        if not self.rings.held:
            return
        path = self.chance.choice(sorted(self.rings.held))
        text = self.chance.choice(self.rings.texts(path))
        restore_op(self.echo, path, id_of(text), confirm=True)
        assert to_text((self.folder / path).read_bytes()) == text

    def by_hand(self) -> None:
        """What a person does, of which the history knows nothing."""
        path = self.folder / self.note()
        if path.exists() and self.chance.random() < 0.2:
            path.unlink()
        else:
            put(path, self.chance.choice(sorted(NOTES.values())))


# Who writes, and whose earlier texts are kept although nothing of them was lost.
WRITES: dict[str, tuple[Callable[[Life], None], str]] = {
    "capture": (Life.capture, "entities"),
    "inbox": (Life.inbox, "none"),
    "triage": (Life.triage, "entities"),
    "reflect": (Life.reflect, "entities"),
    "session": (Life.session, "entities"),
    "patch": (Life.patch, "all"),
    "put": (Life.put, "all"),
    "delete": (Life.delete, "all"),
    "restore": (Life.restore, "all"),
    "append": (Life.append, "none"),
    "link": (Life.link, "none"),
    "scope": (Life.scope, "none"),
    "by hand": (Life.by_hand, "nobody"),
}


@pytest.mark.parametrize(("kind", "steps"), [("folder", 500), ("rest", 60)])
def test_whatever_is_written_all_that_the_ring_should_hold_comes_back(
    tmp_path: Path, kind: str, steps: int
) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    folder = tmp_path / "vault"
    folder.mkdir()
    with StandIn(folder, KEY) if kind == "rest" else nullcontext(folder) as vault:
        place = vault if isinstance(vault, Path) else Access.of(vault.url, KEY)
        config = Config(place, tmp_path / "state")
        echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
        bootstrap_op(echo)
        life = Life(echo, folder, chance)

        life.live(steps)

        assert kind == "rest" or life.made == WRITES.keys(), f"seed {seed}"
        rings = life.rings
        every = [(path, text) for path in sorted(rings.held) for text in rings.texts(path)]
        held = {path: texts_of(echo, path) for path in rings.held}
        assert held == {path: rings.texts(path) for path in rings.held}, f"seed {seed}"
        chance.shuffle(every)
        for path, text in every:
            come_back(life, path, text, f"seed {seed}")
        echo.close()


def texts_of(echo: Memory, path: str) -> list[str | None]:
    """All that the history has of a note, newest first."""
    return [echo.history.text(version.id, path) for version in echo.history.versions(path)]


def come_back(life: Life, path: str, text: str, seed: str) -> None:
    """Restore a text, if the restores before it have not driven it out of the ring."""
    if text not in life.rings.texts(path):
        with pytest.raises(NotFound):
            restore_op(life.echo, path, id_of(text), confirm=True)
        return
    listed = [version["id"] for version in history_op(life.echo, path)["versions"]]
    assert id_of(text) in listed, seed
    life.do(lambda: restore_op(life.echo, path, id_of(text), confirm=True), "all", "restore")
    assert to_text((life.folder / path).read_bytes()) == text, seed
