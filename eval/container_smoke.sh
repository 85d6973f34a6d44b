#!/usr/bin/env bash
# Builds the image and lives through a day with it: start, health, a capture with the token, SIGTERM, start on the same
# /data, recall. The vault is the stand-in of the Local REST API, in a container of the same image.
#
#   eval/container_smoke.sh                    # with docker where its engine answers, else with buildah (as root)
#   BASE=python:3.12-slim IMAGE=echo-mcp eval/container_smoke.sh
#
# BASE is the image to build on. Where no image registry can be reached, tag any Debian with CPython 3.12 as
# docker.io/library/python:3.12-slim in the local store of buildah: what is there is not pulled.
# Prints figures, and fails when they are over their limits: OWN_MB (what is added to the base, which is 125 MB), HEALTHY_S
# (start to healthy), RECALL_S (start on a warm /data to the answer of a recall). On a busy machine, give it larger ones.
set -euo pipefail
cd "$(dirname "$0")/.."
BASE=${BASE:-python:3.12-slim} IMAGE=${IMAGE:-echo-mcp}
OWN_MB=${OWN_MB:-125} HEALTHY_S=${HEALTHY_S:-5} RECALL_S=${RECALL_S:-2}

free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
token=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
key=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
vault_port=$(free_port) port=$(free_port)
name=echo-mcp-smoke-$$ running=
settings=(ECHO_BASE="http://127.0.0.1:$vault_port" ECHO_KEY="$key" ECHO_MCP_TOKEN="$token" ECHO_MCP_PORT="$port")

# --- docker: the server lives in the network of the vault's container, so that nothing is published -------------------

docker_build() { DOCKER_BUILDKIT=0 docker build --build-arg BASE="$BASE" --tag "$IMAGE" .; }
docker_size() { docker image inspect --format '{{.Size}}' "$1"; }
docker_config() { docker image inspect --format '{{json .Config}}' "$IMAGE"; }
docker_vault() {
  docker create --name "$name-vault" --workdir /srv --user 0 --entrypoint sh "$IMAGE" -c \
    "mkdir /srv/notes && exec python3 -m olrapi.standin /srv/notes --key $key --port $vault_port" > /dev/null
  docker cp eval/olrapi "$name-vault:/srv/olrapi"
  docker start "$name-vault" > /dev/null
  docker volume create "$name" > /dev/null
}
docker_start() {
  docker run --detach --name "$name" --network "container:$name-vault" --volume "$name:/data" \
    "${settings[@]/#/--env=}" "$IMAGE" > /dev/null
}
docker_began() { date --date "$(docker inspect --format '{{.State.StartedAt}}' "$name")" +%s.%N; }
docker_first() {
  docker_start
  probe "$@" | tail -n 1
}
docker_inside() { docker exec --interactive "$name" "$@"; }
docker_stop() {
  docker stop "$name" > /dev/null
  test "$(docker inspect --format '{{.State.ExitCode}}' "$name")" = 0
  docker logs "$name" > "$log" 2>&1
  docker rm "$name" > /dev/null
}
docker_clean() {
  docker rm --force --volumes "$name"
  docker rm --force --volumes "$name-vault"
  docker volume rm "$name"
}

# --- buildah: no network of its own, so the server binds the loopback address of this machine; /data is a volume that
# --- buildah keeps for as long as the container is there ---------------------------------------------------------------

