"""The house: which module may know which, and what is done in one place only.

`LAYERS` is the table, from the bottom to the top. A module imports from lower layers only; within
a pure layer it may import its neighbours, as long as nobody goes round in a circle. A
rule is a function from sources to complaints, so that each is seen to fail on a made-up source.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from echo_mcp.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
CORE, SERVER, ARCHIVE = "echo_memory", "echo_mcp", "echo_archive"
PACKAGES = {
    CORE: ROOT / "skills/echo-memory/scripts",
    SERVER: ROOT / "mcp-server",
    ARCHIVE: ROOT / "mcp-server",
}

# Bottom to top; `room.*` is every module of a room that no line names by itself.
PURE = """
    errors envelope lines text multimap recent arguments routing proposal
    yaml.* markdown.* naming.* retrieval.* checks.*
    frontmatter head sections links paths note entities groups mentions graph recallable tables
    ranking
    answers difference digest draft inbox processing_log scope faults hits outcomes waiting report
    past attempt vault_paths freshness alarms
"""
PURE_OF_ARCHIVE = """
    errors characters keys links media quoting safe_paths json_repair json_stream words query
    scoring highlights fusion arguments cursors
    importers.typedstream importers.reruns importers.whatsapp_dates importers.whatsapp_events
    importers.whatsapp_header importers.whatsapp_markers
