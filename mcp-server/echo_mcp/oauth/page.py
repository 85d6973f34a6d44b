"""The pages that a person sees: plain HTML, no script, nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape

from starlette.responses import HTMLResponse

from echo_mcp.oauth.authorization import Request
from echo_mcp.oauth.redirects import host, is_loopback, origin
from echo_mcp.oauth.site import AUTHORIZE

ALLOW, DENY = "allow", "deny"
MAX_TOKEN = 1_024

_STYLE = """
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.25rem; font: 1rem/1.5 system-ui, sans-serif;
  color: #1c1b19; background: #f4f2ee; }
main { max-width: 34rem; margin: 4vh auto; padding: 1.5rem; background: #fff;
  border: 1px solid #d9d5cc; border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.3; }
dl { margin: 1rem 0; padding: .75rem 1rem; background: #f4f2ee; border-radius: .5rem; }
dt { font-size: .875rem; color: #5b574f; }
dd { margin: 0 0 .5rem; font-weight: 600; }
dd:last-child { margin-bottom: 0; }
label { display: block; margin: 1.25rem 0 .375rem; font-weight: 600; }
input { width: 100%; padding: .625rem .75rem; font: inherit; color: inherit;
  background: #fff; border: 1px solid #8a857b; border-radius: .5rem; }
p.error { padding: .75rem 1rem; color: #7a1512; background: #fbe9e7; border-radius: .5rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1rem; }
button { flex: 1 1 9rem; padding: .625rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: #1c1b19; background: #fff; border: 1px solid #8a857b; border-radius: .5rem; }
button.first { color: #fff; background: #1f5d4c; border-color: #1f5d4c; }
:focus-visible { outline: 3px solid #3f8fd2; outline-offset: 2px; }
.small { font-size: .875rem; color: #5b574f; }
@media (prefers-color-scheme: dark) {
  body { color: #ecebe8; background: #191816; }
  main { background: #24221f; border-color: #45423c; }
  dl { background: #191816; }
  dt, .small { color: #b5b0a6; }
  input, button { color: #ecebe8; background: #191816; }
  button.first { background: #2c7a65; border-color: #2c7a65; }
  p.error { color: #ffd9d5; background: #4b1c19; }
}
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def consent(request: Request, sealed: str, *, error: str = "", status: int = 200) -> HTMLResponse:
    """The page on which the operator allows a client, or does not.

    Args:
        request: what is asked for.
        sealed: the same, for the form to send back.
        error: why it is shown again.
        status: the answer's.
    """
    name, there = escape(request.client.name), escape(_place(request.redirect_uri))
    asking = name if request.client.is_known else f"A client that calls itself “{name}”"
    body = f"""
<h1>{asking} asks for your memory</h1>
{f'<p class="error" role="alert">{escape(error)}</p>' if error else ""}
<dl>
<dt>After you allow it, you are sent to</dt><dd>{there}</dd>
<dt>It may then use</dt><dd>{escape(request.resource)}</dd>
<dt>That means</dt><dd>reading and changing all notes of this memory, until you revoke it</dd>
</dl>
<p>Go on only if you pressed “Connect” just now in a client of your own, and the address above is
where you came from. Otherwise somebody else began this: close the page.</p>
<form method="post" action="{AUTHORIZE}" autocomplete="off">
<input type="hidden" name="request" value="{escape(sealed)}">
<label for="token">The server’s token</label>
<input id="token" name="token" type="password" required maxlength="{MAX_TOKEN}"
 autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="where">
<p class="small" id="where">It is what ECHO_MCP_TOKEN says, or the file “token” in the server’s
state folder. The client does not get it.</p>
<div class="buttons">
<button class="first" name="answer" value="{ALLOW}">Allow</button>
<button name="answer" value="{DENY}" formnovalidate>Deny</button>
</div>
</form>"""
    # Chromium holds the redirect that follows to this list, too.
    return _page("Sign in", body, status=status, forms=f"'self' {origin(request.redirect_uri)}")


def fault(
    words: str, *, status: int = 400, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """A page that says why there is nothing to allow, and leads nowhere.

    Args:
        words: what is wrong, and what to do.
        status: the answer's.
        headers: more of them.
    """
    body = f"""
<h1>This sign-in cannot go on</h1>
<p>{escape(words)}</p>
<p class="small">Nothing was allowed. You can close this page.</p>"""
    return _page("Sign in", body, status=status, headers=headers)


def _place(redirect_uri: str) -> str:
    where = host(redirect_uri)
    return f"{where} (a program on your own machine)" if is_loopback(redirect_uri) else where


def _page(
    title: str,
    body: str,
    *,
    status: int,
    forms: str = "'none'",
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action {forms};"
        " frame-ancestors 'none'; base-uri 'none'"
    )
    document = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} – Echo memory</title>
<style>{_STYLE}</style>
</head>
<body><main>{body}
</main></body>
</html>
"""
    return HTMLResponse(
        document,
        status_code=status,
        headers={
            "Content-Security-Policy": policy,
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            # Not `no-referrer`: the form would then be sent with the Origin `null`.
            "Referrer-Policy": "same-origin",
            "Cache-Control": "no-store",
            **(headers or {}),
        },
    )
