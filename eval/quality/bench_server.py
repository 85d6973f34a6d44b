"""The server of a bench: the real application, with a tool that does nothing beside its own.

    python eval/quality/bench_server.py --vault DIR --state-dir DIR [--upkeep-after SECONDS]

It prints one line of JSON: the port, and when all was imported and the opening began (monotonic
seconds, which all processes share). Each line on stdin is a number of seconds: how often what is
derived is to be saved from then on. The end of stdin ends it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parents[1]))

from mcp_types import CallToolResult

from echo_mcp import logs, serve, state
from echo_mcp.app import create_app
from echo_mcp.commands import vaults
from echo_mcp.results import answer
from echo_mcp.settings import Flags, Settings
from echo_mcp.tools import registry
from echo_mcp.tools.spec import Spec, hints
from echo_mcp.upkeep import follower, staff
from echo_memory.envelope import success
from echo_memory.memory import Memory
from quality.bench_client import TOKEN


def echo_nothing(echo: Memory) -> CallToolResult:
    """Do nothing, as a measure of what every call costs."""
    return answer(success("nothing"))


def listen_to_orders() -> None:
    """Do what stdin says, until it ends."""
    for line in sys.stdin:
        follower.SAVE_EVERY_S = float(line)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Serve until stdin ends."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    vaults.declare(parser)
    parser.add_argument("--upkeep-after", type=float, help="how soon the first upkeep is done")
    values = parser.parse_args()
    if values.upkeep_after is not None:
        staff.FIRST_JOB_AFTER_S = values.upkeep_after
    began = time.monotonic()
    # The registry has no door for tools of others, and should not have one for a bench.
    registry._SPECS += (Spec(echo_nothing, "nothing", hints(read_only=True, idempotent=True)),)
    env = {"ECHO_MCP_TOKEN": TOKEN, "ECHO_MCP_PORT": "0"}
    settings = Settings.from_env(env, Flags.of(vars(values)))
    state.open_folder(settings.config.state_dir)
    with serve.listen(settings.host, settings.port) as opened:
        logs.configure(sys.stderr, style=settings.log_format, level=settings.log_level)
        memory = vaults.opened(settings, embedded=True, words=sys.stderr)
        print(json.dumps({"port": opened.getsockname()[1], "began": began}), flush=True)
        Thread(target=listen_to_orders, daemon=True).start()
        serve.run(create_app(settings, memory), opened)


if __name__ == "__main__":
    main()
