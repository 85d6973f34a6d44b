"""Links: the web addresses in a text, in order of first appearance."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"https?://[^\s<>\"“”«»]+", re.IGNORECASE)
_TRAILING = ".,;:!?'\""


def links_of(text: str) -> list[str]:
    """The http and https addresses of a text.

    Punctuation that ends a sentence and a bracket that was never opened are not part of an address.
    """
    if "://" not in text:
        return []
    trimmed = (_trimmed(found) for found in _ADDRESS.findall(text))
    return list(dict.fromkeys(link for link in trimmed if host_of(link)))


def _trimmed(link: str) -> str:
    while link:
        unopened = link.endswith(")") and link.count(")") > link.count("(")
        if not unopened and link[-1] not in _TRAILING:
            break
        link = link[:-1]
    return link


def host_of(link: str) -> str:
    """The host of an address in lower case without `www.`, or "" where there is none."""
    try:
        host = urlsplit(link).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
