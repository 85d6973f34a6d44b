"""An invented Telegram export of any size: many chats, words as frequent as those of a language.

    python eval/quality/archive_generator.py FOLDER [--messages 2000000]

The same number gives the same export. Every text is made of invented words; some messages carry a
link, a photo, an emoji, a few characters of Chinese or an answer to another.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

ONSETS, VOWELS, ENDS = "bdfgklmnprstvz", "aeiou", ["", "n", "r", "s", "t", "l"]
WORDS, PEOPLE, SEED = 60_000, 400, 11
BEGIN, YEARS = 1_420_070_400, 10
HAN = "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会"
EMOJI = ["👍", "❤️", "😂", "🎉", "🦀", "👍🏽"]
OWNER = 1


class World:
    """Its words, its people, its chats."""

    def __init__(self) -> None:
        self.random = random.Random(SEED)
        made: dict[str, None] = {}
        while len(made) < WORDS:
            made["".join(self._syllable() for _ in range(self.random.randint(1, 4)))] = None
        self.words = sorted(made, key=len)
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(WORDS)))
        self.names = [f"{self._name()} {self._name()}" for _ in range(PEOPLE)]

    def _syllable(self) -> str:
        pick = self.random.choice
        return pick(ONSETS) + pick(VOWELS) + pick(ENDS)

    def _name(self) -> str:
        return (self._syllable() + self._syllable()).capitalize()

    def text(self) -> str:
        """What one message says: usually short, now and then long."""
        count = min(int(self.random.lognormvariate(2.0, 0.8)) + 1, 120)
        said = " ".join(self.random.choices(self.words, cum_weights=self._weights, k=count))
        chance = self.random.random()
        if chance < 0.03:
            return f"{said} https://{self.random.choice(self.words)}.example/{count}"
        if chance < 0.10:
            return f"{said} {self.random.choice(EMOJI)}"
        if chance < 0.13:
            return said + " " + "".join(self.random.choices(HAN, k=6))
        return said


def chats(messages: int) -> Iterator[tuple[dict[str, Any], Iterator[dict[str, Any]]]]:
    """Each chat's head and its messages; a few chats hold most of them."""
    world = World()
    count = max(4, min(1_000, messages // 500))
    shares = [1 / (rank + 1) for rank in range(count)]
    left, unit = messages, messages / sum(shares)
    for number, share in enumerate(shares):
        size = left if number == count - 1 else min(left, int(unit * share))
        left -= size
        head = _head(world, number)
        yield head, _messages(world, head, size)


def _head(world: World, number: int) -> dict[str, Any]:
    if number % 3 == 0:
        members = [world.random.randrange(2, PEOPLE) for _ in range(3 + number % 20)]
        name = f"{world.random.choice(world.words)} club {number}".title()
        return {"name": name, "type": "private_group", "id": 10_000 + number, "members": members}
    other = 2 + number % (PEOPLE - 2)
    return {
        "name": world.names[other],
        "type": "personal_chat",
        "id": 20_000 + number,
        "members": [other],
    }


def _messages(world: World, head: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    people = [OWNER, *head.pop("members")]
    step = YEARS * 365 * 86_400 / max(size, 1)
    for number in range(size):
        instant = BEGIN + int(number * step + world.random.random() * step)
        person = world.random.choice(people)
        row = {
            "id": number + 1,
            "type": "message",
            "date": "2020-01-01T00:00:00",
            "date_unixtime": str(instant),
            "from": world.names[person],
            "from_id": f"user{person}",
            "text": world.text(),
        }
        if number % 40 == 7:
            row |= {"photo": f"photos/{number}.jpg", "width": 800, "height": 600}
        if number % 25 == 3:
            row["reply_to_message_id"] = number
        yield row


def write(folder: Path, messages: int) -> Path:
    """Write the export and say where it is."""
    path = folder / "result.json"
    with path.open("w", encoding="utf-8") as file:
        owner = {"user_id": OWNER, "first_name": "Nell", "last_name": "Quill"}
        about = json.dumps({"about": "invented", "personal_information": owner})
        file.write(about[:-1] + ',\n "chats": {"list": [\n')
        for number, (head, rows) in enumerate(chats(messages)):
            # The members are taken out of the head by the first message.
            first = next(rows, None)
            begin = json.dumps({key: head[key] for key in ("name", "type", "id")})
            file.write(("," if number else "") + begin[:-1] + ',\n "messages": [\n')
            if first is not None:
                file.write(json.dumps(first, ensure_ascii=False))
            for row in rows:
                file.write(",\n" + json.dumps(row, ensure_ascii=False))
            file.write("]}\n")
        file.write("]}}\n")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--messages", type=int, default=2_000_000)
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    print(write(told.folder, told.messages))


if __name__ == "__main__":
    main()
