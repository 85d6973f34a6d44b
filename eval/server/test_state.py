"""The state folder: a token that is made once, and the address of the server that runs."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from echo_mcp import state
from echo_memory.errors import Misconfigured


def test_the_token_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    token = state.kept_token(tmp_path)

    assert len(token) >= state.MIN_TOKEN
    assert state.kept_token(tmp_path) == token
    assert (tmp_path / state.TOKEN_FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [state.TOKEN_FILE]


def test_servers_that_start_at_once_agree_on_the_token(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        tokens = set(pool.map(state.kept_token, [tmp_path] * 64))

    assert len(tokens) == 1


def test_a_token_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="--state-dir"):
        state.kept_token(tmp_path / "gone")


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff" * 40, b"with a space " * 4])
def test_a_token_file_without_a_token_is_named_and_left_alone(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / state.TOKEN_FILE
    path.write_bytes(content)

    with pytest.raises(Misconfigured, match=state.TOKEN_FILE):
        state.kept_token(tmp_path)
    assert path.read_bytes() == content


def test_the_state_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "state"
    state.open_folder(folder)

    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_state_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")

    with pytest.raises(Misconfigured, match="--state-dir"):
        state.open_folder(tmp_path / "file" / "state")


def test_the_address_is_found_until_the_server_takes_it_back(tmp_path: Path) -> None:
    assert state.read_address(tmp_path) == ""

    state.write_address(tmp_path, "http://127.0.0.1:1/mcp")
    assert state.read_address(tmp_path) == "http://127.0.0.1:1/mcp"

    state.remove_address(tmp_path)
    assert state.read_address(tmp_path) == ""


def test_a_server_does_not_take_back_the_address_of_the_one_after_it(tmp_path: Path) -> None:
    other = f'{{"url": "http://127.0.0.1:2/mcp", "pid": {os.getpid() + 1}}}'
    (tmp_path / state.ADDRESS_FILE).write_text(other, encoding="utf-8")

    state.remove_address(tmp_path)

    assert state.read_address(tmp_path) == "http://127.0.0.1:2/mcp"


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\x00"])
def test_a_damaged_address_is_no_address(tmp_path: Path, content: str) -> None:
    (tmp_path / state.ADDRESS_FILE).write_text(content, encoding="utf-8")

    assert state.read_address(tmp_path) == ""
