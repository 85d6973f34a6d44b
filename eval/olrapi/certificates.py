"""Certificates: self-signed ones like the plugin's, made by the openssl command."""

from __future__ import annotations

import subprocess
from pathlib import Path

_AUTHORITY = """
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
serial = serial
default_md = sha256
policy = any
copy_extensions = copyall
[any]
commonName = supplied
"""


def make(
    folder: Path,
    *,
    name: str = "IP:127.0.0.1",
    expired: bool = False,
    issuer: tuple[Path, Path] | None = None,
) -> tuple[Path, Path]:
    """A certificate and its key, in files of a folder that is made for them.

    Args:
        folder: a new one.
        name: the only name that the certificate is for.
        expired: whether it was valid for one day, long ago.
        issuer: certificate and key of who signs it; None signs it with its own key.
    """
    folder.mkdir()
    (folder / "ca.cnf").write_text(_AUTHORITY)
    (folder / "index.txt").touch()
    _openssl(
        folder,
        *("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-keyout", "key.pem", "-out", "request.pem"),
        *("-subj", "/CN=Obsidian Local REST API"),
        *("-addext", f"subjectAltName={name}"),
        *("-addext", f"basicConstraints=critical,CA:{'FALSE' if issuer else 'TRUE'}"),
    )
    signed = ("-cert", issuer[0], "-keyfile", issuer[1]) if issuer else ("-keyfile", "key.pem")
    _openssl(
        folder,
        *("ca", "-config", "ca.cnf", "-batch", "-create_serial", "-notext"),
        *(() if issuer else ("-selfsign",)),
        *(*signed, "-in", "request.pem", "-out", "certificate.pem"),
        *("-startdate", "20200101000000Z"),
        *("-enddate", "20200102000000Z" if expired else "20991231000000Z"),
    )
    return folder / "certificate.pem", folder / "key.pem"


def _openssl(folder: Path, *words: str | Path) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
