"""A folder vault when things go wrong: kills, full disks, forbidden or missing folders."""

import errno
import os
import signal

import pytest

from echo_memory import scratch
from echo_memory.errors import VaultUnreachable
from echo_memory.folder_vault import FolderVault
from folders import VERBS, put, run, snapshot

LIMITED = """
import resource
from echo_memory.errors import VaultIO
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for path, expected in (("a.md", "one"), ("b.md", None)):
    try:
        vault.write(path, "x" * 2000, expected=expected)
    except VaultIO as error:
        print(error)
"""


def test_a_disk_that_takes_no_more_leaves_the_note_whole_and_no_litter(root):
    put(root / "a.md", "one")
    before = snapshot(root)

    with run(LIMITED, root) as process:
        said, _ = process.communicate()

    assert said.count("Make room and try again.") == 2
    assert str(root) not in said
    assert snapshot(root) == before


KILLED = """
def kill(event, args):
    if event == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(kill)
vault.write("a.md", "new" * 1000, expected=None if sys.argv[3] == "create" else "old")
"""


@pytest.fixture
def age(root, monkeypatch):
    """Make all litter that is there old enough."""

    def age():
        probe, clock = root / "probe", max(path.stat().st_ctime for path in litter(root))
        while put(probe).stat().st_ctime <= clock:
            pass
        probe.unlink()
        monkeypatch.setattr(scratch, "_ABANDONED_AFTER_S", 0)

    return age


def litter(root):
    return {path for path in root.rglob(".*") if path.is_file()}


@pytest.mark.parametrize(
    ("moment", "verb", "found"),
    [
        ("os.rename", "replace", "old"),
        ("os.remove", "replace", "new" * 1000),
        ("os.link", "create", None),
        ("os.remove", "create", "new" * 1000),
    ],
)
def test_a_kill_at_any_moment_leaves_a_whole_note_and_the_litter_goes_later(
    root, vault, age, moment, verb, found
):
    if verb == "replace":
        put(root / "a.md", "old")

    with run(KILLED, root, moment, verb) as process:
        process.wait()
    kept = vault.read_many(["a.md"]).get("a.md")
    left = litter(root)
    vault.write("b.md", "fresh litter may be somebody's", expected=None)
    left_alone = litter(root)
    age()
    vault.write("c.md", "old litter is nobody's", expected=None)

    assert process.returncode == -signal.SIGKILL
    assert kept == found
    assert left_alone == left != set()
    assert set(vault.stamps()) == {path.name for path in root.iterdir()}


def test_litter_in_a_folder_that_is_not_written_again_goes_with_the_next_write(root, vault, age):
    names = [f"{folder}.echo-0123456789abcdef.tmp" for folder in ("", "folder/", "folder/deep/")]
    for name in names:
        put(root / name)
    age()

    stamps = vault.stamps()
    after_a_read = litter(root)
    vault.write("other/a.md", "text", expected=None)

    assert stamps == {}
    assert after_a_read == {root / name for name in names}
    assert litter(root) == set()


def test_litter_that_cannot_be_cleaned_fails_no_write(root, vault, age):
    put(root / "folder/.echo-0123456789abcdef.tmp")
    age()
    vault.stamps()
    (root / "folder").rename(root / "moved")

    vault.write("a.md", "text", expected=None)

    assert vault.read("a.md") == "text"


def test_only_own_litter_is_cleaned(root, vault, age):
    for name in (".echo-notes.tmp", ".a.tmp", "a.tmp", ".echo-0123456789abcdef.tmp.md"):
        put(root / name)
    age()
    before = snapshot(root)

    vault.write("a.md", "text", expected=None)

    assert snapshot(root).items() >= before.items()


def test_a_second_name_that_an_old_note_was_just_given_is_no_litter_yet(root, vault):
    os.utime(put(root / "a.md", "one"), (0, 0))
    second = root / ".echo-0123456789abcdef.tmp"
    second.hardlink_to(root / "a.md")

    vault.write("b.md", "text", expected=None)

    assert second.exists()


BUSY = """
texts = ["a" * 300_000, "b" * 400_000]
vault.write("a.md", texts[1], expected=None)
for round in range(1_000_000):
    vault.write("a.md", texts[round % 2], expected=texts[(round + 1) % 2])
    print(round, flush=True)
"""


@pytest.mark.parametrize("rounds", [1, 2, 3, 7, 20])
def test_a_kill_in_the_midst_of_writing_leaves_a_whole_note(root, vault, rounds):
    with run(BUSY, root) as process:
        for _ in range(rounds):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()

    assert vault.read("a.md") in ("a" * 300_000, "b" * 400_000)


def test_a_reader_meets_only_whole_notes_while_another_process_writes(root, vault):
    with run(BUSY, root) as process:
        process.stdout.readline()
        seen = {vault.read("a.md") for _ in range(100)}
        process.send_signal(signal.SIGKILL)

    assert seen <= {"a" * 300_000, "b" * 400_000}


CREATOR = """
from echo_memory.errors import Conflict
sys.stdin.readline()
for number in range(30):
    try:
        vault.write(f"new/{number}.md", sys.argv[2], expected=None)
        print(number)
    except Conflict:
        pass
"""


def test_of_several_creators_of_one_note_exactly_one_succeeds(root, vault):
    creators = {name: run(CREATOR, root, name) for name in "abcd"}
    for creator in creators.values():
        creator.stdin.write("go\n")
        creator.stdin.flush()

    made = {name: creator.communicate()[0].split() for name, creator in creators.items()}

    winners = {f"new/{number}.md": name for name, numbers in made.items() for number in numbers}
    assert sum(map(len, made.values())) == 30
    assert vault.read_many(vault.stamps()) == winners