"""
LAYERS: list[tuple[str, str, str]] = [
    ("pure: text in, values out", CORE, PURE),
    ("what vaults stand on", CORE, "vault deed locks scratch writers tally rest.access"),
    ("", CORE, "state_file"),
    ("", CORE, "acquaintance"),
    ("", CORE, "config folder rest.answers outbox_entry outbox_database copies history_file"),
    ("", CORE, "rest.faults outbox_file own_nonce history"),
    ("", CORE, "rest.client history_vault ledger"),
    ("", CORE, "rest.files rest.stamps"),
    ("vaults", CORE, "folder_vault rest_vault outbox"),
    ("what is held of all notes", CORE, "shelf"),
    ("", CORE, "recall_index"),
    ("what the notes say", CORE, "catalog"),
    ("what a reference means", CORE, "finding mirror"),
    ("what is kept of all notes", CORE, "words_file index_store"),
    ("what every operation gets", CORE, "memory"),
    ("", CORE, "opening"),
    ("decisions", CORE, "planning linting vault_lock health_note fixed_notes"),
    ("", CORE, "shared_index"),
    ("the writing engine", CORE, "writing queueing"),
    ("operations, none of which knows another", CORE, "ops.*"),
    ("the command line", CORE, "commands.command commands.inputs"),
    ("", CORE, "commands.reading commands.writing commands.operating"),
    ("", CORE, "commands.table"),
    ("", CORE, "cli"),
    ("pure: what exports and questions say", ARCHIVE, PURE_OF_ARCHIVE),
    ("", ARCHIVE, "passing"),
    (
        "what the archive stands on",
        ARCHIVE,
        "records tree zips wall_clock schema parameters embedding importers.text_lines",
    ),
    ("", ARCHIVE, "spans"),
    (
        "importers",
        ARCHIVE,
        "importers.bench importers.soundness importers.signal_markdown importers.whatsapp_rows",
    ),
    (
        "",
        ARCHIVE,
        "importers.imessage_open importers.imessage_tapbacks importers.meta_content"
        " importers.signal_people importers.telegram_people importers.whatsapp_content",
    ),
    (
        "",
        ARCHIVE,
        "importers.imessage_blocks importers.imessage_rows importers.signal_items"
        " importers.telegram_content",
    ),
    ("one importer a format", ARCHIVE, "importers.*"),
    ("", ARCHIVE, "importers.table"),
    ("", ARCHIVE, "recognise"),
    ("the store", ARCHIVE, "content key_filter moments register reports scope stamps store"),
    ("", ARCHIVE, "alignment conversion key_index rows vectors word_index"),
    ("", ARCHIVE, "filling filters merge nearness reindexing search shapes summaries"),
    ("", ARCHIVE, "importing pages reading"),
    ("", ARCHIVE, "export status"),
    ("operations on messages, none of which knows another", ARCHIVE, "ops.*"),
    ("the warm index of words", SERVER, "warm.postings"),
    ("", SERVER, "warm.snapshot"),
    ("", SERVER, "warm.index_file warm.readings_file"),
    (
        "what the server stands on",
        SERVER,
        "warm.inverted state loopback logs auth escapes connections tools.faults tools.spec"
        " upkeep.breath upkeep.loop upkeep.interpreter archive.words archive.machine_zone"
        " remote.wire",
    ),
    ("", SERVER, "variables"),
    ("", SERVER, "archive.place"),
    ("", SERVER, "settings archive.settings archive.opening client results tools.arguments"),
    ("", SERVER, "archive.results remote.address"),
    (
        "the sign-in",
        SERVER,
        "oauth.refusal oauth.sealing oauth.redirects oauth.site oauth.throttle",
    ),
    ("", SERVER, "oauth.clients oauth.grants oauth.bodies"),
    ("", SERVER, "oauth.authorization"),
    ("", SERVER, "oauth.issuer oauth.page"),
    ("", SERVER, "oauth.consent"),
    ("", SERVER, "oauth.endpoints"),
    ("what clients are told, and see", SERVER, "registration reminder remote.visitor"),
    (
        "",
        SERVER,
        "remote.certificate remote.vitals remote.door remote.metadata remote.eras remote.load",
    ),
    ("", SERVER, "remote.examination"),
    ("backups", SERVER, "backups.manifest backups.sources backups.shelf"),
    ("", SERVER, "backups.folder_source backups.rest_source backups.archive"),
    ("", SERVER, "backups.making backups.restoring backups.applying"),
    (
        "",
        SERVER,
        "upkeep.follower upkeep.publisher upkeep.reader upkeep.watcher upkeep.schedule upkeep.first"
        " warm.store",
    ),
    ("", SERVER, "upkeep.timer upkeep.alerts"),
    ("", SERVER, "upkeep.jobs upkeep.notifier"),
    ("", SERVER, "upkeep.alarm"),
    ("", SERVER, "upkeep.staff"),
    ("", SERVER, "health"),
    ("tools, and the port", SERVER, "serve tools.read tools.write tools.history tools.archive"),
    ("", SERVER, "tools.registry"),
    ("", SERVER, "server"),
    ("composition", SERVER, "app commands.vaults commands.archives commands.progress"),
    (
        "",
        SERVER,
        "commands.serve commands.stdio commands.call commands.backup commands.upkeep"
        " commands.grants",
    ),
    (
        "",
        SERVER,
        "commands.archive commands.archive_import commands.archive_status commands.archive_embed"
        " commands.archive_export commands.archive_serve",
    ),
    ("", SERVER, "commands.register commands.token commands.doctor commands.remind"),
    ("", SERVER, "__main__"),
]

# The rules' exceptions; each names who may, and nobody else may.
PRINTS = {f"{CORE}.cli", f"{SERVER}.__main__", f"{SERVER}.commands.*"}
SEES_ENVIRONMENT = {f"{CORE}.config", f"{CORE}.cli", f"{SERVER}.settings", f"{SERVER}.__main__"}
READS_PACKAGE_DATA = {f"{CORE}.routing"}
BRINGS_NUMPY = {f"{ARCHIVE}.key_filter", f"{ARCHIVE}.vectors"}
LOADS_BY_NAME = {f"{SERVER}.__main__", f"{SERVER}.upkeep.notifier"}
LONG: dict[str, str] = {}  # module: why it is one noun and yet longer than MAX_LINES
MAX_LINES = 300

IMPURE = """
    asyncio fcntl glob http importlib io logging mmap multiprocessing os pathlib platform queue
    random secrets select selectors shutil signal socket sqlite3 ssl subprocess sys tempfile
    threading time urllib.request uuid zoneinfo
