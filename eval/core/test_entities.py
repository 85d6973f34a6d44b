"""The entity index: exact names, near ones, the shared index file, and change note by note."""

import json
import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.entities import Candidate, Entities
from echo_memory.naming.entity import Entity

ADA = Entity(
    "ada-lovelace",
    "resources/people/ada-lovelace.md",
    "person",
    "Ada Lovelace",
    ("Countess of Lovelace",),
)
GRACE = Entity("grace-hopper", "resources/people/grace-hopper.md", "person", "Grace Hopper")
ENGINE = Entity(
    "analytical-engine", "projects/active/analytical-engine.md", "project", "Analytical Engine"
)
ACME = Entity("acme", "resources/companies/acme.md", "company", "Acme GmbH")


def person(name):
    slug = name.lower().replace(" ", "-")
    return Entity(slug, f"resources/people/{slug}.md", "person", name)


def seen(candidates):
    return [(candidate.entity.title, candidate.score, candidate.why) for candidate in candidates]


def what(entities, mention):
    """All that an index answers about a mention."""
    return entities.exact(mention), entities.candidates(mention, limit=99), entities.get(mention)


@pytest.mark.parametrize(
    "mention",
    [
        "Ada Lovelace", "ada  LOVELACE", "Ada-Lovelace", "ada-lovelace", "countess of  LOVELACE",
        "resources/people/ada-lovelace",
    ],
)  # fmt: skip
def test_an_id_a_title_or_an_alias_is_exact_when_it_folds_equal(mention):
    entities = Entities([ADA, GRACE])

    assert entities.exact(mention) == [ADA]


def test_a_file_name_made_by_hand_is_exact():
    note = Entity("Byron, Ada", "resources/people/Byron, Ada.md", "person", "Ada Lovelace")

    assert Entities([note]).exact("byron ada") == [note]


def test_a_name_that_several_bear_finds_all_titles_first():
    alias = Entity("zed", "a/zed.md", "concept", "Zed", ("Ada",))
    title = Entity("ada-2", "b/ada-2.md", "person", "ADA")
    slug = Entity("ada", "0/ada.md", "person", "Ada Lovelace")

    assert Entities([alias, slug, title]).exact("ada") == [title, alias, slug]


@pytest.mark.parametrize("mention", ["Ada", "Ada Lovelac", "", " ", "Nobody"])
def test_what_is_not_equal_is_not_exact(mention):
    assert Entities([ADA, replace(GRACE, title=" ")]).exact(mention) == []


def test_a_romanised_file_name_stands_for_a_title_in_other_letters():
    pushkin = Entity("aleksandr-pushkin", "p/aleksandr-pushkin.md", "person", "Александр Пушкин")
    entities = Entities([pushkin])

    assert entities.exact("Aleksandr Pushkin") == [pushkin]
    assert seen(entities.candidates("Alexandr Pushkin")) == [
        ("Александр Пушкин", 0.94, "another spelling (file name)")
    ]


def test_exact_candidates_lead_and_say_what_is_equal():
    alias = Entity("al", "a/al.md", "person", "Al", ("Ada Lovelace",))
    near = person("Ada Lovelase")

    found = Entities([near, alias, ADA]).candidates("Ada Lovelace")

    assert seen(found) == [
        ("Ada Lovelace", 1.0, "same name"),
        ("Al", 1.0, "alias"),
        ("Ada Lovelase", 0.8, "similar spelling"),
    ]


def test_a_near_alias_is_named():
    found = Entities([ADA]).candidates("Countess of Lovelase")

    assert seen(found) == [
        ("Ada Lovelace", 0.92, 'typing slip (alias "Countess of Lovelace")')
    ]  # fmt: skip


@pytest.mark.parametrize(
    "mention",
    [
        "Ada Lovelase", "Lovelace Ada", "A. Lovelace", "Ada King Lovelace", "Ada", "Lovelace",
        "AdaLovelace", "Dr Lovelace", "Adah Lovelace",
    ],
)  # fmt: skip
def test_a_near_name_gates_among_many_others(mention):
    others = [person(f"{first} {last}") for first in ("Ben", "Cy", "Dan") for last in ("Ro", "Sy")]
    entities = Entities([*others, GRACE, ENGINE, ADA, ACME])

    found = entities.candidates(mention, kind="person")

    assert [candidate.entity for candidate in found if candidate.gates] == [ADA]


