"""Bootstrap: make a folder an ECHO vault; for the operator."""

from __future__ import annotations

from functools import partial

from echo_memory import draft, own_nonce, routing, shared_index, vault_lock
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory


def bootstrap_op(echo: Memory, *, anew: bool = False) -> Envelope:
    """Add the fixed notes that are missing, the marker last; nothing that is there is touched.

    Args:
        echo: the memory.
        anew: also where a vault was known that had another marker.

    Returns:
        `created` and `kept`, both lists of paths.

    Raises:
        VaultUnreachable: another vault was known here, or this one with its marker.
    """
    echo.mirror.refresh(checked=not anew)
    table = routing.table()
    fixed = [kind for name, kind in table.fixed.items() if kind.bootstrap and name != "marker"]
    outcome: dict[str, list[str]] = {"created": [], "kept": []}
    for kind in [*fixed, table.fixed["marker"]]:
        skeleton = _skeleton(echo, kind)
        made = echo.edit(kind.path, partial(_unless_there, skeleton))
        outcome["created" if made.before is None else "kept"].append(kind.path)
    if echo.acquaintance.is_made():
        echo.acquaintance.renew(made.after)
    warnings = shared_index.publish_now(echo)
    return success("bootstrap", **outcome, warnings=warnings)


def reindex_op(echo: Memory) -> Envelope:
    """Read every note again and write the shared entity index from what they say.

    Returns:
        `notes` and `entities`, both counts; `lock-held` where somebody has the vault's lock.
    """
    echo.prepare(ordered=False)
    echo.mirror.refresh()
    other = vault_lock.holding(echo)
    nonce = own_nonce.kept(echo.config)
    ours = other is not None and bool(nonce) and other.nonce == nonce
    if other is not None and not ours:
        return vault_lock.lock_held("reindex", other, echo.clock())
    warnings = shared_index.publish_now(echo, has_lock=ours)
    return success(
        "reindex",
        notes=echo.catalog.note_count,
        entities=len(echo.catalog.entities),
        warnings=warnings,
    )


def _unless_there(skeleton: str, text: str | None) -> str:
    return skeleton if text is None else text


def _skeleton(echo: Memory, kind: routing.Kind) -> str:
    table = routing.table()
    known: dict[str, object] = {
        "schema_version": table.schema_version,
        "owner": echo.config.owner,
        "created": echo.today().isoformat(),
    }
    values = {key: known.get(key) for key in kind.keys}
    return draft.fixed(kind, values={"title": kind.title, **values})