"""
HARMLESS = {"pathlib.PurePosixPath"}

Sources = Mapping[str, str]
Rule = Callable[[Sources], Iterator[str]]


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Every node of a source's tree."""
    return tuple(ast.walk(ast.parse(source)))


@cache
def sources() -> dict[str, str]:
    """Every module of the packages, by name."""
    found = {}
    for package, root in PACKAGES.items():
        for path in (root / package).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text(encoding="utf-8")
    return found


def of_tests() -> dict[str, str]:
    """Every module of the tests, by its path."""
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in (ROOT / "eval").rglob("*.py")
        if "node_modules" not in path.parts
    }


@cache
def layer_of(module: str) -> int | None:
    """Where a module stands, counted from the bottom; packages stand below all."""
    if module in PACKAGES or module in (f"{package}.{room}" for package, room in rooms()):
        return -1
    room = f"{module.rpartition('.')[0]}.*"
    for name in (module, room):
        for at, (_, package, line) in enumerate(LAYERS):
            if name in {f"{package}.{entry}" for entry in line.split()}:
                return at
    return None


def is_pure(module: str) -> bool:
    at = layer_of(module)
    return at is not None and at >= 0 and LAYERS[at][0].startswith("pure")


def rooms() -> set[tuple[str, str]]:
    """The packages within the packages."""
    entries = ((package, entry) for _, package, line in LAYERS for entry in line.split())
    return {(package, entry.partition(".")[0]) for package, entry in entries if "." in entry}


def is_one_of(module: str, names: set[str]) -> bool:
    return module in names or f"{module.rpartition('.')[0]}.*" in names


