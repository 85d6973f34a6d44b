"""The bench of the archive: it runs, and prints a line for each figure; nobody judges it here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_S = 240
IMPORTED = ["import", "plain FTS5"]
ASKED = [
    "a common word", "two common words", "a rarer word", "five words", "a phrase", "+word -word",
    "one letter*", "two letters*", "three letters*", "Chinese", "an emoji", "in a conversation",
    "two, of a sender", "of a source, a month", "in a chat, by a sender", "list_conversations",
    "get_conversation", "get_context", "list_media", "list_links",
    "nearest of all", "nearest in a chat", "nearest in a time",
]  # fmt: skip


def test_every_figure_of_the_archive_is_printed(tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            sys.executable, str(ROOT / "eval/quality/archive_bench.py"), "--messages", "6000",
            "--vectors", "500", "--folder", str(tmp_path),
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT / "mcp-server")},
        timeout=PATIENCE_S, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.stderr == ""
    for name in ASKED:
        assert re.search(
            rf"^{re.escape(name)} +p50 +[\d.]+ ms +p99 +[\d.]+ ms", ended.stdout, re.MULTILINE
        )
    for name in IMPORTED:
        assert re.search(rf"^{name} .*[\d,]+(?: rows)?/s of one core", ended.stdout, re.MULTILINE)
    assert list(tmp_path.iterdir()) == []