WITHOUT_HARD_LINKS = """
from echo_memory.errors import Conflict
def refuse(event, args):
    if event == "os.link":
        raise OSError(int(sys.argv[2]), "no hard links here")
sys.addaudithook(refuse)
vault.write("folder/a.md", "one", expected=None)
try:
    vault.write("folder/a.md", "two", expected=None)
except Conflict:
    print("conflict")
"""


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_disk_without_hard_links_gets_new_notes_too(root, vault, number):
    with run(WITHOUT_HARD_LINKS, root, str(number)) as process:
        said, _ = process.communicate()

    assert said == "conflict\n"
    assert vault.read("folder/a.md") == "one"
    assert [path.name for path in (root / "folder").iterdir()] == ["a.md"]


PERMITTED = """
from echo_memory.errors import EchoError
root = os.open(sys.argv[1], os.O_RDONLY)
os.fchdir(root)
vault = FolderVault("/proc/self/cwd" if os.path.exists("/proc/self/cwd") else ".")
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for attempt in (
    lambda: sorted(vault.stamps()),
    lambda: vault.read_many(["closed.md", "folder/a.md", "shut/b.md"]),
    lambda: vault.read("closed.md"),
    lambda: vault.read("shut/b.md"),
    lambda: vault.write("folder/a.md", "two", expected="one"),
    lambda: vault.write("folder/b.md", "two", expected=None),
    lambda: vault.trash("folder/a.md", expected="one"),
):
    try:
        print(attempt())
    except EchoError as error:
        print(error.code, error.message)
"""


def test_what_is_not_permitted_is_said_and_hides_nothing_else(root):
    put(root / "closed.md").chmod(0)
    put(root / "folder/a.md", "one").chmod(0o444)
    put(root / "shut/b.md")
    put(root / "names only/c.md")
    (root / "shut").chmod(0)
    (root / "names only").chmod(0o444)
    (root / "folder").chmod(0o555)
    root.chmod(0o555)
    before = (root / "folder").stat().st_mtime_ns

    with run(PERMITTED, root) as process:
        said, _ = process.communicate()

    for folder in root.iterdir():
        folder.chmod(0o755)
    assert said.splitlines()[:2] == ["['closed.md', 'folder/a.md']", "{'folder/a.md': 'one'}"]
    assert [line[:31] for line in said.splitlines()[2:]] == ["vault-io Permission was denied."] * 5
    assert (root / "folder").stat().st_mtime_ns == before


@pytest.mark.parametrize("verb", [*VERBS, "stamps", "probe"])
@pytest.mark.parametrize("instead", ["nothing", "a file", "a dangling link"])
def test_a_vault_whose_folder_is_gone_is_unreachable_and_not_made_anew(tmp_path, verb, instead):
    root = tmp_path / "unmounted"
    if instead == "a file":
        root.write_text("not a folder")
    elif instead == "a dangling link":
        root.symlink_to(tmp_path / "nowhere")
    before = snapshot(tmp_path)
    call = VERBS.get(verb, lambda vault, _: getattr(vault, verb)())

    with pytest.raises(VaultUnreachable) as refusal:
        call(FolderVault(root), "a.md")

    assert str(tmp_path) not in str(refusal.value.as_dict())
    assert snapshot(tmp_path) == before


def test_a_vault_that_is_there_can_be_used(vault):
    assert vault.probe() is None
    assert vault.stamps() == {}


def test_a_vault_behind_a_link_or_in_a_hidden_folder_is_a_vault(tmp_path):
    put(tmp_path / ".hidden/vault/folder/a.md", "one")
    (tmp_path / ".hidden/vault/alias.md").symlink_to("folder/a.md")
    (tmp_path / "link").symlink_to(tmp_path / ".hidden/vault")
    vault = FolderVault(tmp_path / "link")

    vault.write("alias.md", "two", expected="one")

    assert vault.read_many(vault.stamps()) == {"folder/a.md": "two", "alias.md": "two"}


FOREIGN = """
from echo_memory.errors import VaultIO
os.chdir(sys.argv[1])
vault = FolderVault("/proc/self/cwd")
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    vault.write("a.md", "two", expected="one")
except VaultIO as error:
    print(error)
vault.write("b.md", "two", expected=None)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_a_note_that_belongs_to_somebody_else_is_not_replaced_though_its_folder_is_open(root):
    put(root / "a.md", "one").chmod(0o644)
    root.chmod(0o777)

    with run(FOREIGN, root) as process:
        said, _ = process.communicate()

    assert said.startswith("Permission was denied.")
    assert {path.name: path.read_text() for path in root.iterdir()} == {
        "a.md": "one",
        "b.md": "two",
    }


ELSEWHERE = """
from echo_memory.errors import VaultIO
def refuse(event, args):
    if event == "os.rename":
        raise OSError(int(sys.argv[2]), "another disk")
sys.addaudithook(refuse)
try:
    vault.trash("a.md", expected="one")
except VaultIO as error:
    print(error)
"""


def test_a_note_that_cannot_be_moved_into_the_trash_stays_and_leaves_nothing_there(root):
    put(root / "a.md", "one")
    (root / ".trash").mkdir()
    before = snapshot(root)

    with run(ELSEWHERE, root, str(errno.EXDEV)) as process:
        said, _ = process.communicate()

    assert said.startswith("The vault's disk reports: ")
    assert snapshot(root) == before