@cache
def imported(source: str) -> tuple[str, ...]:
    """What a source imports: modules, and names in modules, in full."""
    names: list[str] = []
    for node in nodes(source):
        if isinstance(node, ast.Import):
            names += (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names += (f"{node.module}.{name.name}" for name in node.names)
    return tuple(names)


def known(name: str, modules: Sources) -> str | None:
    """The module of ours that an imported name is, or is in."""
    if name in modules:
        return name
    parent = name.rpartition(".")[0]
    return parent if parent in modules else None


def ours(modules: Sources) -> dict[str, set[str]]:
    """The modules of ours that each of ours imports."""
    return {
        module: {target for name in imported(source) if (target := known(name, modules))}
        for module, source in modules.items()
    }


def unplaced(modules: Sources) -> Iterator[str]:
    for module in modules:
        if layer_of(module) is None:
            yield f"{module} stands in no layer"


def upward(modules: Sources) -> Iterator[str]:
    for module, targets in ours(modules).items():
        here = layer_of(module)
        for target in targets:
            there = layer_of(target)
            within_pure = here == there and is_pure(module)
            if here is not None and there is not None and there >= here and not within_pure:
                yield f"{module} imports {target}, which is not below it"


def circular(modules: Sources) -> Iterator[str]:
    try:
        TopologicalSorter(ours(modules)).prepare()
    except CycleError as error:
        yield " < ".join(error.args[1])


def doors_that_meet(modules: Sources) -> Iterator[str]:
    """The core and the archive know nobody, and the server goes round the command line."""
    typed = (f"{CORE}.cli", f"{CORE}.commands")
    for module, targets in ours(modules).items():
        for target in targets:
            package = module.partition(".")[0]
            if package in (CORE, ARCHIVE) and target.partition(".")[0] != package:
                yield f"{module} imports {target}"
            if module.startswith(SERVER) and target.startswith(typed):
                yield f"{module} imports {target}"


def foreign(modules: Sources) -> Iterator[str]:
    for module, source in modules.items():
        for name in imported(source) if module.startswith((CORE, ARCHIVE)) else ():
            origin = name.partition(".")[0]
            ours_or_pythons = origin in {*sys.stdlib_module_names, *PACKAGES}
            if not ours_or_pythons and (origin != "numpy" or module not in BRINGS_NUMPY):
                yield f"{module} imports {name}, which Python does not bring"


def impure(modules: Sources) -> Iterator[str]:
    for module, source in modules.items():
        if not is_pure(module):
            continue
        for name in imported(source):
            parts = name.split(".")
            heads = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
            allowed = name in HARMLESS or (parts[0] == "importlib" and module in READS_PACKAGE_DATA)
            if heads & set(IMPURE.split()) and not allowed:
                yield f"{module} imports {name}"
        for call in calls(source):
            if call in ("open", "input") or call.endswith((".now", ".today", ".utcnow")):
                yield f"{module} calls {call}"


@cache
def calls(source: str) -> tuple[str, ...]:
    """The functions that are called by a plain or dotted name."""
    return tuple(
        ast.unparse(node.func)
        for node in nodes(source)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    )


def printing(modules: Sources) -> Iterator[str]:
    for module, source in modules.items():
        if "print" in calls(source) and not is_one_of(module, PRINTS):
            yield f"{module} prints"


def environment(modules: Sources) -> Iterator[str]:
    for module, source in modules.items():
        names = {node.attr for node in nodes(source) if isinstance(node, ast.Attribute)}
        names |= {name.rpartition(".")[2] for name in imported(source)}
        if names & {"environ", "environb", "getenv"} and module not in SEES_ENVIRONMENT:
            yield f"{module} sees the environment"


def hidden(modules: Sources) -> Iterator[str]:
    """Imports that reading the top of a module does not show."""
    for module, source in modules.items():
        for node in nodes(source):
            if isinstance(node, ast.ImportFrom) and node.level:
                yield f"{module} has a relative import"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = ast.walk(node)
                if any(isinstance(each, ast.Import | ast.ImportFrom) for each in inner):
                    yield f"{module}.{node.name} imports"
        by_name = {"__import__", "import_module", "importlib.import_module"} & set(calls(source))
        if by_name and module not in LOADS_BY_NAME:
            yield f"{module} loads modules by name"


def mocked(modules: Sources) -> Iterator[str]:
    for module, source in modules.items():
        if any(name.split(".")[:2] == ["unittest", "mock"] for name in imported(source)):
            yield f"{module} imports unittest.mock"


def long(modules: Sources) -> Iterator[str]:
    for module, source in modules.items():
        lines = len(source.splitlines())
        if lines > MAX_LINES and module not in LONG:
            yield f"{module} has {lines} lines"


def rooms_with_furniture(modules: Sources) -> Iterator[str]:
    """A package says what it is, and imports nothing: who wants a module names it."""
    for module, source in modules.items():
        if layer_of(module) == -1 and set(imported(source)) - {"__future__.annotations"}:
            yield f"{module} imports"


OF_THE_HOUSE: list[Rule] = [
    unplaced,
    upward,
    circular,
    doors_that_meet,
    foreign,
    impure,
    printing,
    environment,
    hidden,
    mocked,
    long,
    rooms_with_furniture,
]


@pytest.mark.parametrize("rule", OF_THE_HOUSE, ids=lambda rule: rule.__name__)
def test_the_house_keeps_the_rule(rule: Rule) -> None:
    assert list(rule(sources())) == []


def test_no_test_mocks_what_it_could_run() -> None:
    assert list(mocked(of_tests())) == []


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (unplaced, f"{CORE}.helpers", ""),
        (upward, f"{CORE}.note", f"from {CORE} import memory"),
        (upward, f"{CORE}.yaml.flow", f"import {CORE}.vault"),
        (upward, f"{CORE}.ops.link", f"from {CORE}.ops import note"),
        (upward, f"{CORE}.folder_vault", f"from {CORE}.rest_vault import RestVault"),
        (upward, f"{CORE}.writing", f"from {CORE}.ops.capture import capture_op"),
        (upward, f"{SERVER}.settings", f"from {SERVER}.app import create_app"),
        (circular, f"{CORE}.text", f"from {CORE}.note import Note"),
        (doors_that_meet, f"{CORE}.memory", f"from {SERVER} import state"),
        (doors_that_meet, f"{SERVER}.app", f"from {CORE}.commands.table import COMMANDS"),
        (foreign, f"{CORE}.frontmatter", "import yaml"),
        (foreign, f"{CORE}.rest.client", "from httpx import Client"),
        (foreign, f"{ARCHIVE}.search", "import numpy as np"),
        (doors_that_meet, f"{ARCHIVE}.words", f"from {CORE}.text import fold"),
        (upward, f"{ARCHIVE}.importers.telegram", f"from {ARCHIVE}.importers.meta import read"),
        (upward, f"{ARCHIVE}.merge", f"from {ARCHIVE}.ops.links import list_links_op"),
        (impure, f"{ARCHIVE}.query", "import sqlite3"),
        (impure, f"{CORE}.note", "import os"),
        (impure, f"{CORE}.note", "from os import path"),
        (impure, f"{CORE}.note", "from pathlib import Path"),
        (impure, f"{CORE}.markdown.rows", "import urllib.request"),
        (impure, f"{CORE}.note", "from importlib import resources"),
        (impure, f"{CORE}.note", "text = open('x').read()"),
        (impure, f"{CORE}.inbox", "from datetime import date\ntoday = date.today()"),
        (printing, f"{CORE}.memory", "print('hello')"),
        (printing, f"{SERVER}.app", "def f():\n    print('hello')"),
        (environment, f"{CORE}.memory", "import os\nhome = os.environ['HOME']"),
        (environment, f"{SERVER}.app", "from os import getenv"),
        (hidden, f"{CORE}.note", "from . import text"),
        (hidden, f"{CORE}.note", "def f():\n    import json"),
        (hidden, f"{CORE}.note", "async def f():\n    from json import loads"),
        (hidden, f"{CORE}.memory", "import importlib\nimportlib.import_module('json')"),
        (mocked, f"{CORE}.note", "from unittest import mock"),
        (mocked, f"{CORE}.note", "from unittest.mock import patch"),
        (long, f"{CORE}.note", "\n" * (MAX_LINES + 1)),
        (rooms_with_furniture, f"{CORE}.ops", f"from {CORE}.ops.note import get_note_op"),
    ],
)
def test_a_house_that_breaks_the_rule_is_told(rule: Rule, module: str, source: str) -> None:
    assert list(rule({**sources(), module: source})) != []


def test_every_line_of_the_table_has_a_module() -> None:
    modules = sources()
    entries = [f"{package}.{entry}" for _, package, line in LAYERS for entry in line.split()]

    assert [entry for entry in entries if not entry.endswith(".*") and entry not in modules] == []
    assert len(entries) == len(set(entries))


def test_whoever_may_do_what_others_may_not_is_there() -> None:
    named = (
        PRINTS | SEES_ENVIRONMENT | READS_PACKAGE_DATA | BRINGS_NUMPY | LOADS_BY_NAME | set(LONG)
    )

    assert {name for name in named if not name.endswith(".*")} <= set(sources())


def test_a_command_that_is_loaded_by_name_is_a_module_of_its_own() -> None:
    assert {f"{SERVER}.commands.{name}" for name in COMMANDS} <= set(sources())


def test_a_call_of_a_running_server_loads_nothing_of_the_server() -> None:
    modules = ours(sources())
    reached, left = set(), {f"{SERVER}.commands.call", f"{SERVER}.__main__"}
    while left:
        reached |= left
        left = {target for module in left for target in modules[module]} - reached

    assert not reached & {f"{SERVER}.{name}" for name in ("app", "server", "serve", "results")}
    assert f"{CORE}.memory" not in reached