def test_a_name_that_is_only_similar_is_near_but_does_not_gate():
    [found] = Entities([person("Jan Novak")]).candidates("Jana Novak", kind="person")

    assert found.is_near
    assert not found.gates


def test_a_first_name_that_several_bear_does_not_gate():
    entities = Entities([ADA])
    assert [found.gates for found in entities.candidates("Ada")] == [True]

    entities.put(person("Ada Byron"))

    assert {(found.gates, found.why) for found in entities.candidates("Ada")} == {
        (False, "first name, several bear it")
    }


ANNA = replace(person("Anna Schmidt"), aliases=("Anna",))


@pytest.mark.parametrize(
    ("mention", "found"),
    [
        ("Anna Schmied", [("Anna Schmidt", 0.94, "another spelling")]),
        ("Anna Schmitz", [("Anna Schmidt", 0.74, "similar spelling")]),
        ("Anna Weber", []),
        ("Dr. Anna", [("Anna Schmidt", 0.95, 'title or degree (alias "Anna")')]),
    ],
)
@pytest.mark.parametrize("others", [[], [person("Anna Kern"), person("Anna Lang")]])
def test_an_alias_that_is_a_part_of_the_name_hides_no_difference_in_the_rest(
    mention, found, others
):
    candidates = Entities([ANNA, *others]).candidates(mention, kind="person")

    assert [one for one in seen(candidates) if one[0] == "Anna Schmidt"] == found


def test_an_alias_that_is_no_part_of_the_name_counts_for_longer_mentions():
    bob = replace(person("Robert Green"), aliases=("Bob",))

    assert seen(Entities([bob]).candidates("Bob Green", kind="person")) == [
        ("Robert Green", 0.87, 'first name, only one bears it (alias "Bob")')
    ]


def test_who_shares_a_first_or_last_name_is_marked():
    entities = Entities([person("Ada Byron"), person("Ada Lovelace"), person("Kim Lovelace")])

    assert [found.shared for found in entities.candidates("Ada")] == [True, True]
    assert [found.shared for found in entities.candidates("Lovelace")] == [True, True]
    assert [found.shared for found in entities.candidates("Byron")] == [False]
    assert [found.shared for found in entities.candidates("Ada Lovelase")] == [False]


def test_a_last_name_that_several_bear_does_not_gate():
    entities = Entities([ADA, person("Ralph Lovelace")])

    assert {(found.gates, found.why) for found in entities.candidates("Ms Lovelace")} == {
        (False, "last name, several bear it")
    }


def test_a_slip_that_is_a_name_of_its_own_does_not_gate():
    entities = Entities([person("Peter Hansen")])
    assert [found.gates for found in entities.candidates("Peter Hanson")] == [True]

    entities.put(person("Olga Hanson"))

    assert [found.gates for found in entities.candidates("Peter Hanson")] == [False]


def test_a_slip_that_the_same_note_knows_still_gates():
    entities = Entities([replace(ADA, aliases=("Countess Lovelase",))])

    assert [found.gates for found in entities.candidates("Ada Lovelase")] == [True]


def test_a_project_is_not_taken_for_the_person_whose_first_name_it_has():
    entities = Entities([person("Phoenix Jones")])

    assert [found.gates for found in entities.candidates("Phoenix", kind="person")] == [True]
    assert not any(found.gates for found in entities.candidates("Phoenix", kind="project"))


def test_there_are_as_many_candidates_as_were_asked_for():
    entities = Entities([ADA, replace(ENGINE, title="Ada Lovelace"), person("Ada Byron")])

    assert len(entities.candidates("Ada", limit=1)) == 1
    assert len(entities.candidates("Ada", limit=2)) == 2


