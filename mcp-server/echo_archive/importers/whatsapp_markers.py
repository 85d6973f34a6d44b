"""WhatsApp's markers: what stands in place of media, polls, places and deleted messages."""

from __future__ import annotations

import re
from collections.abc import Callable

from echo_archive.importers.whatsapp_header import MARKS

_DIRECTIONS = dict.fromkeys(map(ord, MARKS))
_NOUNS = {
    "image": (
        "image photo picture bild foto imagen immagine imagem afbeelding изображение фото صورة"
        " resim görsel obraz zdjęcie billede gif"
    ),
    "video": "video vídeo vidéo видео فيديو wideo",
    "audio": "audio áudio аудио صوت ses dźwięk sprachnachricht",
    "sticker": "sticker figurinha стикер ملصق çıkartma naklejka",
    "file": "document dokument documento документ مستند belge",
    "contact": "contact kontaktkarte contacto contato scheda carte contactkaart контакт",
}
_KINDS = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_LEFT_OUT = re.compile(
    r"omitted|weggelassen|ausgelassen|ausgeschlossen|omitid[oa]s?|omise?s?\b|absente?|manquante?|retirée?"
    r"|omess[oaie]|esclus[oaie]|non inclus[oa]|ocultad[oa]|ocult[oa]s?\b|weggelaten|utelämn|udeladt"
    r"|utelatt|pominięt|опущен|пропущен|без медиафайлов|dahil edilmedi|حذف|استبعاد|تم تجاهل"
    r"|省略|생략",
    re.IGNORECASE,
)
_ATTACHED = re.compile(rf"<[{MARKS}]*([^<>:\n]{{2,25}}): ?([^<>\n]{{1,255}})>")
_ATTACHED_WORDS = frozenset(
    (
        "attached", "anhang", "adjunto", "مرفق", "allegato", "anexado", "angehängt", "bijgevoegd",
        "attachment", "joint", "anexo", "bijlage", "вложение", "pièce jointe", "fichier joint",
    )
)  # fmt: skip
_TITLED = re.compile(rf"^(.+?) • [{MARKS}]*\d+ [^\n<]{{1,20}}$")
_BRACKETED = re.compile(r"^(.{1,250}?\.\w{1,8}|[^()\n]{1,250}) \(([^()\n]{5,30})\)$")
_FILE_ATTACHED = frozenset(
    (
        "file attached", "archivo adjunto", "datei angehängt", "fichier joint", "file allegato",
        "arquivo anexado", "ficheiro anexado", "bestand bijgevoegd", "файл добавлен",
        "файл прикреплен", "dosya ekli", "الملف مرفق", "ملف مرفق", "fil bifogad", "fil vedhæftet",
        "plik dołączony", "tiedosto liitetty", "ファイル添付", "文件附件",
    )
)  # fmt: skip
_WA_NAME = re.compile(r"^(?:IMG|VID|AUD|PTT|STK|DOC)-\d{8}-WA\d+")
_BY_NAME = (
    (re.compile(r"^IMG-|-PHOTO-|-GIF-"), "image"),
    (re.compile(r"^VID-|-VIDEO-"), "video"),
    (re.compile(r"^(?:AUD|PTT)-|-AUDIO-"), "audio"),
    (re.compile(r"^STK-|-STICKER-"), "sticker"),
    (re.compile(r"^DOC-"), "file"),
)
_EDITED = re.compile(
    r"<(?:This message was edited|Diese Nachricht wurde bearbeitet|Se editó este mensaje"
    r"|Este mensaje fue editado|Mensagem editada|Esta mensagem foi editada|Ce message a été modifié"
    r"|Questo messaggio è stato modificato|Dit bericht is bewerkt|Сообщение изменено"
    r"|تم تعديل هذه الرسالة)\.?>$"
)
_EDITED_MARKED = re.compile(r"<[^<>:\n]{8,60}>$")
_DELETED = frozenset(
    (
        "you deleted this message", "this message was deleted", "this message was deleted by admin",
        "diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht",
        "eliminaste este mensaje", "este mensaje fue eliminado", "se eliminó este mensaje",
        "has eliminado este mensaje", "mensaje eliminado", "vous avez supprimé ce message",
        "ce message a été supprimé", "hai eliminato questo messaggio",
        "questo messaggio è stato eliminato", "você apagou esta mensagem", "mensagem apagada",
        "essa mensagem foi apagada", "esta mensagem foi apagada", "apagou esta mensagem",
        "je hebt dit bericht verwijderd", "dit bericht is verwijderd", "deze bericht is verwijderd",
        "вы удалили данное сообщение", "данное сообщение удалено", "bu mesajı sildiniz",
        "bu mesaj silindi", "تم حذف هذه الرسالة", "لقد حذفت هذه الرسالة", "حذفت هذه الرسالة",
    )
)  # fmt: skip
_DELETED_BY = re.compile(r"^this message was deleted by admin .+$", re.IGNORECASE)
_POLL = re.compile(r"^(?:POLL|ENCUESTA|UMFRAGE|SONDAGE|SONDAGGIO|ENQUETE|ОПРОС|استطلاع):\n")
_POLL_MARKED = re.compile(r"^[^\W\d_]{3,14}:\n")
_OPTION = re.compile(r"^[^\W\d_]{3,12}: (.*) \((\d+) [^()]*\)$")
_PLACE = re.compile(
    r"^(?:[^\W\d_][^:\n]{1,40}: ?)?(https?://(?:maps\.google\.com|www\.google\.com/maps)/?\S*?[?&/]q=(-?[\d.]+),(-?[\d.]+)\S*)$"
)
_VENUE = re.compile(r"^(.{1,200}): (https://(?:\w+\.)?foursquare\.com/\S+)$", re.DOTALL)
_LONGEST_PLACE = 2_000
_NUMBER = re.compile(r"[\u202a\u2066]?(\+?\d[\d\s\u00a0()-]{5,24})[\u202c\u2069]")
_MENTION = re.compile(r"@[\u2066-\u2068\u202a](~?[^\u2069\u202c\n]{1,100})[\u2069\u202c]")


