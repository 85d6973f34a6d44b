"""Media: what kind of thing a file is, by its media type or the end of its name."""

from __future__ import annotations

_ENDINGS = {
    "image": "jpg jpeg jpe png gif tif tiff webp apng svg heic heif bmp avif jxl",
    "video": "mp4 mov m4v 3gp 3g2 avi mkv webm mpg mpeg wmv",
    "audio": "opus ogg oga mp3 m4a aac amr caf wav flac wma aiff",
    "contact": "vcf vcard",
}
_BY_ENDING = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}
_VCARDS = ("text/x-vcard", "text/vcard", "text/directory")


def kind_of(name: str | None, media_type: str | None = None) -> str:
    """`image`, `video`, `audio`, `contact` or `file`."""
    kind = kind_of_type(media_type)
    if kind != "file" or not name:
        return kind
    return _BY_ENDING.get(name.rpartition(".")[2].lower(), "file") if "." in name else "file"


def kind_of_type(media_type: str | None) -> str:
    """The kind that a media type says, `file` where it says none."""
    if not media_type:
        return "file"
    if media_type.startswith(_VCARDS):
        return "contact"
    family = media_type.partition("/")[0].lower()
    return family if family in ("image", "video", "audio") else "file"
