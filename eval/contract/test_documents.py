"""What README and SKILL.md say of names, settings and commands, held to the code."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from echo_mcp.tools.registry import registered, registered_archive
from echo_memory import __version__, routing
from echo_memory.cli import parser
from echo_memory.commands.table import COMMANDS

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills/echo-memory"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SKILL_MD = (SKILL / "SKILL.md").read_text(encoding="utf-8")
SETTING = re.compile(r"\bECHO_[A-Z_]+\b")


def read_settings() -> set[str]:
    """The variables that the places that see the environment ask for."""
    sources = (
        ROOT / "mcp-server/echo_mcp/settings.py",
        ROOT / "mcp-server/echo_mcp/variables.py",
        ROOT / "mcp-server/echo_mcp/archive/place.py",
        ROOT / "mcp-server/echo_mcp/archive/settings.py",
        SKILL / "scripts/echo_memory/config.py",
    )
    return {
        name
        for source in sources
        for name in re.findall(r'"(ECHO_[A-Z_]+)"', source.read_text(encoding="utf-8"))
    }


def test_the_readme_lists_every_tool() -> None:
    assert set(re.findall(r"`(echo_[a-z_]+)`", README)) == set(registered("full"))


def test_the_readme_lists_every_tool_of_the_archive() -> None:
    table = README.split("## The archive of your messages")[1].split("\n## ")[0]

    assert [name for name in registered_archive() if f"`{name}`" not in table] == []


def test_the_readme_marks_the_core_profile() -> None:
    marked = re.findall(r"^\| `(echo_\w+)` \|.*\| yes \|$", README, re.MULTILINE)

    assert set(marked) == set(registered("core"))


def test_the_readme_lists_every_setting_and_no_other() -> None:
    table = README.split("## Settings")[1].split("\n## ")[0]

    assert set(SETTING.findall(table)) == read_settings()


def test_the_readme_gives_every_dependency_its_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    table = README.split("| package | why |")[1]

    for requirement in pinned:
        name, _, version = requirement.partition("==")
        assert version, f"{name} is not pinned"
        assert re.search(rf"\b{re.escape(name)}\b", table), f"{name} has no line"


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_stands_in_the_skill(command: str) -> None:
    assert re.search(rf"`{command}[` ]", SKILL_MD)


@pytest.mark.parametrize("tool", sorted(registered("full")))
def test_every_tool_stands_in_the_skill(tool: str) -> None:
    assert f"`{tool}`" in SKILL_MD


def test_every_command_that_the_skill_shows_is_one() -> None:
    table = SKILL_MD.split("| to do | tool | command |")[1].split("\n\n")[0]
    shown = [
        line
        for row in table.strip().splitlines()[1:]
        for line in re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1])
    ]

    for line in shown:
        parser().parse_args(shlex.split(line))

    assert len(shown) >= len(registered("full"))


def test_the_skill_is_short_and_its_head_is_what_skills_have() -> None:
    head = SKILL_MD.split("---")[1]
    description = " ".join(head.split("description: >-")[1].split())

    assert len(SKILL_MD.splitlines()) <= 150
    assert "name: echo-memory\n" in head
    assert len(description) <= 1024
    assert not set("<>") & set(description)


def test_the_skill_points_at_nothing_outside_its_folder() -> None:
    for page in [SKILL / "SKILL.md", *(SKILL / "references").glob("*.md")]:
        for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).resolve().is_relative_to(SKILL), target
            assert (page.parent / target).exists(), target


def test_the_references_name_every_kind_and_fixed_note() -> None:
    page = (SKILL / "references/vault.md").read_text(encoding="utf-8")
    table = routing.table()

    for kind in table.kinds.values():
        assert f"| {kind.name} | `{kind.path}`" in page
    for name, kind in table.fixed.items():
        assert f"`{kind.path}`" in page or name == "health"


def test_the_newest_change_is_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == __version__  # type: ignore[index]


def test_every_test_that_the_map_of_tests_names_is_there() -> None:
    section = (ROOT / "eval/README.md").read_text(encoding="utf-8").split("owes its reader")[1]
    named = set(re.findall(r"`(test_\w+)`", section.split("\n## ")[0]))
    files = (ROOT / "eval").rglob("test_*.py")
    there = {
        name
        for path in files
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }

    assert len(named) > 20
    assert named <= there
