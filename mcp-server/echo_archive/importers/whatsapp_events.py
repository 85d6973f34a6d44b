"""WhatsApp's events: what a line that nobody typed says has happened, in the commoner languages."""

from __future__ import annotations

import re

_WORDS = {
    "encryption_notice": (
        r"end-to-end[ -]encrypted",
        r"are now secured",
        r"Ende-zu-Ende-verschlüsselt",
        r"cifrados? de extremo a extremo",
        r"chiffrés de bout en bout",
        r"crittografati end-to-end",
        r"criptografia de ponta a ponta",
        r"encriptad[ao]s de ponta",
        r"end-to-end versleuteld",
        r"сквозным шифрованием",
        r"مشفرة تمامًا",
        r"uçtan uca şifreli",
    ),
    "group_created": (
        r"created (?:this |the )?(?:group|community)",
        r"hat die Gruppe .*erstellt",
        r"hat diese Gruppe erstellt",
        r"hast die Gruppe",
        r"cre(?:ó|aste) (?:el|este) grupo",
        r"a créé (?:le|ce) groupe",
        r"avez créé",
        r"ha creato (?:il|questo) gruppo",
        r"criou (?:o|este) grupo",
        r"heeft (?:de|deze) groep .*gemaakt",
        r"создал",
    ),
    "title_changed": (
        r"changed the (?:subject|group name)",
        r"changed this group's (?:subject|name)",
        r"den Betreff",
        r"den Gruppennamen",
        r"cambi(?:ó|aste) (?:el asunto|el nombre)",
        r"a changé (?:le sujet|l'objet)",
        r"ha cambiato (?:l'oggetto|il nome)",
        r"(?:mudou|alterou) (?:o assunto|o nome)",
        r"onderwerp .*gewijzigd",
    ),
    "member_added": (
        r" added ",
        r"joined (?:using|from|via|this|the|a)",
        r"joined$",
        r"was added",
        r"hinzugefügt",
        r"beigetreten",
        r"añadi(?:ó|ste)",
        r"agreg(?:ó|aste)",
        r"se unió",
        r"a ajouté",
        r"avez ajouté",
        r"a rejoint",
        r"ha aggiunto",
        r"si è unito",
        r"adicionou",
        r"entrou usando",
        r"heeft .*toegevoegd",
        r"добавил",
    ),
    "member_removed": (
        r" removed ",
        r"was removed",
        r"entfernt",
        r"elimin(?:ó|aste) a",
        r"a (?:retiré|supprimé)",
        r"ha rimosso",
        r"removeu",
        r"heeft .*verwijderd",
        r"удалил",
    ),
    "member_left": (
        r" left(?: the group)?\.?$",
        r"hat die Gruppe verlassen",
        r"salió del grupo",
        r"salió\.?$",
        r"a quitté",
        r"ha abbandonato",
        r"saiu(?: do grupo)?\.?$",
        r"heeft de groep verlaten",
        r"покинул",
    ),
    "call": (
        r"voice call",
        r"video call",
        r"group call",
        r"missed call",
        r"Sprachanruf",
        r"Videoanruf",
        r"llamada",
        r"appel (?:vocal|vidéo|manqué)",
        r"chiamata",
        r"chamada",
        r"spraakoproep",
        r"video-oproep",
        r"звонок",
    ),
    "number_changed": (
        r"changed (?:their|to a new) (?:phone )?number",
        r"Telefonnummer .*geändert",
        r"cambió (?:su|de) número",
        r"a changé de numéro",
    ),
    "security_code_changed": (
        r"security code",
        r"Sicherheitsnummer",
        r"código de seguridad",
        r"code de sécurité",
    ),
    "icon_changed": (
        r"group's icon",
        r"group icon",
        r"group photo",
        r"Gruppenbild",
        r"[ií]cono del grupo",
        r"icône du groupe",
    ),
    "settings_changed": (
        r"disappearing messages",
        r"group description",
        r"this group's settings",
        r"admin",
        r"message timer",
        r"selbstlöschende",
        r"Gruppenbeschreibung",
        r"mensajes temporales",
        r"pinned a message",
        r"blocked this contact",
        r"business account",
        r"blockiert",
    ),
}
_EVENTS = [(event, re.compile("|".join(words), re.IGNORECASE)) for event, words in _WORDS.items()]
_ANY = re.compile("|".join(word for words in _WORDS.values() for word in words), re.IGNORECASE)
LONGEST = 1_000
"""Characters of a line that may tell of an event; some of the words are slow to find in more."""
OF_GROUPS = frozenset(
    (
        "group_created",
        "title_changed",
        "member_added",
        "member_removed",
        "member_left",
        "icon_changed",
    )
)


def event_of(text: str) -> str | None:
    """What a line says has happened, or None when it says nothing that is known."""
    if len(text) > LONGEST or not _ANY.search(text):
        return None
    return next((event for event, words in _EVENTS if words.search(text)), None)
