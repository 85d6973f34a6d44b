"""The commands `archive …`: the messages of chat apps, imported, looked at and served."""

from __future__ import annotations

ABOUT = """\
Your own messages of Signal, iMessage, WhatsApp, Telegram, Messenger, Instagram and Discord in one
file on this machine, which an assistant may search and nobody may change.

  echo-mcp archive import ~/Downloads/export.zip     put what an app exported into the archive
  echo-mcp archive status                            what is in it
  claude mcp add messages -- echo-mcp archive serve  let Claude Code search it

The archive is `archive.db` in the state folder (~/.local/state/echo-mcp); --archive FILE or
ECHO_ARCHIVE names another. With ECHO_ARCHIVE set, `echo-mcp serve` and `stdio` offer its tools too.
"""

COMMANDS = {
    "import": "put exports of chat apps into the archive",
    "status": "what the archive holds",
    "embed": "make it searchable by meaning, with an embedding model",
    "export": "write every message out as JSON",
    "serve": "let an assistant search it, over stdio or HTTP",
}
"""The commands, each the name of its module after `archive_`, and a line about it."""
