"""Registration: the lines with which each client is told of the server; no secret is in them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAME = "echo"
_HOOK_WITHIN_S = 30
_ENVIRONMENT_FILE = "~/.config/echo-mcp.env"
_FIRST = (
    "Echo is the memory of the operator, before any that the client keeps by itself: recall from it"
    " before you answer about the past, and capture in it what will still matter."
)


@dataclass(frozen=True)
class Registration:
    """What the lines are about.

    Attributes:
        url: the MCP endpoint.
        token_file: where the token is; None where the environment has it.
        server: the words that run `echo-mcp` on this machine.
        memory: the words that run the memory's command line on this machine.
        folders: the options with which both find a folder vault and its state.
        rest: whether the vault is behind the Local REST API.
    """

    url: str
    token_file: Path | None
    server: Sequence[str]
    memory: Sequence[str]
    folders: Sequence[str]
    rest: bool

    @property
    def public(self) -> bool:
        """Whether hosted clients can be told of it: they want TLS."""
        return self.url.startswith("https://")


def _secret(token_file: Path | None) -> str:
    """What a shell replaces by the token."""
    return f"$(cat {shlex.quote(str(token_file))})" if token_file else "$ECHO_MCP_TOKEN"


def claude_code_line(url: str, token_file: Path | None, *, name: str = _NAME) -> str:
    """The command that registers the server with Claude Code, for all of a person's projects."""
    return (
        f"claude mcp add --transport http {name} {shlex.quote(url)}"
        f' --header "Authorization: Bearer {_secret(token_file)}" --scope user'
    )


def claude_code(about: Registration) -> str:
    """Claude Code: the server itself, by its command line."""
    return (
        "Type this; the shell puts the token in, so that it is neither shown here nor in your"
        " history:\n\n"
        f"  {claude_code_line(about.url, about.token_file)}\n\n"
        f"Where it is registered already: `claude mcp remove {_NAME} --scope user` first."
    )


def claude_ai(about: Registration) -> str:
    """claude.ai: a custom connector, which its servers must be able to reach."""
    if not about.public:
        return (
            f"claude.ai cannot reach {about.url}. Put the server behind a reverse proxy with TLS,"
            " name the proxy's host in ECHO_MCP_HOSTS, then say `echo-mcp register` once more."
        )
    return (
        "Settings, Connectors, Add custom connector:\n\n"
        f"  Name  Echo\n"
        f"  URL   {about.url}\n\n"
        "With the sign-in on (ECHO_MCP_OAUTH=1), press Connect, and paste the token on the page"
        " that appears.\nWithout it, where request headers are offered: authentication None,"
        " header Authorization, value Bearer and the token.\n"
        f"{_shown(about)}\n"
        "Before that, see that all is well from outside:"
        f" `echo-mcp doctor --remote {shlex.quote(about.url)}`."
    )


def claude_desktop(about: Registration) -> str:
    """Claude Desktop: a connector of claude.ai, or a server that it starts itself."""
    if about.public:
        return "It has the connectors of claude.ai: add it there, and it is in Claude Desktop too."
    command = [*about.server, "stdio", *about.folders]
    key = ""
    if about.rest:
        words = f"set -a; . {_ENVIRONMENT_FILE}; exec {shlex.join(command)}"
        command = ["/bin/sh", "-c", words]
        key = (
            f"\n\n{_ENVIRONMENT_FILE} holds the variables (ECHO_BASE, ECHO_KEY, …), a line each;"
            " readable for you alone (`chmod 600`)."
        )
    entry = {_NAME: {"command": command[0], "args": command[1:]}}
    return (
        "Settings, Developer, Edit Config (claude_desktop_config.json); it starts the server"
        f" itself, without a port or a token:\n\n{_json({'mcpServers': entry})}{key}"
    )


def generic(about: Registration) -> str:
    """Any client that speaks streamable HTTP, and a look at the server without one."""
    header = "Authorization: Bearer"
    entry = {
        _NAME: {
            "type": "http",
            "url": about.url,
            "headers": {"Authorization": "Bearer ${ECHO_MCP_TOKEN}"},
        }
    }
    export = f'  export ECHO_MCP_TOKEN="{_secret(about.token_file)}"\n' if about.token_file else ""
    return (
        f"Transport streamable HTTP, address {about.url}, header `{header}` and the token. Many"
        f" clients read this, and take the token from their environment:\n\n"
        f"{_json({'mcpServers': entry})}\n\n{export}\n"
        f"{_shown(about)}"
    )


def hooks(about: Registration) -> str:
    """Hooks of Claude Code: its own memory otherwise answers first."""
    load = f"{shlex.join([*about.memory, *about.folders, 'load'])} && echo {shlex.quote(_FIRST)}"
    entry = {
        "hooks": {
            "SessionStart": [{"hooks": [_hook(load)]}],
            "Stop": [{"hooks": [_hook(shlex.join([*about.server, "remind"]))]}],
        }
    }
    needs = (
        "\n\nThe first one needs ECHO_BASE, ECHO_KEY and ECHO_CA in the environment in which"
        " Claude Code is started, as the server has them."
        if about.rest
        else ""
    )
    return (
        "In ~/.claude/settings.json, on the machine where the notes or their key are. A session"
        " then begins with where things stand, and one that goes on for long without keeping"
        f" anything is reminded:\n\n{_json(entry)}{needs}"
    )


CLIENTS: dict[str, Callable[[Registration], str]] = {
    "claude-code": claude_code,
    "claude.ai": claude_ai,
    "claude-desktop": claude_desktop,
    "generic": generic,
    "hooks": hooks,
}
"""What there are lines for, each with the function that writes them."""


def _shown(about: Registration) -> str:
    if about.token_file:
        return f"`cat {shlex.quote(str(about.token_file))}` shows the token."
    return "The token is what ECHO_MCP_TOKEN says where the server is started."


def _hook(command: str) -> dict[str, Any]:
    return {"type": "command", "command": command, "timeout": _HOOK_WITHIN_S}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
