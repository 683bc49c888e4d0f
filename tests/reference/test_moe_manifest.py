"""moe.load and moe.check of documents: each field, each defect, each beside its legal twin."""

from __future__ import annotations

import copy
import json
import os
from typing import Any

import pytest

from vindex3_reference.lyrw.verbs import moe_check, moe_load

ABSENT = object()
LAYER = ("layers", 0)
ROUTER, ROUTED, SHARED = (*LAYER, "router"), (*LAYER, "routed_bank"), (*LAYER, "shared_bank")

SMALL: dict[str, Any] = {
    "schema_version": 1,
    "layers": [
        {
            "layer": 4,
            "input_space": "residual",
            "router": {
                "scores": "router.weight",
                "activation": "softmax",
                "selection": {"kind": "top_k", "k": 2},
            },
            "routed_bank": {"experts": 8, "programme": "gated-mlp-v1", "storage": "layer_004"},
            "reduction": "gate_weighted_sum",
            "combine": "residual_add",
        }
    ],
}
POST = {
    "renormalise": False,
    "norm_after_top_k": False,
    "quantile_balanced": False,
    "gate_bias": None,
    "route_scale": None,
}
FULL: dict[str, Any] = {
    "schema_version": 1,
    "layers": [
        {
            "layer": 2**32 - 1,
            "input_space": "latent",
            "router": {
                "scores": "r",
                "activation": "sigmoid",
                "selection": {"kind": "grouped_top_k", "k": 2, "groups": 3},
                "post": {
                    "renormalise": True, "norm_after_top_k": True, "quantile_balanced": True,
                    "gate_bias": "b", "route_scale": 2.5,
                },
                "shared_expert_sink": True,
            },
            "transforms": {"routed_input": "in", "routed_output": "out"},
            "routed_bank": {
                "experts": 6, "programme": "latent-moe-v1", "storage": "a",
                "expert_dims": {"input": 1, "intermediate": 2, "output": 3},
            },
            "shared_bank": {
                "experts": 1, "programme": "shared-routed-mlp-v1", "storage": "b", "expert_dims": None,
            },
            "reduction": "gate_weighted_sum",
            "routed_output_norm": "norm",
            "combine": "residual_add",
        }
    ],
}  # fmt: skip


def _changed(document: Any, *changes: tuple[tuple[Any, ...], Any]) -> Any:
    document = copy.deepcopy(document)
    for (*way, last), value in changes:
        home = document
        for step in way:
            home = home[step]
        if value is ABSENT:
            del home[last]
        else:
            home[last] = value
    return document


@pytest.fixture
def manifest(tmp_path):
    """Put a document, or text, into a file of its own."""

    def write(document: Any) -> str:
        path = tmp_path / "moe_manifest.json"
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        path.write_bytes(data)
        return str(path)

    return write


@pytest.fixture
def defects(manifest):
    """Kind and names of each defect of a document."""

    def ask(document: Any) -> list[tuple[str, dict[str, Any]]]:
        answer: Any = moe_check(path=manifest(document))
        assert set(answer) == {"defects"}
        return [(defect["kind"], defect["names"]) for defect in answer["defects"]]

    return ask


def test_defaults_are_filled_in(manifest):
    """Every optional field that is absent has its default in the answer."""
    layer = SMALL["layers"][0]
    assert moe_load(path=manifest(SMALL)) == {
        "schema_version": 1,
        "layers": [
            {
                **layer,
                "router": {**layer["router"], "post": POST, "shared_expert_sink": False},
                "transforms": None,
                "routed_bank": {**layer["routed_bank"], "expert_dims": None},
                "shared_bank": None,
                "routed_output_norm": None,
            }
        ],
    }


def test_given_fields_are_kept(manifest):
    """A document with every field comes out as it is, and so do an empty list and a future version."""
    assert moe_load(path=manifest(FULL)) == FULL
    assert moe_load(path=manifest({"schema_version": 1, "layers": []})) == {"schema_version": 1, "layers": []}
    assert moe_load(path=manifest({**FULL, "schema_version": 7})) == {**FULL, "schema_version": 7}


@pytest.mark.parametrize(
    "place",
    [
        (*LAYER, "transforms"),
        (*ROUTED, "expert_dims"),
        (*LAYER, "shared_bank"),
        (*LAYER, "routed_output_norm"),
        (*ROUTER, "post", "gate_bias"),
        (*ROUTER, "post", "route_scale"),
    ],
    ids=str,
)
def test_null_is_absence(manifest, place):
    """A null where the table says so is the same as no field."""
    null, absent = (moe_load(path=manifest(_changed(FULL, (place, value)))) for value in (None, ABSENT))
    assert null == absent