def unmarked(text: str) -> str:
    """A text without marks of direction, with ordinary blanks."""
    if text.isascii():
        return text
    return text.translate(_DIRECTIONS).replace("\u00a0", " ").replace("\u202f", " ")


def person_name(written: str) -> str:
    """A sender without marks, and without the tilde of people in no address book."""
    name = written.translate(_DIRECTIONS).strip()
    return name[1:].strip() if name.startswith("~") else name


def typed(text: str) -> str:
    """A body without WhatsApp's marks around numbers and mentions; others are the writer's."""
    if text.isascii():
        return text
    text = _NUMBER.sub(r"\1", text)
    return _MENTION.sub(r"@\1", text)


def left_out(text: str) -> str | None:
    """The kind of the media that a placeholder stands for, or None when it is no placeholder."""
    plain = unmarked(text).strip()
    if len(plain) > 60 or not _LEFT_OUT.search(plain):
        return None
    if plain.startswith("<") and plain.endswith(">"):
        return "file"
    words = plain.casefold().split()
    kinds = [_KINDS[word] for word in words if word in _KINDS]
    return kinds[0] if kinds and len(words) <= 5 else None


def attached(text: str) -> tuple[str, str | None, str] | None:
    """File, title and remaining text of an iOS body with `<attached: file>` in it."""
    for found in _ATTACHED.finditer(text):
        start = _behind(text, found.start(), MARKS.__contains__)
        marked = "\u200e" in text[start : found.end()]
        if not marked and found[1].strip().casefold() not in _ATTACHED_WORDS:
            continue
        before, after = text[:start].rstrip(), text[found.end() :].lstrip()
        title = _TITLED.match(unmarked(before))
        caption = "" if title else before
        rest = "\n".join(part for part in (caption, after) if unmarked(part).strip())
        return unmarked(found[2]).strip(), title[1].strip() if title else None, rest
    return None


def file_attached(text: str) -> tuple[str, str] | None:
    """File and caption of an Android body that begins with `file (file attached)`."""
    first, _, caption = text.partition("\n")
    found = _BRACKETED.match(unmarked(first).strip())
    if not found:
        return None
    known = found[2].casefold() in _FILE_ATTACHED
    return (found[1], caption) if known or _WA_NAME.match(found[1]) else None


def titled(text: str) -> str | None:
    """The title in a line like `Title.pdf • 2 pages`."""
    found = _TITLED.match(unmarked(text).strip())
    return found[1].strip() if found else None


def kind_by_name(name: str) -> str | None:
    """The kind that WhatsApp's own names of files say."""
    return next((kind for words, kind in _BY_NAME if words.search(name)), None)


def without_edit_mark(text: str, marked: bool) -> tuple[str, bool]:
    """A body without the note that it was edited, and whether it had one."""
    at = text.rfind("<")
    if at < 0:
        return text, False
    end = _behind(text, at, _is_blank_or_mark)
    if _EDITED.match(text, at) and (not marked or "\u200e" in text[end:at]):
        return text[:end], True
    if marked and text[at - 1 : at] == "\u200e" and _EDITED_MARKED.match(text, at):
        return text[: at - 1].rstrip(), True
    return text, False


def _behind(text: str, at: int, is_passed: Callable[[str], bool]) -> int:
    """Where those characters begin that stand before a place.

    Walked backwards: an expression that begins with any number of them is tried from each anew.
    """
    while at and is_passed(text[at - 1]):
        at -= 1
    return at


def _is_blank_or_mark(letter: str) -> bool:
    return letter == "\u200e" or letter.isspace()


def is_deleted(text: str) -> bool:
    """Whether a body is the note that a message was deleted."""
    plain = unmarked(text).strip().rstrip(".").casefold()
    return plain in _DELETED or bool(_DELETED_BY.match(plain))


def poll(text: str, marked: bool) -> str | None:
    """A poll as its question and a line for each option."""
    plain = unmarked(text).strip()
    first = (_POLL_MARKED if marked else _POLL).match(plain)
    if not first:
        return None
    question, options = [], []
    for line in plain[first.end() :].split("\n"):
        option = _OPTION.match(line.strip())
        if option:
            options.append(f"- {option[1]} ({option[2]})")
        elif not options:
            question.append(line.strip())
    return "\n".join((*question, *options)) if options else None


def place(text: str) -> tuple[str, str] | None:
    """Coordinates, or the name of a venue, and the address of a shared location."""
    plain = unmarked(text).strip()
    if len(plain) > _LONGEST_PLACE:
        return None
    if found := _PLACE.match(plain):
        return f"{found[2]},{found[3]}", found[1]
    if found := _VENUE.match(plain):
        return found[1], found[2]
    return None
