# The server as an image: the locked dependencies, the wheel, a user without rights, and /data.
# Every Docker builds it, also the builder before BuildKit: no mounts, no here-documents, no `syntax` line.
ARG BASE=python:3.12-slim

FROM ${BASE} AS build
RUN python3 -m venv --without-pip /opt/echo-mcp
WORKDIR /src
COPY requirements.lock requirements-build.lock ./
RUN python3 -m pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements-build.lock
RUN python3 -m pip --python /opt/echo-mcp/bin/python install --no-cache-dir --require-hashes \
    --only-binary :all: -r requirements.lock \
    && find /opt/echo-mcp -depth -type d -name tests -exec rm -r {} + \
    && find /opt/echo-mcp -name '*.pyi' -delete
COPY pyproject.toml README.md ./
COPY mcp-server mcp-server
COPY skills skills
RUN python3 -m hatchling build -t wheel -d /dist
RUN python3 -m pip --python /opt/echo-mcp/bin/python install --no-cache-dir --no-index --no-deps /dist/*.whl

FROM ${BASE}
# Whoever `--user` names may write to a new volume: its mode is this folder's.
RUN groupadd --gid 1000 echo-mcp \
    && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /data --shell /usr/sbin/nologin echo-mcp \
    && mkdir --mode 1777 /data
COPY --from=build /opt/echo-mcp /opt/echo-mcp
ENV PATH=/opt/echo-mcp/bin:$PATH \
    ECHO_STATE_DIR=/data \
    ECHO_MCP_HOST=0.0.0.0 \
    ECHO_MCP_PORT=8765
VOLUME /data
EXPOSE 8765
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python3", "-c", "import http.client, os; to = http.client.HTTPConnection('127.0.0.1', int(os.environ['ECHO_MCP_PORT']), timeout=4); to.request('GET', '/health'); raise SystemExit(to.getresponse().status != 200)"]
ENTRYPOINT ["echo-mcp"]
CMD ["serve"]
