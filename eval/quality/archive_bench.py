"""How fast the message archive imports and answers, how much room it takes, beside plain FTS5.

    python eval/quality/archive_bench.py [--messages 2000000] [--vectors 200000] [--folder DIR]

An invented export is written, imported on one core, and asked questions of several kinds by a
process of its own, whose memory is the server's. Times are those of one core (set
`OMP_NUM_THREADS=1`), warm. What can be compared between machines is the time beside FTS5's own,
with a plain table of the same texts in the same run: for its import alone, and for its ranking.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

import numpy as np
from archive_generator import write
from scratch import scratch

from echo_archive.importing import import_paths
from echo_archive.keys import text_digest
from echo_archive.ops.conversations import list_conversations_op
from echo_archive.ops.links import list_links_op
from echo_archive.ops.media import list_media_op
from echo_archive.ops.search import search_messages_op
from echo_archive.ops.transcript import get_context_op, get_conversation_op
from echo_archive.reading import Archive
from echo_archive.records import Options
from echo_archive.schema import COUNTER_BITS
from echo_archive.scope import Scope
from echo_archive.vectors import build, load, matrix_path

DIMENSIONS, SEED, ASKED = 384, 5, 60
Row = tuple[str, float, float, float | None]


def _milliseconds(call: Callable[[], object]) -> float:
    """What a call costs of one core; a clock on the wall would tell of the neighbours too."""
    begin = time.process_time()
    call()
    return (time.process_time() - begin) * 1000


def _figures(times: list[float]) -> tuple[float, float]:
    cuts = quantiles(times, n=100)
    return cuts[49], cuts[98]


def _import(folder: Path, database: Path, messages: int) -> None:
    export = write(folder, messages)
    wall, cpu = time.perf_counter(), time.process_time()
    report = import_paths(database, [export], Options(), lambda _export, _count: None)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"import     {report.total('added'):,} messages, {messages / cpu:,.0f}/s of one core, "
        f"{messages / wall:,.0f}/s, {database.stat().st_size / 2**20:,.0f} MiB, rss {rss:,.0f} MiB"
    )


def _plain(database: Path, folder: Path) -> Path:
    """FTS5 as it comes, over the same texts."""
    path = folder / "plain.db"
    with sqlite3.connect(path) as plain:
        plain.execute("create virtual table plain using fts5(text, content='')")
        plain.execute("attach ? as archive", (str(database),))
        count = plain.execute("select count(*) from archive.message").fetchone()[0]
        milliseconds = _milliseconds(
            lambda: plain.execute(
                "insert into plain(rowid, text) select id, body from archive.message order by id"
            )
        )
    plain.close()
    print(f"plain FTS5 {count / milliseconds * 1000:,.0f} rows/s of one core, text alone")
    return path


def _questions(database: Path) -> dict[str, list[dict[str, Any]]]:
    """Kinds of questions, each with arguments to ask."""
    with sqlite3.connect(database) as opened:
        common = [
            word
            for (word,) in opened.execute(
                "select term from message_vocabulary where col = 'text'"
                " order by doc desc limit 2000"
            )
            if word.isalpha() and len(word) > 1
        ]
        names = [name for (name,) in opened.execute("select name from person limit 300")]
        chats = [
            key
            for (key,) in opened.execute(
                "select 'telegram:' || key from conversation order by messages desc limit 60"
            )
        ]
    opened.close()
    pick = random.Random(SEED).choice
    top, middle, rare = common[:30], common[30:600], common[-len(common) // 3 :]
    months = [
        {"start": f"{year}-{month:02}", "end": f"{year}-{month:02}"}
        for year in range(2015, 2024)
        for month in range(1, 13)
    ]
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "a common word": lambda: {"query": pick(top)},
        "two common words": lambda: {"query": f"{pick(top)} {pick(top)}"},
        "a rarer word": lambda: {"query": pick(rare)},
        "five words": lambda: {"query": " ".join(pick(middle) for _ in range(5))},
        "a phrase": lambda: {"query": f'"{pick(top)} {pick(top)}"'},
        "+word -word": lambda: {"query": f"+{pick(middle)} -{pick(top)}"},
        "one letter*": lambda: {"query": f"{pick('bdfgklmnprstvz')}*"},
        "two letters*": lambda: {"query": f"{pick(common)[:2]}*"},
        "three letters*": lambda: {"query": f"{pick(middle)[:3]}*"},
        "Chinese": lambda: {"query": pick(["时大", "的一是", "我"])},
        "an emoji": lambda: {"query": pick("👍😂🦀")},
        "in a conversation": lambda: {"query": pick(middle), "conversation": pick(chats)},
        "two, of a sender": lambda: {"query": f"{pick(top)} {pick(middle)}", "sender": pick(names)},
        "of a source, a month": lambda: {
            "query": pick(top), "source": "telegram", **pick(months),
        },
        "in a chat, by a sender": lambda: {
            "query": pick(top), "conversation": pick(chats), "sender": "Me",
        },
    }  # fmt: skip
    return {kind: [make() for _ in range(ASKED)] for kind, make in makers.items()}


def _ask(database: Path, plain: Path) -> None:
    archive = Archive(database)
    other = sqlite3.connect(f"file:{plain}?mode=ro", uri=True)
    rows: list[Row] = []
    for kind, questions in _questions(database).items():
        search_messages_op(archive, **questions[0])
        times = [
            _milliseconds(lambda said=said: search_messages_op(archive, **said))
            for said in questions
        ]
        ratio = None
        comparable = all(set(said) == {"query"} for said in questions)
        if comparable and kind not in ("+word -word", "Chinese", "an emoji"):
            theirs = [
                _milliseconds(lambda said=said: _plainly(other, said["query"]))
                for said in questions[:10]
            ]
            ratio = sorted(theirs)[5] / sorted(times)[len(times) // 2]
        rows.append((kind, *_figures(times), ratio))
    rows += _others(archive)
    for kind, middle, worst, ratio in rows:
        beside = f"   plain FTS5 takes {ratio:.1f} times as long" if ratio else ""
        print(f"{kind:24} p50 {middle:7.1f} ms   p99 {worst:7.1f} ms{beside}")
    print(f"memory     {_memory():,.0f} MiB")


def _memory() -> float:
    """The most this process held; `getrusage` would tell of the process it was started by."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _plainly(database: sqlite3.Connection, query: str) -> object:
    phrase = query.startswith('"') or query.endswith("*")
    asked = query if phrase else " OR ".join(f'"{word}"' for word in query.split())
    return database.execute(
        "select rowid from plain where plain match ? order by rank limit 20", (asked,)
    ).fetchall()


