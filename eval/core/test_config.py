"""The configuration: what the environment may say, and every fault of it told at once."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from echo_memory.config import Config, absolute
from echo_memory.errors import Misconfigured


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
            "ECHO_STATE_DIR": "/state",
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
        ("", "ECHO_BASE is missing: set it to file:///path/of/the/vault, or give --vault DIR."),
        ("  ", "ECHO_BASE is missing: set it to file:///path/of/the/vault, or give --vault DIR."),
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
        ("http://127.0.0.1:27123", "Local REST API"),
        ("HTTPS://127.0.0.1:27124", "Local REST API"),
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
