"""The stand-in as a tool: faults come when they are planned, and it can be run by hand."""

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from olrapi import faults
from olrapi.standin import StandIn

KEY = "testkey"


def status(stand_in, method="GET", path="/"):
    connection = HTTPConnection("127.0.0.1", stand_in.port, timeout=5)
    try:
        connection.request(method, path, headers={"Authorization": f"Bearer {KEY}"})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("plan", "seen"),
    [
        ({}, [502, 200, 200, 200]),
        ({"nth": 3}, [200, 200, 502, 200]),
        ({"nth": 2, "times": 2}, [200, 502, 502, 200]),
        ({"nth": 2, "times": None}, [200, 502, 502, 502]),
        ({"method": "GET", "path": "/", "times": None}, [502, 502, 502, 502]),
        ({"method": "PUT", "times": None}, [200, 200, 200, 200]),
        ({"path": "/vault/", "times": None}, [200, 200, 200, 200]),
    ],
)
def test_a_fault_comes_to_the_requests_that_it_is_planned_for(tmp_path, plan, seen):
    with StandIn(tmp_path, KEY) as stand_in:
        stand_in.fail(faults.bad_gateway, **plan)

        assert [status(stand_in) for _ in range(4)] == seen
        stand_in.recover()
        assert status(stand_in) == 200


def test_faults_come_in_the_order_in_which_they_were_planned(tmp_path):
    with StandIn(tmp_path, KEY) as stand_in:
        stand_in.fail(faults.unauthorized, times=2)
        stand_in.fail(faults.bad_gateway)

        assert [status(stand_in) for _ in range(4)] == [401, 401, 502, 200]


def test_it_comes_back_where_it_was(tmp_path):
    with StandIn(tmp_path, KEY) as stand_in:
        for _ in range(3):
            with stand_in.away(), pytest.raises(ConnectionRefusedError):
                status(stand_in)
            assert status(stand_in) == 200


@pytest.mark.parametrize(
    ("fault", "left"), [(faults.dies_before, b"one"), (faults.dies_after, None)]
)
def test_it_can_die_at_one_request_and_stay_away_from_everybody_until_it_is_called(
    tmp_path, fault, left
):
    note = tmp_path / "a.md"
    note.write_bytes(b"one")
    with StandIn(tmp_path, KEY) as stand_in:
        other = HTTPConnection("127.0.0.1", stand_in.port, timeout=5)
        other.request("GET", "/")
        other.getresponse().read()
        stand_in.fail(fault, method="DELETE")

        with pytest.raises(ConnectionError):
            status(stand_in, "DELETE", "/vault/a.md")
        found = note.read_bytes() if note.exists() else None
        for _ in range(3):
            with pytest.raises(ConnectionRefusedError):
                status(stand_in)
        with pytest.raises(ConnectionError):  # on the connection that there was
            other.request("GET", "/")
            other.getresponse()
        other.close()
        stand_in.up()

        assert found == left
        assert status(stand_in) == 200


def test_many_connections_at_once_are_all_ended_when_it_dies(tmp_path):
    def asking(stand_in):
        with suppress(ConnectionError):
            while True:
                status(stand_in)

    with StandIn(tmp_path, KEY) as stand_in, ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            stand_in.up()
            stand_in.fail(faults.dies_after, nth=30)
            asked = [pool.submit(asking, stand_in) for _ in range(8)]

            assert [each.result() for each in asked] == [None] * 8


def test_calling_it_back_when_it_is_there_changes_nothing(tmp_path):
    with StandIn(tmp_path, KEY) as stand_in:
        stand_in.up()

        assert status(stand_in) == 200


def test_the_calls_within_are_counted(tmp_path):
    with StandIn(tmp_path, KEY) as stand_in:
        status(stand_in)
        with stand_in.counting() as calls:
            status(stand_in)
            status(stand_in, "DELETE", "/vault/none%20here.md")
        status(stand_in)

    assert calls == [("GET", "/"), ("DELETE", "/vault/none here.md")]


def test_what_fails_in_it_fails_the_test(tmp_path):
    def broken(exchange):
        raise ZeroDivisionError

    failed = pytest.raises(AssertionError, match="the stand-in failed")
    with failed, StandIn(tmp_path, KEY) as stand_in:
        stand_in.fail(broken)
        with pytest.raises(ConnectionError):
            status(stand_in)


def test_it_can_be_run_by_hand(tmp_path):
    words = [sys.executable, "-m", "olrapi.standin", tmp_path, "--key", KEY, "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}

    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline()
        port = int(said.partition(", until")[0].rpartition(":")[2])
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/vault/")
        answer = connection.getresponse()
        connection.close()
        process.terminate()

    assert answer.status == 401
    assert process.returncode == 0


def test_a_body_that_breaks_off_changes_nothing(tmp_path):
    (tmp_path / "a.md").write_text("whole")
    with (
        StandIn(tmp_path, KEY) as plugin,
        socket.create_connection(("127.0.0.1", plugin.port), timeout=5) as half,
    ):
        half.sendall(
            b"PUT /vault/a.md HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
            b"Authorization: Bearer " + KEY.encode() + b"\r\n\r\nhal"
        )
        half.shutdown(socket.SHUT_WR)
        assert half.recv(1) == b""

    assert (tmp_path / "a.md").read_text() == "whole"
