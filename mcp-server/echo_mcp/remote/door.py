"""The door: who gets in, and who is turned away, from outside."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from echo_mcp.remote import wire
from echo_mcp.remote.visitor import Answer, Visitor
from echo_memory.ops.health import Check

_OK, _UNAUTHORIZED, _FORBIDDEN, _MISDIRECTED = 200, 401, 403, 421
_REDIRECTS = range(300, 400)
_STRANGER = "stranger.invalid"
_HOSTED = "https://claude.ai"
_PROXY_FIXES = {
    403: "Something in front refuses it: let requests to /mcp through (at Cloudflare, switch off"
    " challenges and `Block AI bots` for this name).",
    404: "Have the proxy forward /mcp, with this path, to the server.",
    405: "Have the proxy pass POST on.",
    421: "Put the name into ECHO_MCP_HOSTS and restart the server; have the proxy pass the Host"
    " header on unchanged.",
    429: "Something in front limits requests: allow more of them for /mcp.",
    502: "The proxy does not reach the server: check that it runs, and the proxy's address of it.",
    503: "The proxy does not reach the server: check that it runs, and the proxy's address of it.",
    504: "The proxy waits in vain for the server: check that it runs, and the proxy's time-outs.",
}
_OTHER = "See what the proxy in front does with POST /mcp."


def closed(visitor: Visitor) -> Iterator[Check]:
    """What a client without a token meets, at both spellings of the address."""
    bare = visitor.url.removesuffix("/")
    spellings = [visitor.url, bare if visitor.url != bare else f"{bare}/"]
    answers = [visitor.post(wire.ping(), url=url, token="") for url in spellings]
    yield _unredirected(visitor, spellings, answers)
    if answers[0].status not in _REDIRECTS:
        yield _refused(visitor, answers[0])


def opened(visitor: Visitor) -> Check:
    """Whether the token opens it."""
    answer = visitor.post(wire.ping())
    if answer.status == _OK and "result" in (answer.content or {}):
        return Check("token", ok=True, detail="taken")
    if answer.status == _UNAUTHORIZED:
        return Check(
            "token",
            ok=False,
            detail="the server refuses the token",
            fix="Give the file of this server's token; have the proxy pass the Authorization header"
            " on, and send it only once.",
        )
    return _unexpected("token", answer)


def guarded(visitor: Visitor) -> Iterator[Check]:
    """What a client with the token, but from elsewhere, meets; and one with another token."""
    yield _wrong_token(visitor)
    yield _foreign_host(visitor)
    yield _foreign_origin(visitor)
    answer = visitor.post(wire.ping(), headers={"Origin": _HOSTED})
    good = answer.status == _OK
    yield Check(
        "hosted clients",
        ok=good,
        detail=f"Origin {_HOSTED} is answered {answer.status}",
        fix="" if good else "Have the proxy pass the Origin header on, and refuse none by itself.",
    )


def _unredirected(visitor: Visitor, spellings: list[str], answers: list[Answer]) -> Check:
    for url, answer in zip(spellings, answers, strict=True):
        if answer.status in _REDIRECTS:
            target = answer.headers.get("location", "")
            return Check(
                "redirects",
                ok=False,
                detail=f"POST {urlsplit(url).path or '/'} is sent on ({answer.status}) to"
                f" {visitor.shown(target) or 'nowhere'}",
                fix=_redirect_fix(visitor, target),
            )
    return Check("redirects", ok=True, detail="none, with and without a slash at the end")


def _redirect_fix(visitor: Visitor, target: str) -> str:
    if visitor.at.scheme == "https" and target.lower().startswith("http:"):
        return (
            "It leads out of TLS, and a client would send its token readable: have the proxy answer"
            " /mcp and /mcp/ without a redirect, and pass X-Forwarded-Proto on."
        )
    if "//" in target and not target.startswith(f"{visitor.origin}/"):
        return "Register clients under the name that it leads to, if that is yours; then check it."
    return "Have the proxy forward /mcp and /mcp/ both, as they are: clients lose the body there."


def _refused(visitor: Visitor, answer: Answer) -> Check:
    if _OK <= answer.status < _REDIRECTS.start:
        return Check(
            "without a token",
            ok=False,
            detail=f"anyone gets in ({answer.status})",
            fix="Take it off the net now. Does the proxy add the token by itself, or is it another"
            " server?",
        )
    if answer.status != _UNAUTHORIZED:
        return _unexpected("without a token", answer)
    challenge = answer.headers.get("www-authenticate", "")
    if challenge.partition(" ")[0].lower() == "bearer":
        return Check("without a token", ok=True, detail="401, and WWW-Authenticate: Bearer")
    return Check(
        "without a token",
        ok=False,
        detail=f"401 with WWW-Authenticate: {visitor.shown(challenge) or 'missing'}",
        fix="Have the proxy pass WWW-Authenticate on, and ask for no login of its own on /mcp.",
    )


def _wrong_token(visitor: Visitor) -> Check:
    answer = visitor.post(wire.ping(), token="x" * 40)
    good = answer.status == _UNAUTHORIZED
    return Check(
        "another token",
        ok=good,
        detail=f"is answered {answer.status}",
        fix="" if good else "It must be refused: does the proxy put in a token of its own?",
    )


def _foreign_host(visitor: Visitor) -> Check:
    # Behind a proxy, a foreign name may lead to somebody else, who must not get the token: it is
    # sent only where the refusal of a request without one is this server's.
    stranger = {"Host": _STRANGER}
    answer = visitor.post(wire.ping(), token="", headers=stranger)
    challenge = answer.headers.get("www-authenticate", "").partition(" ")[0].lower()
    if answer.status == _UNAUTHORIZED and challenge == "bearer" and answer.content is None:
        answer = visitor.post(wire.ping(), headers=stranger)
    good = not _OK <= answer.status < _REDIRECTS.start
    return Check(
        "foreign host",
        ok=good,
        detail=f"is answered {answer.status}",
        fix=""
        if good
        else "Have the proxy pass the Host header on as it came: set to a fixed name, it hides a"
        " foreign one from the server.",
    )


def _foreign_origin(visitor: Visitor) -> Check:
    answer = visitor.post(wire.ping(), headers={"Origin": f"https://{_STRANGER}"})
    good = answer.status == _FORBIDDEN
    return Check(
        "foreign origin",
        ok=good,
        detail=f"is answered {answer.status}",
        fix=""
        if good
        else "Have the proxy pass the Origin header on: without it, pages of others get in.",
    )


def _unexpected(check: str, answer: Answer) -> Check:
    """An answer that is no answer of this server's."""
    by_cloudflare = "cf-mitigated" in answer.headers
    return Check(
        check,
        ok=False,
        detail=f"POST /mcp is answered {answer.status}",
        fix=_PROXY_FIXES[_FORBIDDEN] if by_cloudflare else _PROXY_FIXES.get(answer.status, _OTHER),
    )