def test_an_acronym_finds_the_name_and_the_name_the_acronym():
    long = Entity("ddd", "c/ddd.md", "concept", "Domain-Driven Design")
    short = Entity("who", "c/who.md", "company", "WHO")
    entities = Entities([replace(long, slug="x", path="c/x.md"), short])

    assert seen(entities.candidates("DDD")) == [("Domain-Driven Design", 0.7, "initials")]
    assert seen(entities.candidates("World Health Organization")) == [("WHO", 0.7, "initials")]


def test_a_common_word_does_not_hide_the_one_note_that_is_meant():
    crowd = [Entity(f"p{n}", f"p/p{n}.md", "project", f"Project {n} plan") for n in range(2_500)]
    entities = Entities([*crowd, Entity("x", "p/x.md", "project", "Project Phoenix plan")])

    best, *_ = entities.candidates("Project Phoenyx plan")

    assert (best.entity.slug, best.gates) == ("x", True)
    assert len(entities.candidates("project plan")) <= 8


def test_two_common_words_find_who_has_both():
    crowd = [person(f"Ada {n}") for n in range(2_100)] + [person(f"{n} Kim") for n in range(2_100)]
    entities = Entities([*crowd, person("Kim Ada")])

    best, *_ = entities.candidates("Ada Kim")

    assert (best.entity.title, best.why) == ("Kim Ada", "same words in another order")


def test_a_pool_may_be_any_notes():
    kickoff = Entity("2026-11-30-kickoff", "m/2026-11-30-kickoff.md", "meeting", "Kickoff")
    pool = Entities(note for note in [kickoff])

    assert pool.exact("kickoff") == [kickoff]
    assert [found.gates for found in pool.candidates("The Kickoff", kind="meeting")] == [True]


def test_the_newest_entity_at_a_path_is_the_one():
    entities = Entities([ADA])
    renamed = replace(ADA, title="Augusta King", aliases=())

    entities.put(renamed)

    assert len(entities) == 1
    assert entities.exact("Countess of Lovelace") == []
    assert entities.exact("Augusta King") == [renamed]
    assert list(entities) == [renamed]


def test_a_dropped_entity_is_forgotten():
    entities = Entities([ADA, GRACE])

    entities.drop(ADA.path)
    entities.drop("nowhere.md")

    assert entities.exact("Ada Lovelace") == []
    assert entities.candidates("Ada Lovelase") == []
    assert entities.get("ada-lovelace") is None
    assert list(entities) == [GRACE]


def test_an_id_is_found_in_any_case_and_normal_form():
    zoe = Entity("Zoë", "p/Zoë.md", "person", "Zoë")

    assert Entities([zoe]).get("ZOE\u0308") == zoe
    assert Entities([zoe]).by_path("p/Zoë.md") == zoe
    assert Entities([zoe]).get("Zoe") is None


def test_two_notes_with_one_file_name_are_known_by_their_paths():
    one = Entity("ada", "resources/people/ada.md", "person", "Ada")
    two = Entity("ada", "areas/business/ada.md", "area", "Ada audits")
    entities = Entities([one, two])

    assert [entity.slug for entity in entities] == ["resources/people/ada", "areas/business/ada"]
    assert entities.get("ada") is None
    assert entities.get("areas/business/ada") == replace(two, slug="areas/business/ada")
    assert {entity.path for entity in entities.exact("ada")} == {one.path, two.path}
    assert set(json.loads(entities.to_json())) == {"resources/people/ada", "areas/business/ada"}

    entities.drop(two.path)

    assert entities.get("ada") == one


def test_the_shared_index_is_sorted_indented_and_ends_with_a_newline():
    cafe = Entity("cafe", "c/cafe.md", "concept", "Café ☕")

    assert Entities([cafe, ADA]).to_json() == (
        "{\n"
        '  "ada-lovelace": {\n'
        '    "aliases": [\n'
        '      "Countess of Lovelace"\n'
        "    ],\n"
        '    "kind": "person",\n'
        '    "path": "resources/people/ada-lovelace.md",\n'
        '    "title": "Ada Lovelace"\n'
        "  },\n"
        '  "cafe": {\n'
        '    "aliases": [],\n'
        '    "kind": "concept",\n'
        '    "path": "c/cafe.md",\n'
        '    "title": "Café ☕"\n'
        "  }\n"
        "}\n"
    )
    assert Entities().to_json() == "{}\n"