def test_unknown_fields_and_programmes(manifest):
    """Fields that nobody defined stop nothing, and a programme is kept as written."""
    places = [(), LAYER, ROUTER, (*ROUTER, "selection"), (*ROUTER, "post"), ROUTED, (*ROUTED, "expert_dims"),
              (*LAYER, "transforms"), SHARED]  # fmt: skip
    more = _changed(FULL, *(((*place, "remark"), {"k": [None]}) for place in places))
    assert moe_load(path=manifest(more)) == FULL
    named = _changed(FULL, ((*ROUTED, "programme"), " Gated-MLP-v1"))
    assert moe_load(path=manifest(named)) == named


REQUIRED = [
    ("schema_version",),
    ("layers",),
    (*LAYER, "layer"),
    (*LAYER, "input_space"),
    (*LAYER, "router"),
    (*ROUTER, "scores"),
    (*ROUTER, "activation"),
    (*ROUTER, "selection"),
    (*ROUTER, "selection", "kind"),
    (*ROUTER, "selection", "k"),
    (*ROUTER, "selection", "groups"),
    (*LAYER, "transforms", "routed_input"),
    (*LAYER, "transforms", "routed_output"),
    (*LAYER, "routed_bank"),
    (*ROUTED, "experts"),
    (*ROUTED, "programme"),
    (*ROUTED, "storage"),
    (*SHARED, "experts"),
    (*SHARED, "programme"),
    (*SHARED, "storage"),
    (*ROUTED, "expert_dims", "input"),
    (*ROUTED, "expert_dims", "intermediate"),
    (*ROUTED, "expert_dims", "output"),
    (*LAYER, "reduction"),
    (*LAYER, "combine"),
]
INTEGERS = [
    place
    for place in REQUIRED
    if place[-1] in ("schema_version", "layer", "k", "groups", "experts", "input", "intermediate", "output")
]
FLAGS = [(*ROUTER, "post", "renormalise"), (*ROUTER, "post", "norm_after_top_k"),
         (*ROUTER, "post", "quantile_balanced"), (*ROUTER, "shared_expert_sink")]  # fmt: skip
TEXTS = [
    place
    for place in REQUIRED
    if place[-1]
    in ("input_space", "scores", "activation", "kind", "programme", "storage", "reduction", "combine")
]
WORDS = [place for place in TEXTS if place[-1] not in ("scores", "programme", "storage")]
OBJECTS = [LAYER, ROUTER, (*ROUTER, "selection"), (*ROUTER, "post"), (*LAYER, "transforms"), ROUTED, SHARED,
           (*ROUTED, "expert_dims")]  # fmt: skip


def _named(found: tuple[str, dict[str, Any]], path: str, place: tuple[Any, ...]) -> str:
    kind, names = found
    assert names["path"] == path
    assert (
        names["field"].rpartition(".")[2].partition("[")[0]
        == [step for step in place if isinstance(step, str)][-1]
    )
    return kind


@pytest.mark.parametrize("place", REQUIRED, ids=str)
def test_a_required_field_is_absent(manifest, refusal, place):
    """Each field without which there is no manifest is named when it is absent, and null is of a bad type."""
    path = manifest(_changed(FULL, (place, ABSENT)))
    assert _named(refusal(moe_load, path=path), path, place) == "missing-field"
    assert refusal(moe_check, path=path) == refusal(moe_load, path=path)
    if place[-2:-1] != ("transforms",):
        path = manifest(_changed(FULL, (place, None)))
        assert _named(refusal(moe_load, path=path), path, place) == "bad-type"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((place, value) for place in INTEGERS for value in (True, 1.0, "1", [], {})),
        *((place, value) for place in FLAGS for value in (0, "true", None, {})),
        *((place, value) for place in TEXTS for value in (1, True, [], {})),
        *((place, value) for place in OBJECTS for value in (1, "x", [])),
        (("layers",), {}),
        ((*LAYER, "routed_output_norm"), 1),
    ],
    ids=str,
)
def test_a_field_of_another_type(manifest, refusal, place, value):
    """Each field has one type; a boolean and a fraction are no integers."""
    path = manifest(_changed(FULL, (place, value)))
    assert _named(refusal(moe_load, path=path), path, place) == "bad-type"


@pytest.mark.parametrize("place", INTEGERS, ids=str)
def test_a_number_that_does_not_fit(manifest, refusal, place):
    """Negative numbers and those beyond 32 bits are out of range."""
    for value in (-1, 2**32, 10**40):
        path = manifest(_changed(FULL, (place, value)))
        assert _named(refusal(moe_load, path=path), path, place) == "out-of-range"