export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
buildah_build() {
  local here=()
  if buildah images --quiet "$BASE" > /dev/null 2>&1; then here=(--pull-never); fi
  buildah bud --layers --format docker "${here[@]}" --network host --build-arg BASE="$BASE" --tag "$IMAGE" .
}
buildah_size() {
  local container
  container=$(buildah from --pull-never "$1")
  du --summarize --bytes "$(buildah mount "$container")" | cut -f 1
  buildah rm "$container" > /dev/null
}
buildah_config() {
  buildah inspect --type image "$IMAGE" | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["Docker"]["config"]))'
}
buildah_vault() {
  buildah from --pull-never --name "$name-vault" "$IMAGE" > /dev/null
  buildah from --pull-never --name "$name" "$IMAGE" > /dev/null
  buildah copy --quiet "$name-vault" eval/olrapi /srv/olrapi > /dev/null
  mkdir "$work/notes"
  chown 1000:1000 "$work/notes"
  buildah run --network host --workingdir /srv --volume "$work/notes:/srv/notes" "$name-vault" -- \
    sh -c "echo \$\$ > /srv/notes/.pid; exec python3 -m olrapi.standin /srv/notes --key $key --port $vault_port" &
}
buildah_start() {
  local command
  mapfile -t command < <(config '*(config["Entrypoint"] + config["Cmd"]), sep="\n"')
  buildah_run sh -c 'date +%s.%N > /data/.began; exec "$@"' sh "${command[@]}" < /dev/null > "$log" 2>&1 &
  running=$!
}
buildah_began() { buildah_inside cat /data/.began; }
buildah_run() {
  buildah run --network host "${settings[@]/#/--env=}" --env=ECHO_MCP_HOST=127.0.0.1 "$name" -- "$@"
}
buildah_inside() { buildah_run "$@"; }
buildah_first() { # getting in takes buildah longer than the server takes to start
  probe "$@" > "$work/answer" &
  local asking=$!
  until [ -s "$work/answer" ]; do sleep 0.1; done
  buildah_start
  wait "$asking"
  tail -n 1 "$work/answer"
}
buildah_stop() {
  # Under this isolation, a process has the number within that it has without.
  kill -TERM "$(buildah_inside python3 -c 'import json; print(json.load(open("/data/server.json"))["pid"])')"
  wait "$running"
  running=
}
buildah_clean() {
  if [ -n "$running" ]; then buildah_stop; fi
  if [ -e "$work/notes/.pid" ]; then kill "$(cat "$work/notes/.pid")"; fi
  wait
  buildah rm "$name" "$name-vault"
}

# --- the day ------------------------------------------------------------------------------------------------------------

if docker info > /dev/null 2>&1; then with=docker; elif command -v buildah > /dev/null; then with=buildah
else echo "Neither an engine of docker nor buildah is here." >&2; exit 1; fi
work=$(mktemp --directory) log=$work/server.log
trap 'echo "failed in line $LINENO" >&2' ERR
trap '"${with}_clean" > /dev/null 2>&1 || true; rm -rf "$work"' EXIT

config() { "${with}_config" | python3 -c "import json, sys; config = json.load(sys.stdin); print($1)"; }
probe() { "${with}_inside" python3 - "$@" < eval/container_probe.py; }
since_start() { # when it was
  local began
  began=$("${with}_began")
  python3 -c "print($1 - $began)"
}
failed=0
figure() { # what, value, limit, unit
  local verdict=ok
  if python3 -c "import sys; sys.exit($2 <= $3)"; then verdict="over the limit"; failed=1; fi
  printf '%-52s %6.1f %s (limit %s): %s\n' "$1" "$2" "$4" "$3" "$verdict"
}

echo "with $with, on $BASE"
"${with}_build" > "$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" >&2; exit 1; }
whole=$("${with}_size" "$IMAGE")
base=$("${with}_size" "$BASE")
figure "added to the base" "$(python3 -c "print(($whole - $base) / 1e6)")" "$OWN_MB" MB
test "$(config 'config["User"]')" = 1000:1000

"${with}_vault"
"${with}_first" health > "$work/healthy"
read -r at used _ < "$work/healthy"
took=$(since_start "$at")
figure "start to healthy ($used s of a processor)" "$took" "$HEALTHY_S" s
config '*config["Healthcheck"]["Test"][1:], sep="\n"' > "$work/check"
mapfile -t check < "$work/check"
"${with}_inside" "${check[@]}"
probe stranger > /dev/null
"${with}_inside" echo-memory bootstrap > /dev/null
read -r _ _ made < <(probe capture "Ada Lovelace" "Wrote the first program." | tail -n 1)
echo "captured $made"
"${with}_stop"
if grep --quiet --fixed-strings --regexp "$token" --regexp "$key" "$log"; then echo "a secret is in the log" >&2; exit 1; fi

"${with}_first" recall "who wrote the first program" > "$work/found"
read -r at used found < "$work/found"
test "$found" = "$made"
took=$(since_start "$at")
figure "start on a warm /data to a recall ($used s of one)" "$took" "$RECALL_S" s
"${with}_stop"
exit "$failed"
