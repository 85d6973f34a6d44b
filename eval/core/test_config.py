"""The configuration: what the environment may say, and every fault of it told at once."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from echo_memory.config import Config, absolute
from echo_memory.errors import Misconfigured
from echo_memory.rest.access import Access


def faults(env: dict[str, str], **flags: str) -> list[str]:
    with pytest.raises(Misconfigured) as raised:
        Config.from_env(env, **flags)
    found: list[str] = raised.value.details["faults"]
    assert raised.value.message == "The configuration cannot be used. " + " ".join(found)
    return found


@pytest.mark.parametrize(
    ("base", "folder"),
    [
        ("file:///home/ada/notes", "/home/ada/notes"),
        ("file://localhost/home/ada/notes", "/home/ada/notes"),
        ("FILE:///notes", "/notes"),
        (" file:///notes ", "/notes"),
        ("file:///my%20notes%20%231%3F", "/my notes #1?"),
        ("file:///my notes", "/my notes"),
        ("file:///100%25", "/100%"),
        ("file:///Zo%C3%AB/日本", "/Zoë/日本"),
        ("file:///latin%E9", "/latin\udce9"),
        ("file:///latin\udce9", "/latin\udce9"),
        ("file:///a/../b", "/a/../b"),
        ("file:/notes", "/notes"),
    ],
)
def test_a_file_address_is_a_folder(base: str, folder: str) -> None:
    assert Config.from_env({"ECHO_BASE": base}).vault == Path(folder)


def test_everything_else_has_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")

    config = Config.from_env({"ECHO_BASE": "file:///notes"})

    assert config == Config(
        vault=Path("/notes"), state_dir=Path("/home/ada/.local/state/echo-mcp"), owner="", zone=None
    )


def test_the_environment_says_the_rest() -> None:
    config = Config.from_env(
        {
            "ECHO_BASE": "file:///notes",
            "ECHO_STATE_DIR": " /state\n",
            "ECHO_OWNER": "  Ada Lovelace\n",
            "ECHO_TZ": "Europe/Paris",
        }
    )

    assert (config.state_dir, config.owner) == (Path("/state"), "Ada Lovelace")
    assert config.zone == ZoneInfo("Europe/Paris")


def test_folders_that_are_given_take_the_environments_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.chdir(tmp_path)
    env = {"ECHO_BASE": "nonsense", "ECHO_STATE_DIR": "/state"}

    config = Config.from_env(env, vault="~/notes", state_dir="here")

    assert (config.vault, config.state_dir) == (Path("/home/ada/notes"), tmp_path / "here")


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    env = {"ECHO_BASE": "file:///notes", "ECHO_STATE_DIR": "", "ECHO_OWNER": "", "ECHO_TZ": " "}

    assert Config.from_env(env).zone is None


@pytest.mark.parametrize(
    ("base", "fault"),
    [
        ("", "file:///path/of/the/vault or to the address of the Local REST API"),
        ("  ", "file:///path/of/the/vault or to the address of the Local REST API"),
        ("/home/ada/notes", "not a vault's address"),
        ("~/notes", "not a vault's address"),
        ("notes", "not a vault's address"),
        ("file://notes", "not a vault's address"),
        ("file:notes", "not a vault's address"),
        ("file://", "not a vault's address"),
        ("file://host/share", "not a vault's address"),
        ("ftp://host/notes", "not a vault's address"),
        ("file://[::1/notes", "not a vault's address"),
        ("file:///notes#1", "%23"),
        ("file:///what?", "%3F"),
        ("file:///a%00b", "ECHO_BASE is not a path"),
        ("http://127.0.0.1:27123", "ECHO_KEY is missing"),
        ("HTTPS://127.0.0.1:27124", "ECHO_KEY is missing"),
    ],
)
def test_an_address_that_is_none_is_a_fault_that_says_how_to_write_it(
    base: str, fault: str
) -> None:
    (found,) = faults({"ECHO_BASE": base})

    assert fault in found


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Europe", "../../etc/passwd", "Europe/Paris\x00"])
def test_a_time_zone_that_is_none_is_a_fault(zone: str) -> None:
    (found,) = faults({"ECHO_BASE": "file:///notes", "ECHO_TZ": zone})

    assert found.startswith("ECHO_TZ is not a time zone")


def test_every_fault_is_told_at_once() -> None:
    found = faults({"ECHO_TZ": "Mars"}, state_dir="~nobody-has-this-name/x")

    assert [fault.split()[0] for fault in found] == ["ECHO_BASE", "--state-dir", "ECHO_TZ"]


@pytest.mark.parametrize("path", ["~nobody-has-this-name/notes", "a\x00b"])
def test_a_path_that_is_none_is_a_fault_by_the_name_it_was_given_under(path: str) -> None:
    assert faults({}, vault=path)[0].startswith("--vault is not a path")
    assert faults({"ECHO_STATE_DIR": path}, vault="/x")[0].startswith("ECHO_STATE_DIR is not")
    with pytest.raises(ValueError, match=r"."):
        absolute(path)


REST = {"ECHO_BASE": "https://127.0.0.1:27124/", "ECHO_KEY": " the-key\n"}


def test_the_address_of_the_local_rest_api_is_one_of_a_vault() -> None:
    config = Config.from_env({**REST, "ECHO_TIMEOUT": "2.5", "ECHO_WORKERS": "3"})

    assert isinstance(config.vault, Access)
    assert str(config.vault) == "https://127.0.0.1:27124"
    assert config.vault.headers == {"Authorization": "Bearer the-key"}
    assert (config.timeout, config.workers) == (2.5, 3)
    assert "the-key" not in repr(config)


def test_the_header_of_the_key_may_be_another() -> None:
    config = Config.from_env({**REST, "ECHO_AUTH_HEADER": "X-Key"})

    assert isinstance(config.vault, Access)
    assert list(config.vault.headers) == ["X-Key"]


def test_every_fault_of_the_rest_apis_settings_is_told_at_once(tmp_path: Path) -> None:
    found = faults(
        {
            "ECHO_BASE": "https://127.0.0.1:27124",
            "ECHO_AUTH_HEADER": "X Key",
            "ECHO_CA": str(tmp_path / "missing.pem"),
            "ECHO_TIMEOUT": "soon",
            "ECHO_WORKERS": "0",
        }
    )

    names = ["ECHO_KEY", "ECHO_AUTH_HEADER", "ECHO_CA", "ECHO_TIMEOUT", "ECHO_WORKERS"]
    assert [fault.split()[0] for fault in found] == names


def test_a_folder_needs_no_key(tmp_path: Path) -> None:
    assert Config.from_env({"ECHO_KEY": "a b", "ECHO_CA": "x"}, vault=str(tmp_path))
