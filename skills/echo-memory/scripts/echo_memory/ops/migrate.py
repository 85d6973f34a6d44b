"""Migrate: bring a vault's marker to the schema of this version; for the operator."""

from __future__ import annotations

from collections.abc import Mapping

from echo_memory import arguments, frontmatter, routing
from echo_memory.deed import doing
from echo_memory.envelope import Envelope, success
from echo_memory.errors import Misconfigured
from echo_memory.memory import Memory, marker_path
from echo_memory.note import Note


def migrate_op(echo: Memory, *, apply: bool = False) -> Envelope:
    """Say what the vault lacks of this version's schema, and add it where that is applied.

    Before schema 1 the marker had no version; all that it lacks are keys of its frontmatter.

    Args:
        echo: the memory.
        apply: whether to write; else only the plan.

    Returns:
        `action` (`current`, `preview` or `migrated`), `from_version` (0 where none is known),
        `to_version`, and `changes` in words.

    Raises:
        Misconfigured: the vault is of a newer version than this program.
        NotBootstrapped: it is not an ECHO vault yet.
        Unparseable: the marker's frontmatter does not parse.
    """
    wanted = arguments.flag(apply, "apply")
    echo.prepare(ordered=False)
    path, to = marker_path(), routing.table().schema_version
    marker = Note(path, echo.vault.read(path))
    version = _version(marker)
    if version > to:
        raise Misconfigured(
            f"The vault has schema version {version}, and this program knows {to}. Install the"
            " version of echo-memory that made it."
        )
    missing = _missing(echo, marker)
    warnings: list[str] = []
    if wanted and missing:
        with doing("migrate") as deed:
            done = echo.edit(path, lambda text: _completed(echo, text))
        warnings = deed.warnings
        echo.acquaintance.renew(done.after)  # or it would pass for another vault
    action = "current" if not missing else "migrated" if wanted else "preview"
    return success(
        "migrate",
        action=action,
        from_version=version,
        to_version=to,
        changes=[f"{path}: {key}: {value}" for key, value in missing.items()],
        warnings=warnings,
    )


def _version(marker: Note) -> int:
    if marker.fault is not None:
        raise marker.fault.of(marker.path)
    said = marker.scalar("schema_version")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else 0


def _missing(echo: Memory, marker: Note) -> Mapping[str, object]:
    """The keys that the marker needs and lacks, with what they become."""
    table = routing.table()
    wanted: dict[str, object] = {
        "schema_version": table.schema_version,
        "created": echo.today().isoformat(),
    }
    version = _version(marker)
    lacks = {key for key in wanted if not marker.scalar(key)}
    if version < table.schema_version:
        lacks.add("schema_version")
    return {key: value for key, value in wanted.items() if key in lacks}


def _completed(echo: Memory, text: str | None) -> str:
    there = text or ""
    missing = _missing(echo, Note(marker_path(), there))
    keys = routing.table().date_keys
    return frontmatter.set_keys(there, missing, date_keys=keys) if missing else there
