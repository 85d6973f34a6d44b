"""The index: what Obsidian shows of a folder, and what it knows of each note."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

_HEAD = re.compile(r"\ufeff?---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")
_LINK = re.compile(r"\[\[([^\]|#^]+)")


class _Loader(yaml.SafeLoader):
    """YAML as Obsidian reads it: a date stays the text that it is."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if not tag.endswith(":timestamp")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Known(Mapping[str, Any]):
    """What is known of one note, each part found out when it is asked for."""

    def __init__(self, parts: dict[str, Callable[[], Any]]) -> None:
        self._parts = parts

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class Index:
    """One look at a folder: hidden names are not in it, nor are folders without a file."""

    def __init__(self, folder: Path) -> None:
        self._found = dict(_visible(str(folder), ""))
        self.files = sorted(self._found, key=code_units)

    @property
    def notes(self) -> list[str]:
        """The paths of the Markdown notes."""
        return [path for path in self.files if path[-3:].lower() == ".md"]

    def listing(self, folder: str) -> list[str]:
        """The names in a folder, one level deep, those of folders with a slash; empty: none."""
        prefix = f"{folder}/" if folder else ""
        below = [path[len(prefix) :] for path in self.files if path.startswith(prefix)]
        names = {name + slash for name, slash, _ in (path.partition("/") for path in below)}
        return sorted(names, key=code_units)

    def known(self, path: str, *, content: bool = True) -> Mapping[str, Any]:
        """What is known of a note; without its content where that is not asked for."""
        return _Known(
            {
                "tags": lambda: self._tags(path),
                "frontmatter": lambda: self._frontmatter(path),
                "stat": lambda: self._stat(path),
                "path": lambda: path,
                "content": lambda: self.text(path) if content else "",
                "links": lambda: self._links(path)[0],
                "backlinks": lambda: [p for p in self.notes if path in self._links(p)[0]],
                "unresolvedLinks": lambda: self._links(path)[1],
            }
        )

    def text(self, path: str) -> str:
        """A file's text; what is no UTF-8 is mangled."""
        return Path(self._found[path].path).read_bytes().decode("utf-8", "replace")

    def _stat(self, path: str) -> dict[str, int]:
        status = self._found[path].stat()
        return {
            "ctime": status.st_ctime_ns // 1_000_000,
            "mtime": status.st_mtime_ns // 1_000_000,
            "size": status.st_size,
        }

    def _frontmatter(self, path: str) -> dict[str, Any]:
        head = _HEAD.match(self.text(path).replace("\r\n", "\n"))
        try:
            value = yaml.load(head[1], _Loader) if head else {}
        except yaml.YAMLError:
            return {}
        return value if isinstance(value, dict) else {}

    def _tags(self, path: str) -> list[str]:
        text = self.text(path)
        head = _HEAD.match(text)
        listed = self._frontmatter(path).get("tags")
        tags = [tag for tag in listed if isinstance(tag, str)] if isinstance(listed, list) else []
        inline = _TAG.findall(text[head.end() :] if head else text)
        return list(dict.fromkeys(tag.removeprefix("#") for tag in [*tags, *inline] if tag))

    def _links(self, path: str) -> tuple[list[str], list[str]]:
        """The paths that a note links to, and the names that are no file's."""
        names = dict.fromkeys(_LINK.findall(self.text(path)))
        found = {name: self._resolved(name) for name in names}
        return (
            [target for target in found.values() if target],
            [name for name, target in found.items() if not target],
        )

    def _resolved(self, name: str) -> str:
        for path in self.files:
            if path in (name, f"{name}.md") or PurePosixPath(path).name in (name, f"{name}.md"):
                return path
        return ""


def code_units(text: str) -> bytes:
    """What JavaScript sorts and counts a text by."""
    return text.encode("utf-16-be", "surrogatepass")


def _visible(folder: str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(f"{folder}/{prefix}") as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _visible(folder, f"{prefix}{entry.name}/")
            elif entry.is_file():
                # A name that is no UTF-8 reaches Node with marks in place of its bytes.
                yield os.fsencode(prefix + entry.name).decode("utf-8", "replace"), entry