@pytest.mark.parametrize("place", WORDS, ids=str)
def test_an_unknown_word(manifest, refusal, place):
    """A word outside its vocabulary is named, in another case as well."""
    for word in ("TOP_K", "top-k", "", "Residual"):
        path = manifest(_changed(FULL, (place, word)))
        found = refusal(moe_load, path=path)
        assert (_named(found, path, place), found[1]["value"]) == ("unknown-value", word)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "malformed-json"), (b"{", "malformed-json"), (b"[]", "bad-type"), (b"null", "bad-type"),
        (b'{"schema_version": 1, "layers": []} x', "malformed-json"), (b"\xef\xbb\xbf{}", "malformed-json"),
        (b'{"layers": [], "schema_version": 1, "layers": []}', "duplicate-key"),
        (b'{"schema_version": 1e999, "layers": []}', "out-of-range"), (b"[" * 10_000, "nesting-too-deep"),
        (b'{"Schema_version": 1, "layers": []}', "missing-field"), (b"\xff\xfe{\0}\0", "malformed-json"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_document_that_is_none(manifest, refusal, data, kind):
    """The rules of documents hold, with this file's path."""
    path = manifest(data)
    for verb in (moe_load, moe_check):
        found, names = refusal(verb, path=path)
        assert (found, names["path"]) == (kind, path)


def test_a_manifest_that_is_not_there(tmp_path, refusal):
    """A missing file and a folder are refused by path."""
    for path in (tmp_path / "absent.json", tmp_path):
        assert refusal(moe_load, path=str(path)) == ("missing-file", {"path": str(path)})


def test_a_hole_is_no_document(manifest, refusal, bounded):
    """A manifest that claims 64 GiB of zeros is malformed, and takes no memory."""
    path = manifest(b'{"schema_version": 1, "layers": [')
    os.truncate(path, 64 << 30)
    assert refusal(moe_load, path=path)[0] == "malformed-json"
    prepare = (
        "from vindex3_reference.lyrw.verbs import moe_load\nfrom vindex3_reference.refusal import Refusal"
    )
    body = "try:\n    moe_load(path=sys.argv[1])\nexcept Refusal as refusal:\n    print(refusal.kind)"
    assert bounded(prepare, body, path, allowance=16 << 20) == "malformed-json"


def test_a_right_manifest_has_no_defect(defects):
    """Neither the smallest nor the fullest document has one, nor has one that lists no layer."""
    assert defects(SMALL) == []
    assert defects(FULL) == []
    assert defects({"schema_version": 1, "layers": []}) == []


@pytest.mark.parametrize("version", [0, 2, 2**32 - 1])
def test_an_unknown_version_is_the_only_defect(defects, version):
    """Nothing else of such a document is looked at, its layers not even for their shape."""
    for layers in ([], 5, [{"layer": -1}], FULL["layers"] * 2):
        (only,) = defects({"schema_version": version, "layers": layers})
        assert only[0] == "unknown-version"
        assert (only[1]["found"], only[1]["supported"]) == (version, 1)


def _bank(**fields: Any) -> dict[str, Any]:
    return {"experts": 8, "programme": "gated-mlp-v1", "storage": "other", **fields}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            [((*ROUTED, "programme"), "gated-mlp-v2")],
            [("unknown-programme", {"layer": 4, "storage": "layer_004", "programme": "gated-mlp-v2"})],
        ),
        (
            [((*ROUTED, "programme"), "Gated-MLP-v1")],
            [("unknown-programme", {"layer": 4, "storage": "layer_004", "programme": "Gated-MLP-v1"})],
        ),
        (
            [((*ROUTED, "programme"), "0")],
            [("unknown-programme", {"layer": 4, "storage": "layer_004", "programme": "0"})],
        ),
        (
            [(SHARED, _bank(programme="")), ((*LAYER, "input_space"), "residual")],
            [("unknown-programme", {"layer": 4, "storage": "other", "programme": ""})],
        ),
        (
            [((*ROUTED, "programme"), "latent-moe-v1"), ((*LAYER, "input_space"), "latent")],
            [
                (
                    "latent-bank-without-transforms",
                    {"layer": 4, "which": "routed", "programme": "latent-moe-v1"},
                )
            ],
        ),
        (
            [(SHARED, _bank(programme="latent-moe-v1"))],
            [
                (
                    "latent-bank-without-transforms",
                    {"layer": 4, "which": "shared", "programme": "latent-moe-v1"},
                )
            ],
        ),
        (
            [((*LAYER, "input_space"), "latent")],
            [
                (
                    "input-space-contradicts-programme",
                    {"layer": 4, "declared": "latent", "programme": "gated-mlp-v1"},
                )
            ],
        ),
        (
            [
                ((*ROUTED, "programme"), "latent-moe-v1"),
                ((*LAYER, "transforms"), FULL["layers"][0]["transforms"]),
            ],
            [
                (
                    "input-space-contradicts-programme",
                    {"layer": 4, "declared": "residual", "programme": "latent-moe-v1"},
                )
            ],
        ),
        ([((*ROUTER, "scores"), "")], [("router-has-no-scores", {"layer": 4})]),
        ([((*ROUTER, "scores"), " \t\n")], [("router-has-no-scores", {"layer": 4})]),
        (
            [((*ROUTER, "selection", "k"), 9)],
            [("selection-exceeds-bank", {"layer": 4, "selected": 9, "available": 8})],
        ),
        (
            [((*ROUTER, "selection"), {"kind": "grouped_top_k", "k": 3, "groups": 3})],
            [("selection-exceeds-bank", {"layer": 4, "selected": 9, "available": 8})],
        ),
        ([((*ROUTER, "shared_expert_sink"), True)], [("sink-without-shared-bank", {"layer": 4})]),
        ([((*ROUTED, "storage"), " ")], [("bank-has-no-storage", {"layer": 4, "which": "routed"})]),
        ([(SHARED, _bank(storage=""))], [("bank-has-no-storage", {"layer": 4, "which": "shared"})]),
        ([(SHARED, _bank(experts=0))], [("bank-has-no-experts", {"layer": 4, "which": "shared"})]),
        (
            [((*ROUTED, "experts"), 0), ((*ROUTER, "selection", "k"), 0)],
            [("bank-has-no-experts", {"layer": 4, "which": "routed"})],
        ),
        *(
            (
                [((*ROUTED, "expert_dims"), dims)],
                [("bank-has-zero-dimension", {"layer": 4, "which": "routed", **dims})],
            )
            for dims in (
                {"input": 0, "intermediate": 1, "output": 1},
                {"input": 1, "intermediate": 0, "output": 1},
                {"input": 1, "intermediate": 1, "output": 0},
            )
        ),
        (
            [(SHARED, _bank(expert_dims={"input": 0, "intermediate": 0, "output": 0}))],
            [
                (
                    "bank-has-zero-dimension",
                    {"layer": 4, "which": "shared", "input": 0, "intermediate": 0, "output": 0},
                )
            ],
        ),
        (
            [(SHARED, _bank(storage="layer_004"))],
            [("duplicate-bank-storage", {"layer": 4, "storage": "layer_004"})],
        ),
        (
            [(SHARED, _bank(storage="")), ((*ROUTED, "storage"), "")],
            [
                ("bank-has-no-storage", {"layer": 4, "which": "routed"}),
                ("bank-has-no-storage", {"layer": 4, "which": "shared"}),
            ],
        ),
    ],
    ids=str,
)
def test_one_fault(defects, changes, expected):
    """Each fault is reported with its facts, and nothing else."""
    assert defects(_changed(SMALL, *changes)) == expected


