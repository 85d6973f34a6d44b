"""The stand-in as a tool: faults come when they are planned, and it can be run by hand."""

import os
import subprocess
import sys
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
