"""Backups that somebody made to do harm: nothing leaves the folder, nothing is replaced."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_mcp.backups import archive, manifest, restoring
from echo_mcp.backups.manifest import MAX_FILES
from echo_memory.errors import VaultIO
from folders import put, snapshot

BODY = b"harm"
DIGEST = hashlib.sha256(BODY).hexdigest()

Entries = list[tuple[str | zipfile.ZipInfo, bytes]]


def row(path: object, size: object = len(BODY), digest: object = DIGEST) -> list[object]:
    return [path, size, digest, None, 0]


def document(*rows: list[object], **said: Any) -> bytes:
    whole = {
        "format": 1,
        "made": "2026-03-14T09:26:53+01:00",
        "program": "0",
        "files": list(rows),
        "folders": [],
        "left_out": {},
    }
    return json.dumps({**whole, **said}).encode()


def packed(entries: Entries, said: bytes | None) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as opened:
        for name, data in entries:
            opened.writestr(name, data)
        if said is not None:
            opened.writestr(manifest.NAME, said)
    return whole.getvalue()


def a_file(*paths: str, **said: Any) -> bytes:
    """A zip that is right in all but its names."""
    return packed([(f"vault/{path}", BODY) for path in paths], document(*map(row, paths), **said))


def as_a_link() -> bytes:
    info = zipfile.ZipInfo("vault/a")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return packed([(info, b"/etc/passwd")], document(row("a")))


def twice(said: bytes) -> bytes:
    """Two entries of one name, of which a reader may take either."""
    one = packed([("vault/a", BODY), ("vault/b", BODY)], said)
    return one.replace(b"vault/b", b"vault/a")


def encrypted() -> bytes:
    data = bytearray(a_file("a"))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "absolute": lambda: a_file("/etc/cron.d/harm"),
    "climbs": lambda: a_file("../harm"),
    "climbs later": lambda: a_file("a/../../harm"),
    "a dot": lambda: a_file("a/./harm"),
    "an empty name": lambda: a_file("a//harm"),
    "the folder itself": lambda: a_file("."),
    "nothing": lambda: a_file(""),
    "a folder's slash": lambda: a_file("a/"),
    "a NUL": lambda: packed([("vault/a", BODY)], document(row("a\0b"))),
    "a folder that climbs": lambda: a_file("a", folders=["../out"]),
    "a folder that is no text": lambda: a_file("a", folders=[1]),
    "a link": as_a_link,
    "one name twice": lambda: twice(document(row("a"), row("b"))),
    "one name twice, of one file": lambda: twice(document(row("a"))),
    "one path twice": lambda: packed([("vault/a", BODY)], document(row("a"), row("a"))),
    "a file as a folder": lambda: a_file("a", "a/b"),
    "a folder as a file": lambda: a_file("a", folders=["a"]),
    "an entry that nobody names": lambda: packed(
        [("vault/a", BODY), ("vault/b", BODY)], document(row("a"))
    ),
    "an entry outside": lambda: packed(
        [("vault/a", BODY), ("../../harm", BODY)], document(row("a"))
    ),
    "a file without an entry": lambda: packed([], document(row("a"))),
    "no manifest": lambda: packed([("vault/a", BODY)], None),
    "a manifest that is no JSON": lambda: packed([("vault/a", BODY)], b"{"),
    "a manifest that is a list": lambda: packed([("vault/a", BODY)], b"[]"),
    "a manifest that is deep": lambda: packed([], b"[" * 100_000),
    "a format of tomorrow": lambda: a_file("a", format=2),
    "no instant": lambda: a_file("a", made="yesterday"),
    "an instant of nowhere": lambda: a_file("a", made="2026-03-14T09:26:53"),
    "what was left out as a list": lambda: a_file("a", left_out=[]),
    "another size": lambda: packed([("vault/a", BODY)], document(row("a", 3))),
    "a negative size": lambda: packed([("vault/a", BODY)], document(row("a", -1))),
    "more than any disk": lambda: packed([("vault/a", BODY)], document(row("a", 1 << 62))),
    "another hash": lambda: packed([("vault/a", BODY)], document(row("a", 4, "0" * 64))),
    "no hash": lambda: packed([("vault/a", BODY)], document(row("a", 4, None))),
    "encrypted": encrypted,
    "no zip": lambda: b"PK harm",
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_it_is_refused_and_nothing_outside_the_folder_is_touched(
    tmp_path: Path, trick: str
) -> None:
    put(tmp_path / "outside/mine.md", "mine")
    put(tmp_path / "harm.zip", HOSTILE[trick]())
    before = snapshot(tmp_path / "outside")

    with pytest.raises(VaultIO):
        restoring.into_folder(tmp_path / "harm.zip", tmp_path / "outside/target")

    left = snapshot(tmp_path / "outside")
    assert {path: left[path] for path in before} == before
    assert all("outside/target" in path for path in left.keys() - before.keys())
    assert not any(stat.S_ISLNK(mode) for mode, _ in left.values())


def test_a_bomb_stops_at_the_size_that_it_claims(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("vault/a", bytes(200_000_000))
        opened.writestr(manifest.NAME, document(row("a", 1_000)))
    put(tmp_path / "bomb.zip", bomb.getvalue())

    with pytest.raises(VaultIO):
        restoring.into_folder(tmp_path / "bomb.zip", tmp_path / "target")

    assert not (tmp_path / "target").exists()


def test_a_file_that_is_set_to_run_as_another_is_not(tmp_path: Path) -> None:
    said = document(["a", 4, DIGEST, 10**18, 0o6755])
    put(tmp_path / "suid.zip", packed([("vault/a", BODY)], said))

    restoring.into_folder(tmp_path / "suid.zip", tmp_path / "target")

    assert (tmp_path / "target/a").stat().st_mode & 0o7777 == 0o755


def test_names_that_differ_only_by_case_are_two_where_the_disk_tells_them_apart(
    tmp_path: Path,
) -> None:
    put(tmp_path / "case.zip", a_file("A.md", "a.md"))

    restoring.into_folder(tmp_path / "case.zip", tmp_path / "target")

    assert sorted(path.name for path in (tmp_path / "target").iterdir()) == ["A.md", "a.md"]


def test_a_link_that_is_put_in_the_way_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "good.zip", a_file("a/b"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "target").symlink_to(tmp_path / "outside")

    restoring.into_folder(tmp_path / "good.zip", tmp_path / "target")

    assert (
        tmp_path / "outside/a/b"
    ).read_bytes() == BODY  # the folder that was given, and no other


def test_more_files_than_any_vault_has_are_refused() -> None:
    rows = [["a"]] * (MAX_FILES + 1)

    with pytest.raises(VaultIO):
        manifest.parse(document(*rows))


@settings(max_examples=150, deadline=None)
@given(
    path=st.text(
        st.sampled_from(["a", "B", ".", "/", "\\", " ", "\0", "\n", "é", "\udcff", ":", "~", "%"]),
        max_size=12,
    )
)
def test_whatever_a_path_is_it_stays_below_the_folder_or_is_refused(path: str) -> None:
    try:
        parsed = manifest.parse(document(row(path)))
    except VaultIO:
        return

    joined = os.path.normpath(f"/target/{parsed.files[0].path}")
    assert joined.startswith("/target/")
    assert joined != "/target/"


@settings(max_examples=100, deadline=None)
@given(junk=st.binary(max_size=400))
def test_junk_is_no_manifest(junk: bytes) -> None:
    with pytest.raises(VaultIO):
        manifest.parse(junk)


def test_verify_finds_what_restoring_would(tmp_path: Path) -> None:
    for trick, make in HOSTILE.items():
        put(tmp_path / "harm.zip", make())

        with pytest.raises(VaultIO):
            archive.verify(tmp_path / "harm.zip")
            pytest.fail(trick)
