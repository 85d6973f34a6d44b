"""Reruns: files that an exporter wrote into again, so that everything stands in them twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b


def latest_rows(rows: Iterable[tuple[str, str]]) -> tuple[set[int], int]:
    """Which rows to keep, by number from 0, and how many are older copies of one that is kept.

    A message is the how-manieth of its sender at its time within one run. A new run begins where
    the time of the very first row comes again after others.

    Args:
        rows: Time as written, in a form that sorts, and sender.
    """
    kept: dict[bytes, int] = {}
    in_run: Counter[bytes] = Counter()
    first, previous, count = None, "", 0
    for number, (time, sender) in enumerate(rows):
        first = time if first is None else first
        if time <= first < previous:
            in_run.clear()
        previous, count = time, number + 1
        moment = _digest(time, sender)
        in_run[moment] += 1
        kept[moment + in_run[moment].to_bytes(4, "big")] = number
    return set(kept.values()), count - len(kept)


def _digest(time: str, sender: str) -> bytes:
    return blake2b(f"{time}\x1f{sender}".encode("utf-8", "replace"), digest_size=8).digest()
