"""The image, its lock, the deployment and the workflow, held to the code and to one another."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from contract.test_documents import README, read_settings
from echo_mcp import serve
from echo_mcp.settings import Settings
from echo_mcp.variables import DEFAULT_PORT
from server.proxies import snippet

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
WORKFLOW = ROOT / ".gitea/workflows/image.yml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "requirements-build.lock": PROJECT["build-system"]["requires"],
}
SECRET = re.compile(r"KEY|TOKEN|ALERT_URL|PASSWORD|WEBHOOK")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and what each says, on one line."""
    lines = [line for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(" ", 1)) for line in joined.splitlines()]  # type: ignore[misc]


def said_by(instruction: str) -> list[str]:
    return [what for name, what in instructions() if name == instruction]


def image_environment() -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S+)", " ".join(said_by("ENV"))))


def health_check() -> list[str]:
    words: list[str] = json.loads(said_by("HEALTHCHECK")[0].partition("CMD ")[2])
    return words


def deployed() -> dict[str, Any]:
    """The one service of the deployment."""
    services = yaml.safe_load((ROOT / "deploy.unraid.yml").read_text(encoding="utf-8"))["services"]
    (service,) = services.values()
    return dict(service)


def steps() -> list[dict[str, Any]]:
    (job,) = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"].values()
    return list(job["steps"])


