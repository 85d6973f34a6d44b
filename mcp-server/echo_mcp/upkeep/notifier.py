"""The notifier: sends a message to where the operator said, through Apprise.

An Apprise URL may hold a password or a token, so neither it nor what the libraries say about it
is ever logged. They take most of a second to load, which waits for the first message.
"""

from __future__ import annotations

import logging
import warnings
from importlib import import_module

from echo_mcp.upkeep.alerts import Message

logger = logging.getLogger(__name__)

_TALKATIVE = ("apprise", "requests", "urllib3")
_SILENT = logging.CRITICAL + 1


class Notifier:
    """Sends to one or more addresses."""

    def __init__(self, url: str) -> None:
        """Nothing is sent yet.

        Args:
            url: what Apprise takes; empty sends nothing.
        """
        self._url = url

    def send(self, message: Message) -> bool:
        """Send a message; returns whether it arrived everywhere."""
        if not self._url:
            return True
        try:
            arrived = self._sent(message)
        except Exception as error:  # whatever a library raises, it may quote the URL
            logger.warning("an alert was not sent: %s", type(error).__name__)
            return False
        if not arrived:
            logger.warning("an alert was not sent; check ECHO_ALERT_URL and what is behind it")
        return arrived

    def _sent(self, message: Message) -> bool:
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(_SILENT)
        with warnings.catch_warnings(action="ignore"):  # of how others write their code
            addresses = import_module("apprise").Apprise()
            if not addresses.add(self._url):
                return False
            return bool(addresses.notify(title=message.title, body=message.body))
