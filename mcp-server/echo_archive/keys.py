"""Keys: what a message is called for ever, whatever happens to its text, names or time zone."""

from __future__ import annotations

from hashlib import blake2b

HASH_BYTES, ID_DIGITS = 16, 20


def native_key(source: str, conversation: str, native_id: str, occurrence: int = 1) -> bytes:
    """The key of a message that its source names itself.

    Args:
        source: As in `Export.source`.
        conversation: The conversation's key.
        native_id: The source's own id.
        occurrence: Above 1 where one export gives one id to several messages.
    """
    return _digest(f"native\x1f{source}\x1f{conversation}\x1f{native_id}\x1f{occurrence}")


def written_key(
    source: str, conversation: str, written: str, sender: str, occurrence: int
) -> bytes:
    """The key of a message without an id: the how-manieth of this sender at this written time."""
    return _digest(
        f"written\x1f{source}\x1f{conversation}\x1f{written}\x1f{sender}\x1f{occurrence}"
    )


def message_id(key: bytes) -> str:
    """The public id: the beginning of the key."""
    return key.hex()[:ID_DIGITS]


def key_range(reference: str) -> tuple[bytes, bytes] | None:
    """First and last key that an id or a whole hash can mean, or None when it is neither."""
    text = reference.strip().lower()
    if len(text) not in (ID_DIGITS, 2 * HASH_BYTES) or not set(text) <= set("0123456789abcdef"):
        return None
    width = 2 * HASH_BYTES
    return bytes.fromhex(text.ljust(width, "0")), bytes.fromhex(text.ljust(width, "f"))


def text_digest(text: str) -> bytes:
    """What a text is recognised by, to see whether its embedding is still its own."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def _digest(named: str) -> bytes:
    return blake2b(named.encode("utf-8", "replace"), digest_size=HASH_BYTES).digest()
