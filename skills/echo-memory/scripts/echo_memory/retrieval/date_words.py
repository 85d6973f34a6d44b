"""Date words: what months, weekdays and stretches of time are called, as parts of patterns.

English first, then German, French, Spanish and Russian; Chinese, Japanese and Korean write dates
in numbers and have their own phrases.
"""

from __future__ import annotations

_MONTHS = """
january|jan|januar|jänner|janvier|enero|январ[ьяе]
february|feb|februar|février|febrero|феврал[ьяе]
march|mar|märz|mars|marzo|март[ае]?
april|apr|avril|abril|апрел[ьяе]
may|mai|mayo|ма[йяе]
june|jun|juni|juin|junio|июн[ьяе]
july|jul|juli|juillet|julio|июл[ьяе]
august|aug|août|agosto|август[ае]?
september|sept|sep|septembre|septiembre|сентябр[ьяе]
october|oct|oktober|octobre|octubre|октябр[ьяе]
november|nov|novembre|noviembre|ноябр[ьяе]
december|dec|dezember|décembre|diciembre|декабр[ьяе]
"""
MONTHS = tuple(_MONTHS.split())

# By themselves these are a month only after a word such as "in", for they are other words as well.
_SHORT_MONTHS = "jan feb mar apr may jun jul aug sept sep oct nov dec mai mars mayo мая мае"
_CUES = "in of since during until from before after by around im seit en de desde depuis в с до"
SHORT_MONTHS = frozenset(_SHORT_MONTHS.split())
CUES = frozenset(_CUES.split())
VERBS = ("march", "may")

_WEEKDAYS = """
monday|montag|lundi|lunes|понедельник[ауе]?
tuesday|dienstag|mardi|martes|вторник[ауе]?
wednesday|mittwoch|mercredi|miércoles|сред[ауыеой]{1,2}
thursday|donnerstag|jeudi|jueves|четверг[ауе]?
friday|freitag|vendredi|viernes|пятниц[ауые]
saturday|samstag|sonnabend|samedi|sábado|суббот[ауые]
sunday|sonntag|dimanche|domingo|воскресень[еяю]
"""
WEEKDAYS = tuple(_WEEKDAYS.split())

LAST = r"last|previous|past|letzte[rnms]?|vorige[rnms]?|прошл[а-я]{2,3}"
THIS = r"this|current|diese[rnms]?|эт(?:от|ой|у|о|а|ом)"
NEXT = r"next|coming|nächste[rnms]?|kommende[rnms]?|следующ[а-я]{2,3}"

NUMBERS = {
    "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "an": 1, "a": 1, "one": 1, "two": 2,
    "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "une": 1, "un": 1, "una": 1,
    "deux": 2, "trois": 3, "dos": 2, "tres": 3, "две": 2, "два": 2, "три": 3,
}  # fmt: skip

UNITS = {
    "day": r"days?|tag(?:en)?|jours?|días?|день|дня|дней|[天日]",
    "week": r"weeks?|wochen?|semaines?|semanas?|недел[юиь]|周|週間",
    "month": r"months?|monat(?:en)?|mois|mes(?:es)?|месяц(?:а|ев)?|个月|か月",
    "year": r"years?|jahr(?:en)?|ans?|años?|год(?:а)?|лет|年",
}
AGO = (
    r"{count}\s+{unit}\s+(?:ago|назад)",
    r"(?:vor|il\s+y\s+a|hace)\s+{count}\s+{unit}",
    r"{count}\s*{unit}前",
)

# Stretches of time as seen from today: unit, how many of them ahead, words with spaces around them,
# words without.
PHRASES = (
    (
        "day",
        -2,
        r"the day before yesterday|vorgestern|avant-hier|anteayer|позавчера",
        "前天|一昨日",
    ),
    ("day", 2, r"the day after tomorrow|übermorgen|après-demain|послезавтра", "后天|明後日"),
    ("day", -1, r"yesterday|gestern|ayer|вчера", "昨天|昨日|어제"),
    ("day", 0, r"today|tonight|heute|aujourd['’]hui|hoy|сегодня", "今天|今日|오늘"),
    ("day", 1, r"tomorrow|morgen|demain|завтра", "明天|明日|내일"),
    (
        "week",
        -1,
        r"(?:la )?semaine dernière|(?:la )?semana pasada|(?:на )?прошл(?:ой|ая|ую) недел[еяю]",
        "上个?(?:周|星期)|先週|지난\\s?주",
    ),
    (
        "week",
        0,
        r"cette semaine|esta semana|(?:на )?эт(?:ой|а|у) недел[еяю]",
        "[这本]个?(?:周|星期)|今週|이번\\s?주",
    ),
    (
        "week",
        1,
        r"(?:la )?semaine prochaine|(?:la )?(?:próxima semana|semana próxima)"
        r"|(?:на )?следующ(?:ей|ая|ую) недел[еяю]",
        "下个?(?:周|星期)|来週|다음\\s?주",
    ),
    (
        "month",
        -1,
        r"(?:le )?mois dernier|(?:el )?mes pasado|(?:в )?прошл(?:ом|ый) месяце?",
        "上个月|先月",
    ),
    ("month", 0, r"ce mois|este mes|(?:в )?эт(?:ом|от) месяце?", "[这本]个?月|今月"),
    (
        "month",
        1,
        r"(?:le )?mois prochain|(?:el )?próximo mes|(?:в )?следующ(?:ем|ий) месяце?",
        "下个月|来月",
    ),
    ("year", -1, r"l['’]année dernière|(?:el )?año pasado|(?:в )?прошл(?:ом|ый) году?", "去年"),
    ("year", 0, r"cette année|este año|(?:в )?эт(?:ом|от) году?", "今年"),
    ("year", 1, r"l['’]année prochaine|(?:el )?próximo año", "明年|来年"),
)
# "Hier" is French for yesterday and German for here: it is French beside one of these.
FRENCH = (
    r"(?<!\w)(?:j|qu|s|c|que|qui|quoi|est|ai|as|avons|fait|passé|du|des|les?|la|nous|avec)(?!\w)"
)
