"""A server that answers who it thinks asks it, and how; its one word is the trusted proxies.

`serve.run` under an application that shows what it was told; the real one shows nobody.
"""

from __future__ import annotations

import sys

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from echo_mcp import serve


async def answer(request: Request) -> PlainTextResponse:
    assert request.client is not None
    return PlainTextResponse(f"{request.url.scheme} {request.client.host}")


if __name__ == "__main__":
    with serve.listen("127.0.0.1", 0) as opened:
        print(opened.getsockname()[1], flush=True)
        serve.run(Starlette(routes=[Route("/", answer)]), opened, sys.argv[1].split())
