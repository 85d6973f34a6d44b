"""The day that the README shows, lived by a shell; and the messages that it explains."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = (ROOT / "mcp-server", ROOT / "skills/echo-memory/scripts")
# What is another one on each day and in each vault; a version stays the same through the day.
VARIES = r"(?P<version>\b[0-9a-f]{12}\b)|(?P<time>T\d\d:\d\d:\d\d\+00:00)|(?P<date>\d{4}-\d\d-\d\d)"
VARIES += r"|(?P<rest>…)"


def shown() -> list[tuple[str, str]]:
    """The commands of the README's day, each with what is shown of its answer."""
    (block,) = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    commands: list[tuple[str, str]] = []
    for is_command, lines in groupby(block.splitlines(), lambda line: line.startswith("$ ")):
        if is_command:
            commands.extend((line[2:], "") for line in lines)
        else:
            commands[-1] = (commands[-1][0], "\n".join(lines))
    return commands


def pattern(answer: str) -> re.Pattern[str]:
    """What such an answer looks like on any day."""
    forms = {
        "version": "([0-9a-f]{12})",
        "time": r"T\d\d:\d\d:\d\d\+00:00",
        "date": r"\d{4}-\d\d-\d\d",
        "rest": ".*",
    }
    parts: list[str] = []
    at = 0
    for found in re.finditer(VARIES, answer):
        parts += [re.escape(answer[at : found.start()]), forms[str(found.lastgroup)]]
        at = found.end()
    return re.compile("".join([*parts, re.escape(answer[at:])]), re.DOTALL)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the day is lived by bash")
def test_the_day_of_the_readme_is_what_the_commands_answer(tmp_path: Path) -> None:
    commands = shown()
    first, *day = commands
    assert first[0].startswith("export ECHO_BASE=")
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), "PWD": str(ROOT), "ECHO_TZ": "UTC"}
    opened = f"shopt -s expand_aliases\nalias python3={sys.executable}\n{first[0]}\n"
    versions: dict[str, str] = {}

    def run(command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", f"{opened}{command}"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.stdout.decode().rstrip("\n")

    run("echo.py bootstrap")
    for command, answer in day:
        for one, other in versions.items():
            command = command.replace(one, other)
        said = pattern(answer).fullmatch(got := run(command))
        assert said, f"{command}\n{got}"
        versions |= zip(re.findall(r"\b[0-9a-f]{12}\b", answer), said.groups(), strict=True)

    assert len(day) > 10


def words_of(source: Path) -> list[str]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_every_message_that_the_readme_explains_is_one() -> None:
    table = README.split("## Troubleshooting by message")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| ", table.split("| --- | --- |")[1], re.MULTILINE)
    messages = [message for row in rows for message in re.findall(r"`([^`]+)`", row)]
    words = [text for folder in SOURCES for file in folder.rglob("*.py") for text in words_of(file)]

    explained = [one for one in messages if " " in one or "-" in one]
    assert len(explained) > 15
    assert [one for one in explained if not any(one in text for text in words)] == []