def _others(archive: Archive) -> list[Row]:
    listed = list_conversations_op(archive)["conversations"]
    chats = [one["conversation_id"] for one in listed]
    known = get_conversation_op(archive, conversation=chats[0])["messages"]
    ops: dict[str, Callable[[int], object]] = {
        "list_conversations": lambda _: list_conversations_op(archive),
        "get_conversation": lambda n: get_conversation_op(
            archive, conversation=chats[n % len(chats)]
        ),
        "get_context": lambda n: get_context_op(
            archive, message_id=known[n % len(known)]["message_id"]
        ),
        "list_media": lambda n: list_media_op(archive, conversation=chats[n % len(chats)]),
        "list_links": lambda _: list_links_op(archive),
    }
    return [
        (name, *_figures([_milliseconds(lambda n=n, call=call: call(n)) for n in range(20)]), None)
        for name, call in ops.items()
    ]


def _vectors(database: Path, count: int) -> None:
    """Made-up vectors for the oldest messages, then the nearest to some of them."""
    made = np.random.default_rng(SEED)
    with sqlite3.connect(database) as opened:
        opened.execute("insert or ignore into model(id, name) values(1, 'invented')")
        rows = opened.execute(
            "select hash, body from message order by id limit ?", (count,)
        ).fetchall()
        opened.executemany(
            "insert or replace into embedding values(?, 1, ?, ?)",
            (
                (key, text_digest(body), made.standard_normal(DIMENSIONS).astype("<f4").tobytes())
                for key, body in rows
            ),
        )
        opened.commit()
        begin = time.perf_counter()
        build(opened, database, 1)
        print(f"vectors    {len(rows):,} x {DIMENSIONS}, file made in "
              f"{time.perf_counter() - begin:.1f} s")  # fmt: skip
        bounds = opened.execute("select min(id), max(id) from message").fetchone()
        busiest = opened.execute(
            "select id from conversation order by messages desc limit 1"
        ).fetchone()[0]
    opened.close()
    matrix = load(matrix_path(database, 1))
    if matrix is None:
        raise SystemExit("The file of vectors was not made.")
    middle = bounds[0] + ((bounds[1] - bounds[0]) >> COUNTER_BITS + 4 << COUNTER_BITS)
    scopes = {
        "nearest of all": Scope(),
        "nearest in a chat": Scope(conversation=busiest),
        "nearest in a time": Scope(last=middle),
    }
    for name, scope in scopes.items():
        queries = made.standard_normal((40, DIMENSIONS)).astype(np.float32)
        times = [
            _milliseconds(lambda query=query, scope=scope: matrix.nearest(query, scope, 20))
            for query in queries
        ]
        print(f"{name:24} p50 {_figures(times)[0]:7.1f} ms   p99 {_figures(times)[1]:7.1f} ms")
    exact = [_milliseconds(lambda query=query: matrix.vectors @ query) for query in queries[:10]]
    print(f"{'exact product, all':24} p50 {sorted(exact)[5]:7.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=2_000_000)
    parser.add_argument("--vectors", type=int, default=200_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--ask", nargs=2, type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.ask:
        _ask(*told.ask)
        return
    with scratch(told.folder) as folder:
        _all(folder, told.messages, told.vectors)


def _all(folder: Path, messages: int, vectors: int) -> None:
    print(json.dumps({"messages": messages, "vectors": vectors, "sqlite": sqlite3.sqlite_version}))
    database = folder / "archive.db"
    _import(folder, database, messages)
    plain = _plain(database, folder)
    subprocess.run([sys.executable, __file__, "--ask", str(database), str(plain)], check=True)
    _vectors(database, min(vectors, messages))


if __name__ == "__main__":
    main()