def seconds(duration: str) -> int:
    assert duration.endswith("s")
    return int(duration[:-1])


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_has_the_pins_and_a_hash_for_every_file(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    requirements = re.sub(r" \\\n\s+", " ", "\n".join(lines)).splitlines()

    pinned = [requirement.split()[0] for requirement in requirements]

    assert set(LOCKS[name]) <= set(pinned)
    assert len({requirement.partition("==")[0] for requirement in pinned}) == len(pinned)
    for requirement in requirements:
        assert re.fullmatch(r"[a-z0-9._-]+==\S+( --hash=sha256:[0-9a-f]{64})+", requirement)


def test_the_image_is_built_by_every_docker() -> None:
    assert "syntax=" not in DOCKERFILE
    assert "<<" not in DOCKERFILE
    assert "--mount" not in DOCKERFILE
    assert said_by("ARG") == ["BASE=python:3.12-slim"]
    assert [what.split()[0] for what in said_by("FROM")] == ["${BASE}", "${BASE}"]


def test_whatever_is_installed_is_locked_or_is_the_wheel() -> None:
    installs = [what for what in said_by("RUN") if " install " in what]

    assert len(installs) == 3
    for what in installs:
        locked = "--require-hashes --only-binary :all: -r requirements" in what
        assert locked or "--no-index --no-deps /dist/*.whl" in what


def test_the_image_runs_as_a_plain_user_and_answers_where_its_check_asks() -> None:
    environment = image_environment()

    assert said_by("USER") == ["1000:1000"]
    assert said_by("VOLUME") == [environment["ECHO_STATE_DIR"]] == ["/data"]
    assert said_by("EXPOSE") == [environment["ECHO_MCP_PORT"]] == [str(DEFAULT_PORT)]
    assert environment["ECHO_MCP_HOST"] == "0.0.0.0"
    assert set(environment) - {"PATH"} <= read_settings()
    assert "'127.0.0.1'" in health_check()[-1]
    assert "'/health'" in health_check()[-1]


@pytest.mark.parametrize(("status", "verdict"), [(200, 0), (503, 1), (None, 1)])
def test_the_image_is_healthy_when_its_check_gets_a_200(status: int | None, verdict: int) -> None:
    asked: list[str] = []
    with HTTPServer(("127.0.0.1", 0), _answering(status or 200, asked)) as server:
        thread = Thread(target=server.handle_request)
        port = server.server_port
        if status:
            thread.start()
        else:
            server.server_close()
        env = {"PATH": os.environ["PATH"], "ECHO_MCP_PORT": str(port)}
        ran = subprocess.run(health_check(), env=env, check=False, capture_output=True, timeout=60)
        if status:
            thread.join()

    assert ran.returncode == verdict
    assert asked == (["GET /health"] if status else [])


def test_no_secret_can_get_into_a_layer() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    allowed = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {
        source
        for what in said_by("COPY")
        if not what.startswith("--from=build ")
        for source in what.split()[:-1]
    }

    assert rules[0] == "*"
    assert copied == allowed
    assert all((ROOT / name).exists() for name in allowed)
    assert not [what for what in said_by("ENV") + said_by("ARG") if SECRET.search(what)]
    assert not said_by("ADD")


def test_the_deployment_says_only_what_the_server_understands() -> None:
    service = deployed()

    assert set(service["environment"]) <= read_settings()
    (port,) = service["ports"]
    assert port.rpartition(":")[2] == str(DEFAULT_PORT)
    (volume,) = service["volumes"]
    assert volume.rpartition(":")[2] == "/data"
    assert service["healthcheck"]["test"] == ["CMD", *health_check()]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["user"].partition(":")[0] != "0"
    assert service["restart"] == "unless-stopped"


def test_the_deployment_refers_to_its_secrets_and_runs_once_they_are_put_in_place() -> None:
    environment = deployed()["environment"]
    secrets = {name for name, value in environment.items() if value == f"SECRET:{name}"}
    real = {"ECHO_KEY": "k" * 64, "ECHO_MCP_TOKEN": "t" * 64, "ECHO_ALERT_URL": "ntfy://topic"}

    settings = Settings.from_env(environment | real | {"ECHO_CA": ""})

    assert secrets == {name for name in environment if SECRET.search(name)} == set(real)
    assert settings.token == "t" * 64


def test_whoever_stops_the_container_waits_for_the_calls_that_run() -> None:
    assert seconds(deployed()["stop_grace_period"]) > serve.STOP_WITHIN_S
    assert f"{serve.STOP_WITHIN_S} s at most" in (ROOT / "deploy.unraid.yml").read_text("utf-8")
    (said,) = re.findall(r"--stop-timeout (\d+)", README)
    assert int(said) > serve.STOP_WITHIN_S


def test_the_workflow_builds_main_without_buildkit_and_tries_the_image_out_first() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    runs = [step.get("run", "") for step in steps()]
    names = [step.get("name") for step in steps()]
    smoke = ROOT / "eval/container_smoke.sh"

    # YAML reads the word `on` as a truth.
    assert workflow[True] == {"push": {"branches": ["main"]}}
    assert job["env"]["DOCKER_BUILDKIT"] == "0"
    assert "buildx" not in WORKFLOW.read_text(encoding="utf-8")
    assert names[1:] == ["Build", "Smoke test", "Push", "Roll out"]
    assert runs[2] == smoke.relative_to(ROOT).as_posix()
    assert smoke.stat().st_mode & stat.S_IXUSR
    assert not [run for run in runs if "secrets." in run]


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.parametrize(("status", "ends"), [(None, 0), (204, 0), (500, 22)])
def test_the_last_step_calls_the_webhook_if_there_is_one_and_does_not_show_it(
    status: int | None, ends: int
) -> None:
    step = steps()[-1]
    asked: list[str] = []
    with HTTPServer(("127.0.0.1", 0), _answering(status or 204, asked)) as server:
        thread = Thread(target=server.handle_request)
        if status:
            thread.start()
        url = f"http://127.0.0.1:{server.server_port}/hook?key=hunter2" if status else ""
        ran = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            env={"PATH": os.environ["PATH"], "ROLLOUT_WEBHOOK": url},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if status:
            thread.join()

    assert step["env"] == {"ROLLOUT_WEBHOOK": "${{ secrets.ROLLOUT_WEBHOOK }}"}
    assert ran.returncode == ends
    assert asked == (["POST /hook?key=hunter2"] if status else [])
    assert "hunter2" not in ran.stdout + ran.stderr


def test_the_two_deployments_of_the_readme_share_the_image_and_nothing_else() -> None:
    compose = yaml.safe_load(snippet("yaml"))
    services = list(compose["services"].values())
    said = re.findall(r"^(ECHO_\w+)=", snippet("env"), re.MULTILINE)

    assert len(services) == 2
    assert len({service["image"] for service in services}) == 1
    for mine in ("env_file", "volumes", "ports"):
        assert len({str(service[mine]) for service in services}) == 2
    volumes = {service["volumes"][0].partition(":")[0] for service in services}
    assert volumes == set(compose["volumes"])
    for service in services:
        assert service["ports"][0].startswith("127.0.0.1:")
        assert service["ports"][0].endswith(f":{DEFAULT_PORT}")
        assert seconds(service["stop_grace_period"]) > serve.STOP_WITHIN_S
    assert set(said) <= read_settings()
    assert {"ECHO_BASE", "ECHO_KEY", "ECHO_MCP_TOKEN"} <= set(said)


def _answering(status: int, asked: list[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.command} {self.path}")
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
