"""A vault behind TLS: whom it trusts, and what it says when it does not."""

from contextlib import contextmanager

import pytest

from echo_memory.errors import Misconfigured, VaultUnreachable
from echo_memory.rest.access import Access
from echo_memory.rest_vault import RestVault
from folders import put
from olrapi import certificates, faults
from olrapi.standin import StandIn
from vaults import KEY, rest


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Certificates like the plugin's: right, another's, for another name, too old, signed."""
    folder = tmp_path_factory.mktemp("certificates")
    other = certificates.make(folder / "other")
    return {
        "right": certificates.make(folder / "right"),
        "other": other,
        "signed": certificates.make(folder / "signed", issuer=other),
        "named": certificates.make(folder / "named", name="DNS:vault.example"),
        "old": certificates.make(folder / "old", expired=True),
    }


@contextmanager
def trusted(root, made, which="right"):
    """A stand-in behind TLS, and a vault that trusts its certificate."""
    ca, key = made[which]
    with StandIn(root, KEY, tls=(ca, key)) as plugin, rest(plugin, ca=str(ca)) as vault:
        yield plugin, vault


def test_a_pinned_certificate_is_trusted_and_the_connection_kept(root, made):
    put(root / "a.md", "one")

    with trusted(root, made) as (plugin, vault):
        vault.probe()
        vault.write("a.md", "two" * 100_000, expected="one")
        texts = vault.read_many(vault.stamps())

    assert plugin.url.startswith("https://")
    assert texts == {"a.md": "two" * 100_000}
    assert plugin.connections == 1


def test_a_certificate_that_somebody_else_signed_can_be_pinned_by_itself(root, made):
    with trusted(root, made, "signed") as (_, vault):
        assert vault.probe() is None


@pytest.mark.parametrize(
    ("served", "pinned", "said"),
    [
        ("right", None, "is not trusted. Download .* set ECHO_CA"),
        ("right", "other", "not the one in ECHO_CA"),
        ("named", "named", "another name .* 127.0.0.1: write that"),
        ("old", "old", "not valid at this time"),
    ],
)
def test_a_certificate_that_does_not_do_is_told_by_what_is_wrong_with_it(
    root, made, served, pinned, said
):
    ca = str(made[pinned][0]) if pinned else None

    refused = pytest.raises(Misconfigured, match=said)
    with StandIn(root, KEY, tls=made[served]) as plugin, rest(plugin, ca=ca) as vault, refused:
        vault.probe()

    assert plugin.calls == []


def test_a_host_by_another_name_than_the_certificates_is_told_to_be_written_as_it_says(root, made):
    with StandIn(root, KEY, tls=made["right"]) as plugin:
        vault = RestVault(
            Access.of(f"https://localhost:{plugin.port}", KEY, ca=str(made["right"][0]))
        )
        with pytest.raises(Misconfigured, match=r"127\.0\.0\.1: write that"):
            vault.probe()


def test_http_on_a_port_that_speaks_https_is_told(root, made):
    with StandIn(root, KEY, tls=made["right"]) as plugin:
        vault = RestVault(Access.of(f"http://127.0.0.1:{plugin.port}", KEY))
        with pytest.raises(Misconfigured, match=r"its port speaks https\. Write https:"):
            vault.read("a.md")

    assert plugin.calls == []


def test_https_on_a_port_that_speaks_http_is_told(root):
    with StandIn(root, KEY) as plugin:
        vault = RestVault(Access.of(f"https://127.0.0.1:{plugin.port}", KEY))
        with pytest.raises(Misconfigured, match=r"its port speaks http\. Write http:"):
            vault.read("a.md")

    assert all("Authorization" not in seen.headers for seen in plugin.requests)


@pytest.mark.parametrize("fault", [faults.cut_before, faults.garbage, faults.truncated])
def test_an_encrypted_answer_that_breaks_off_is_no_fault_of_the_address(root, made, fault):
    put(root / "a.md", "one")

    with trusted(root, made) as (plugin, vault):
        plugin.fail(fault, times=None)
        with pytest.raises(VaultUnreachable, match="broke off"):
            vault.read("a.md")


@pytest.mark.parametrize("fault", [faults.cut_before, faults.cut_after])
def test_an_encrypted_write_whose_answer_is_lost_is_looked_after(root, made, fault):
    put(root / "a.md", "one")

    with trusted(root, made) as (plugin, vault):
        plugin.fail(fault, method="PUT")
        vault.write("a.md", "two", expected="one")

    assert (root / "a.md").read_text() == "two"


def test_a_vault_behind_tls_that_is_down_is_unreachable(root, made):
    with trusted(root, made) as (plugin, vault):
        vault.probe()
        with plugin.away(), pytest.raises(VaultUnreachable, match="Nothing listens"):
            vault.probe()


@pytest.mark.parametrize("content", [None, "", "no certificate", "-----BEGIN CERTIFICATE-----\nx"])
def test_a_file_that_is_no_certificate_is_refused(tmp_path, content):
    ca = tmp_path / "ca.pem"
    if content is not None:
        ca.write_text(content)

    with pytest.raises(Misconfigured, match="ECHO_CA is not a file with a certificate"):
        RestVault(Access.of("https://127.0.0.1:27124", KEY, ca=str(ca)))
