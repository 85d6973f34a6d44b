"""Settings: everything is checked at once, and every fault is named."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from echo_mcp.settings import Flags, Settings
from echo_memory.errors import Misconfigured

GOOD = {
    "ECHO_BASE": "file:///srv/notes",
    "ECHO_MCP_TOKEN": "x" * 32,
    "ECHO_STATE_DIR": "/srv/state",
}


def test_what_is_not_said_has_its_documented_default() -> None:
    settings = Settings.from_env(GOOD)

    assert settings.config.vault == Path("/srv/notes")
    assert settings.profile == "full"
    assert (settings.host, settings.port, settings.hosts) == ("127.0.0.1", 8765, ())
    assert settings.proxies == ()
    assert (settings.index_ttl, settings.log_format, settings.log_level) == (60, "text", "info")


def test_everything_can_be_said() -> None:
    said = {
        "ECHO_MCP_TOOLS": "core",
        "ECHO_MCP_HOST": "0.0.0.0",
        "ECHO_MCP_PORT": "9000",
        "ECHO_MCP_HOSTS": " Notes.example.org, echo:8765 ,[fd00::1],notes.example.org",
        "ECHO_MCP_PROXIES": "172.18.0.2, 10.0.0.0/8,2001:DB8::/32,::1",
        "ECHO_MCP_INDEX_TTL": "2.5",
        "ECHO_MCP_OAUTH": "1",
        "ECHO_LOG": "JSON",
        "ECHO_LOG_LEVEL": "Debug",
        "ECHO_MCP_TOKEN": f"  {'y' * 40}\n",
    }
    settings = Settings.from_env(GOOD | said)

    assert (settings.profile, settings.host, settings.port) == ("core", "0.0.0.0", 9000)
    assert settings.hosts == ("notes.example.org", "echo:8765", "[fd00::1]")
    assert settings.proxies == ("172.18.0.2", "10.0.0.0/8", "2001:db8::/32", "::1")
    assert (settings.index_ttl, settings.log_format, settings.log_level) == (2.5, "json", "debug")
    assert settings.token == "y" * 40
    assert settings.oauth is True


def test_the_command_line_comes_before_the_environment() -> None:
    flags = Flags(vault="/other", state_dir="/elsewhere", host="::1", port="0")
    settings = Settings.from_env(GOOD | {"ECHO_MCP_PORT": "9000"}, flags)

    assert settings.config.vault == Path("/other")
    assert settings.config.state_dir == Path("/elsewhere")
    assert (settings.host, settings.port) == ("::1", 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ECHO_BASE", ""),
        ("ECHO_BASE", "notes"),
        ("ECHO_TZ", "Mars/Olympus"),
        ("ECHO_MCP_TOKEN", ""),
        ("ECHO_MCP_TOKEN", "x" * 31),
        ("ECHO_MCP_TOKEN", "x" * 31 + " x"),
        ("ECHO_MCP_TOKEN", "é" * 32),
        ("ECHO_MCP_TOOLS", "all"),
        ("ECHO_MCP_PORT", "http"),
        ("ECHO_MCP_PORT", "65536"),
        ("ECHO_MCP_PORT", "-1"),
        ("ECHO_MCP_PORT", "9" * 5000),
        ("ECHO_MCP_PORT", "٣"),
        ("ECHO_MCP_HOSTS", "https://notes.example.org"),
        ("ECHO_MCP_HOSTS", "notes.example.org/mcp"),
        ("ECHO_MCP_HOSTS", "*"),
        ("ECHO_MCP_TOKEN", "SECRET:the-token-of-my-memory-server"),
        ("ECHO_MCP_PROXIES", "*"),
        ("ECHO_MCP_PROXIES", "proxy.example.org"),
        ("ECHO_MCP_PROXIES", "0.0.0.0/0"),
        ("ECHO_MCP_PROXIES", "10.0.0.1, ::/0"),
        ("ECHO_MCP_PROXIES", "10.0.0.1/8"),
        ("ECHO_OUTBOX_ALERT_H", "0"),
        ("ECHO_OUTBOX_ALERT_H", "1e300"),
        ("ECHO_ALERT_URL", "ntfy"),
        ("ECHO_ALERT_URL", "://x"),
        ("ECHO_MCP_INDEX_TTL", "0"),
        ("ECHO_MCP_INDEX_TTL", "nan"),
        ("ECHO_MCP_INDEX_TTL", "soon"),
        ("ECHO_MCP_OAUTH", "maybe"),
        ("ECHO_LOG", "xml"),
        ("ECHO_LOG_LEVEL", "loud"),
    ],
)
def test_a_malformed_variable_is_named_and_its_value_is_not_shown(name: str, value: str) -> None:
    with pytest.raises(Misconfigured) as raised:
        Settings.from_env(GOOD | {name: value})

    (fault,) = [
        fault for fault in raised.value.details["faults"] if not fault.startswith("ECHO_KEY")
    ]
    assert fault.startswith(name)
    assert not (len(value) > 5 and value in raised.value.message)


def test_every_fault_is_named_at_once() -> None:
    env = {"ECHO_BASE": "https:vault", "ECHO_MCP_PORT": "x", "ECHO_LOG": "xml"}
    with pytest.raises(Misconfigured) as raised:
        Settings.from_env(env)

    named = [fault.split()[0] for fault in raised.value.details["faults"]]
    assert sorted(named) == ["ECHO_BASE", "ECHO_KEY", "ECHO_LOG", "ECHO_MCP_PORT", "ECHO_MCP_TOKEN"]


def test_a_token_is_only_missing_where_one_is_needed() -> None:
    env = GOOD | {"ECHO_MCP_TOKEN": ""}

    assert Settings.from_env(env, needs_token=False).token == ""


def test_the_token_stays_out_of_what_is_printed() -> None:
    assert GOOD["ECHO_MCP_TOKEN"] not in repr(Settings.from_env(GOOD))


def test_where_alerts_go_is_read_and_never_shown(tmp_path: Path) -> None:
    env = {
        "ECHO_BASE": tmp_path.as_uri(),
        "ECHO_MCP_TOKEN": "x" * 32,
        "ECHO_ALERT_URL": " mailto://me:hunter2@example.org ",
        "ECHO_OUTBOX_ALERT_H": "1.5",
    }

    settings = Settings.from_env(env)

    assert settings.alert_url == "mailto://me:hunter2@example.org"
    assert settings.outbox_limit == timedelta(minutes=90)
    assert "hunter2" not in repr(settings)


def test_an_address_that_is_none_is_not_quoted(tmp_path: Path) -> None:
    env = {"ECHO_BASE": tmp_path.as_uri(), "ECHO_ALERT_URL": "hunter2"}

    with pytest.raises(Misconfigured) as caught:
        Settings.from_env(env)

    assert "ECHO_ALERT_URL" in caught.value.message
    assert "hunter2" not in str(caught.value.details) + caught.value.message