def test_bytes_that_are_no_text_leave_the_shared_index_in_utf_8():
    odd = Entity("odd", "c/odd.md", "concept", "odd \udcff title")

    assert "odd ? title" in Entities([odd]).to_json().encode("utf-8").decode("utf-8")


def test_a_candidate_on_the_threshold_gates():
    assert Candidate(ADA, 0.85, "").gates
    assert not Candidate(ADA, 0.84, "").gates
    assert Candidate(ADA, 0.65, "").is_near
    assert not Candidate(ADA, 0.64, "").is_near


TITLES = st.lists(
    st.sampled_from(["Ada", "Lovelace", "Lovelase", "GmbH", "Acme", "张伟", "C++", "12", "🚀"]),
    max_size=3,
).map(" ".join)
FOLDERS = st.sampled_from(["p", "q", "q/r"])
ENTITIES = st.builds(
    lambda folder, stem, kind, title, aliases: Entity(
        stem, f"{folder}/{stem}.md", kind, title, tuple(aliases)
    ),
    FOLDERS,
    st.sampled_from(["ada", "Ada", "acme", "n-1a2b3c4d", "zoë"]),
    st.sampled_from(["person", "company"]),
    TITLES,
    st.lists(TITLES, max_size=2),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ENTITIES, max_size=8, unique_by=lambda entity: entity.path), st.randoms())
def test_the_order_in_which_notes_came_makes_no_difference(entities, random):
    shuffled = list(entities)
    random.shuffle(shuffled)

    one, two = Entities(entities), Entities(shuffled)

    assert one.to_json() == two.to_json()
    for mention in ["Ada", "ada", "Ada Lovelace", "Acme", "张伟", "12"]:
        assert what(one, mention) == what(two, mention)


@settings(max_examples=150, deadline=None)
@given(st.lists(ENTITIES, max_size=8), st.lists(ENTITIES, max_size=4))
def test_changes_one_by_one_lead_to_what_a_fresh_index_says(entities, dropped):
    changed = Entities(entities)
    for entity in dropped:
        changed.put(entity)
        changed.drop(entity.path)
    gone = {entity.path for entity in dropped}
    fresh = Entities(
        {entity.path: entity for entity in entities if entity.path not in gone}.values()
    )

    assert changed.to_json() == fresh.to_json()
    for mention in ["Ada", "ada", "Ada Lovelace", "Acme", "张伟", "12"]:
        assert what(changed, mention) == what(fresh, mention)


@settings(max_examples=100, deadline=None)
@given(st.lists(ENTITIES, max_size=6))
def test_the_shared_index_is_json_as_the_library_writes_it(entities):
    index = Entities(entities)

    table = {
        entity.slug: {
            "path": entity.path,
            "kind": entity.kind,
            "title": entity.title,
            "aliases": list(entity.aliases),
        }
        for entity in index
    }
    text = json.dumps(table, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    assert index.to_json() == text.encode("utf-8", "replace").decode("utf-8")


def read_until(done, entities, failures):
    try:
        while not done.is_set():
            assert entities.exact("Grace Hopper") == [GRACE]
            entities.candidates("Ada Lovelase")
            entities.to_json()
    except BaseException as error:  # a thread's failure would be lost
        failures.append(error)


def test_readers_need_no_lock_while_one_writer_writes():
    entities = Entities([ADA, GRACE])
    crowd = [person(f"Ada {'abcdefghij'[n % 10] * 4}{'klmnopqrst'[n // 10]}") for n in range(100)]
    failures: list[BaseException] = []
    done = threading.Event()
    reader = threading.Thread(target=read_until, args=(done, entities, failures))

    reader.start()
    for entity in crowd * 3:
        entities.put(entity)
        entities.put(replace(entity, title=entity.title.upper(), aliases=("Ada Lovelase",)))
        entities.drop(entity.path)
    done.set()
    reader.join()

    assert failures == []
    assert list(entities) == [ADA, GRACE]