@pytest.mark.parametrize(
    "changes",
    [
        [((*ROUTER, "selection", "k"), 8)],
        [((*ROUTER, "selection"), {"kind": "grouped_top_k", "k": 2, "groups": 4})],
        [(SHARED, _bank()), ((*ROUTER, "shared_expert_sink"), True)],
        [((*ROUTED, "expert_dims"), {"input": 1, "intermediate": 1, "output": 1})],
        *(
            [((*ROUTED, "programme"), name)]
            for name in ("gated-mlp-fused-fc1-v1", "gpt-oss-expert-v1", "shared-routed-mlp-v1")
        ),
        [((*LAYER, "transforms"), FULL["layers"][0]["transforms"])],
    ],
    ids=str,
)
def test_the_legal_twin(defects, changes):
    """What differs from a faulty document by the fault alone has no defect."""
    assert defects(_changed(SMALL, *changes)) == []


def test_all_defects_of_all_layers(defects):
    """Layers are judged one by one and together; an unknown programme hides its input space alone."""
    layer = _changed(SMALL, ((*ROUTED, "programme"), "x"), ((*LAYER, "input_space"), "latent"),
                     ((*ROUTER, "scores"), ""), ((*ROUTER, "selection", "k"), 9))["layers"][0]  # fmt: skip
    latent = _changed(SMALL, ((*ROUTED, "programme"), "latent-moe-v1"))["layers"][0]
    found = defects({"schema_version": 1, "layers": [layer, SMALL["layers"][0], latent]})
    assert found == [
        ("duplicate-layer", {"layer": 4}),
        ("unknown-programme", {"layer": 4, "storage": "layer_004", "programme": "x"}),
        ("router-has-no-scores", {"layer": 4}),
        ("selection-exceeds-bank", {"layer": 4, "selected": 9, "available": 8}),
        ("latent-bank-without-transforms", {"layer": 4, "which": "routed", "programme": "latent-moe-v1"}),
        (
            "input-space-contradicts-programme",
            {"layer": 4, "declared": "residual", "programme": "latent-moe-v1"},
        ),
    ]
