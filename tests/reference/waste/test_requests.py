"""Records through one handle: sources, cache, holds, changes between reads, and failing reads."""

from __future__ import annotations

import errno
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vindex3_fixtures.waste.tiny import blocked, packed, tiny
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import bank as banks
from vindex3_reference.waste.container import Container
from vindex3_reference.waste.direct import Direct, Unavailable
from vindex3_reference.waste.memory import room
from vindex3_reference.waste.records import Records
from vindex3_reference.waste.verbs import waste_record

STRIDE = 4096
DAMAGED = {"file": "experts-L1.bin", "offset": STRIDE + 48, "data": b"\xaa\x55"}
"""The payload of expert 1 of layer 1 of the tiny container."""


@pytest.fixture
def path(written):
    return written(tiny())


@pytest.fixture
def direct(path):
    """The tiny container, where it can be read direct."""
    with Container(path) as container:
        try:
            Direct(container.file("experts-L1.bin"), container.banks[1]).close()
        except Unavailable as reason:
            pytest.skip(f"no direct reads here: {reason}")
    return path


def record(model, layer, expert):
    return model.record(layer, expert).data


def failing(monkeypatch, *, direct=(), buffered=()):
    """Let reads of either kind fail with these errors, in turn; None lets one pass."""
    plans = {True: list(direct), False: list(buffered)}
    real = os.preadv

    def read(descriptor, buffers, offset):
        flags = int(Path(f"/proc/self/fdinfo/{descriptor}").read_text().split("flags:")[1].split()[0], 8)
        plan = plans[bool(flags & os.O_DIRECT)]
        number = plan.pop(0) if plan else None
        if number is not None:
            raise OSError(number, os.strerror(number))
        return real(descriptor, buffers, offset)

    monkeypatch.setattr(os, "preadv", read)


@pytest.mark.parametrize("source", ["auto", "direct", "buffered"])
@pytest.mark.parametrize("capacity", [0, 1, 2, None])
def test_bytes_are_the_same_from_everywhere(direct, source, capacity):
    """Any source, any cache, whatever came before: the record as it is in the file."""
    for layer, expert, before in [(1, 0, []), (2, 2, [[1, 0], [2, 2]]), (1, 1, [[1, 1], [1, 0], [2, 0]])]:
        answer = waste_record(
            path=direct, layer=layer, expert=expert, source=source, before=before, cache_records=capacity
        )
        data = record(tiny(), layer, expert)
        assert answer["data"] == data
        payload = data[48 : tiny().record(layer, expert).payload_end]
        assert answer["payload_sha256"] == hashlib.sha256(payload).hexdigest()


@pytest.mark.parametrize(
    ("capacity", "before", "mode"),
    [
        (0, [[1, 0]], "direct"),
        (1, [[1, 0]], "cache"),
        (1, [[1, 0], [1, 1]], "direct"),
        (2, [[1, 0], [1, 1]], "cache"),
        (2, [[1, 0], [1, 1], [2, 0]], "direct"),
        (None, [[2, 0]], "direct"),
    ],
)
def test_mode_says_how_the_bytes_came(direct, capacity, before, mode):
    """From the disk past the page cache, or from memory where the cache still has them."""
    answer = waste_record(path=direct, layer=1, expert=0, before=before, cache_records=capacity)
    assert answer["mode"] == mode


@pytest.mark.parametrize("address", [0, 1, 511, 4095])
@pytest.mark.parametrize("capacity", [0, 2])
def test_bytes_are_delivered_anywhere(direct, address, capacity):
    """Neither the mode nor the bytes follow from the address."""
    answer = waste_record(
        path=direct, layer=1, expert=1, source="direct", cache_records=capacity, address=address
    )
    assert (answer["mode"], bytes(answer["data"])) == ("direct", record(tiny(), 1, 1))


def test_a_held_record_outlives_its_bytes_on_disk(path):
    """It stays while others are read into a single slot, and while its file is overwritten."""
    patch = [{"after": 1, "file": "experts-L1.bin", "offset": 0, "data": bytes(STRIDE)}]
    before = [[1, 0], [1, 1], [2, 0], [2, 1]]
    answer = waste_record(path=path, layer=2, expert=2, before=before, hold=0, cache_records=1, patch=patch)
    assert answer["held_sha256"] == hashlib.sha256(record(tiny(), 1, 0)).hexdigest()
    assert answer["data"] == record(tiny(), 2, 2)


def test_a_held_record_must_be_there(path, refusal):
    """Its refusal is that of the request, while any other that comes before is passed over."""
    request = {"path": path, "layer": 1, "expert": 0, "before": [[9, 9], [1, 1]]}
    assert waste_record(**request, hold=1)["held_sha256"] is not None
    assert refusal(waste_record, **request, hold=0) == ("no-such-record", {"layer": 9, "expert": 9})
    assert refusal(waste_record, **request, hold=2)[0] == "out-of-range"


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"before": [[1]]}, "bad-type"),
        ({"before": [["a", 1]]}, "bad-type"),
        ({"before": [7]}, "bad-type"),
        ({"patch": [{"after": 0}]}, "missing-field"),
        ({"patch": [{"after": 0, "file": "trunk.bin", "data": b"x"}]}, "missing-field"),
        ({"patch": [{"after": 0, "file": "trunk.bin", "length": "long"}]}, "bad-type"),
        ({"patch": ["trunk.bin"]}, "bad-type"),
    ],
)
def test_a_request_that_says_nothing_is_refused(path, refusal, given, kind):
    """Before anything is opened or changed."""
    assert refusal(waste_record, path=path, layer=1, expert=0, **given)[0] == kind
    assert waste_record(path=path, layer=1, expert=0, before=((1, 1),), patch=())["mode"] != "cache"


def test_verified_bytes_are_served_from_memory_whatever_the_disk_becomes(path, refusal):
    """A hit is not verified again; after it gave way the record is read, and refused."""
    patch = [{"after": 1, **DAMAGED}]
    request = {"path": path, "layer": 1, "expert": 1, "verify": True, "patch": patch}
    assert waste_record(**request, before=[[1, 1]], cache_records=1)["mode"] == "cache"
    kind, names = refusal(waste_record, **request, before=[[1, 1], [1, 0]], cache_records=1)
    assert (kind, names["layer"], names["expert"]) == ("checksum-mismatch", 1, 1)
    assert waste_record(**{**request, "verify": False}, before=[[1, 1], [1, 0]], cache_records=1)


def test_a_record_that_fails_is_not_kept(path, refusal):
    """Asked for again it is read again, and served once its bytes are right."""
    patch = [{"after": 0, **DAMAGED}]
    request = {"path": path, "layer": 1, "expert": 1, "verify": True, "before": [[1, 1]] * 2}
    assert refusal(waste_record, **request, patch=patch)[0] == "checksum-mismatch"
    right = record(tiny(), 1, 1)[48:50]
    mended = [*patch, {"after": 2, **DAMAGED, "data": right}]
    answer = waste_record(**request, patch=mended)
    assert (answer["mode"] == "cache", bytes(answer["data"])) == (False, record(tiny(), 1, 1))


def test_unverified_bytes_are_not_passed_off_as_verified(path):
    """A damaged record that was served unverified is refused to who wants it verified, and stays served."""
    with Container(path) as container, Records(container) as records:
        with records.hold(1, 0):
            pass
        Path(container.file("experts-L1.bin")).write_bytes(bytes(3 * STRIDE))
        with records.hold(1, 0) as held:
            assert held.mode == "cache"
            with pytest.raises(Refusal, match="no record"), records.hold(1, 0, verify=True):
                pass
            assert held.view == record(tiny(), 1, 0)


def test_a_bank_that_became_shorter(path, refusal):
    """What it lost is refused with both counts, nothing stands in for it, and the rest is served."""
    request = {"path": path, "layer": 1, "before": [[1, 0]]}
    cut = [{"after": 1, "file": "experts-L1.bin", "length": STRIDE + 100}]
    kind, names = refusal(waste_record, **request, expert=1, patch=cut)
    assert kind == "truncated"
    assert names == {"path": "experts-L1.bin", "layer": 1, "expert": 1, "need": STRIDE, "have": 100}
    opened = {"path": path, "layer": 1, "before": [[1, 0]]}
    Path(path, "experts-L1.bin").write_bytes(b"".join(record(tiny(), 1, expert) for expert in range(3)))
    cut[0]["length"] = 2 * STRIDE
    assert refusal(waste_record, **opened, expert=2, patch=cut)[1]["have"] == 0
    Path(path, "experts-L1.bin").write_bytes(b"".join(record(tiny(), 1, expert) for expert in range(3)))
    assert waste_record(**opened, expert=1, patch=cut)["data"] == record(tiny(), 1, 1)


def test_changes_stay_inside_the_container(path, refusal):
    """A name that leads elsewhere is refused, and nothing there is touched."""
    outside = Path(path).parent / "outside"
    outside.write_bytes(b"1234")
    patch = [{"after": 0, "file": "../outside", "offset": 0, "data": b"x"}]
    assert refusal(waste_record, path=path, layer=1, expert=0, patch=patch)[0] == "path-escape"
    assert outside.read_bytes() == b"1234"


def test_a_direct_read_that_is_refused_is_repeated_buffered(direct, monkeypatch, refusal):
    """Its answer says so; who allows nothing else is refused, and the next read is direct again."""
    request = {"path": direct, "layer": 1, "expert": 0}
    for number in (errno.EINVAL, errno.EOPNOTSUPP):
        failing(monkeypatch, direct=[None, number])
        answer = waste_record(**request)
        assert (answer["mode"], bytes(answer["data"])) == ("buffered", record(tiny(), 1, 0))
        failing(monkeypatch, direct=[None, number])
        kind, names = refusal(waste_record, **request, source="direct")
        assert (kind, names["path"], names["reason"]) == (
            "direct-unavailable",
            "experts-L1.bin",
            os.strerror(number),
        )
    failing(monkeypatch, direct=[None, errno.EINVAL])
    assert waste_record(**request, before=[[1, 1]])["mode"] == "direct"


def test_the_probe_decides_for_one_bank(direct, monkeypatch, refusal):
    """A bank whose first direct read fails is read buffered, and the other one direct."""
    failing(monkeypatch, direct=[errno.EINVAL])
    assert waste_record(path=direct, layer=1, expert=0, before=[[1, 1]])["mode"] == "buffered"
    failing(monkeypatch, direct=[errno.EINVAL])
    assert waste_record(path=direct, layer=2, expert=0, before=[[1, 1]])["mode"] == "direct"
    failing(monkeypatch, direct=[errno.EINVAL])
    kind, names = refusal(waste_record, path=direct, layer=1, expert=0, source="direct")
    assert (kind, names["path"]) == ("direct-unavailable", "experts-L1.bin")


@pytest.mark.parametrize("source", ["direct", "buffered"])
def test_another_failure_is_refused_and_sticks_to_nothing(direct, monkeypatch, refusal, source):
    """It names the record and the reason, and the next read of the same record is good."""
    plans = {"direct": {"direct": [None, errno.EIO]}, "buffered": {"buffered": [errno.EIO]}}[source]
    request = {"path": direct, "layer": 1, "expert": 2, "source": source}
    failing(monkeypatch, **plans)
    kind, names = refusal(waste_record, **request)
    assert kind == "io"
    assert (names["layer"], names["expert"], names["reason"]) == (1, 2, os.strerror(errno.EIO))
    failing(monkeypatch, **plans)
    assert waste_record(**request, before=[[1, 2]])["data"] == record(tiny(), 1, 2)


def test_reads_that_get_nowhere_direct_are_ended_buffered(direct, monkeypatch, refusal):
    """One that allows no buffered byte is refused; no record is part of one."""
    real = os.preadv

    def crawl(descriptor, buffers, offset):
        return min(100, real(descriptor, buffers, offset))

    monkeypatch.setattr(os, "preadv", crawl)
    answer = waste_record(path=direct, layer=1, expert=0)
    assert (answer["mode"], bytes(answer["data"])) == ("buffered", record(tiny(), 1, 0))
    assert refusal(waste_record, path=direct, layer=1, expert=0, source="direct")[0] == "direct-unavailable"


def test_a_record_takes_one_read_after_the_probe(direct, monkeypatch):
    """One page, and then the whole record in one call, wherever it is to be delivered."""
    calls = []
    real = os.preadv

    def read(descriptor, buffers, offset):
        calls.append((len(buffers[0]), offset))
        return real(descriptor, buffers, offset)

    monkeypatch.setattr(os, "preadv", read)
    for address in (0, 1):
        calls.clear()
        waste_record(path=direct, layer=1, expert=2, address=address, cache_records=0)
        assert calls == [(STRIDE, 0), (STRIDE, 2 * STRIDE)]


@pytest.mark.parametrize("expert", [-1, 3, 65535, 65536, 65536 * 65536, 2**64])
@pytest.mark.parametrize("layer", [1, 0, -1, 3, 65537])
def test_a_record_that_is_not_there(path, refusal, layer, expert):
    """No number is cut to sixteen bits or counted from the end."""
    answer = refusal(waste_record, path=path, layer=layer, expert=expert)
    assert answer == ("no-such-record", {"layer": layer, "expert": expert})


def test_requests_that_make_no_sense(path, refusal):
    """Another source is no word of the law; a cache has no negative room."""
    assert refusal(waste_record, path=path, layer=1, expert=0, source="disk")[0] == "unknown-value"
    assert refusal(waste_record, path=path, layer=1, expert=0, cache_records=-1)[0] == "out-of-range"


@pytest.mark.parametrize("model", [tiny, packed, blocked])
def test_eight_threads_share_one_handle(written, model):
    """Each gets the records that it asks for, whole, from a cache that is too small for all."""
    with Container(written(model())) as container, Records(container, capacity=2) as records:
        places = [
            (layer, expert)
            for layer, bank in container.manifest.banks.items()
            for expert in range(bank.experts)
        ]

        def use(seed: int) -> None:
            for step in range(40):
                place = places[(seed + step * step) % len(places)]
                with records.hold(*place) as held:
                    assert held.view == record(model(), *place)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(use, range(8)))


def test_reading_ahead_fills_the_cache(path):
    """What was read ahead comes from memory; what cannot be read is refused only to who asks for it."""
    with Container(path) as container, Records(container, verify=True, capacity=3) as records:
        patch = Path(container.file("experts-L1.bin"))
        patch.write_bytes(patch.read_bytes()[:-1] + b"\xff")  # padding, which nobody judges
        broken = Path(container.file("experts-L2.bin"))
        broken.write_bytes(bytes(3 * STRIDE))
        for ahead in records.read_ahead([(1, 0), (2, 0), (1, 2), (9, 9)]):
            ahead.result()
        for expert in (0, 2):
            with records.hold(1, expert) as held:
                assert held.mode == "cache"
        with pytest.raises(Refusal), records.hold(2, 0):
            pass


def test_reading_ahead_ends_with_the_handle(path):
    """What was not begun is not read any more, and closing does not wait for it."""
    with Container(path) as container:
        records = Records(container, capacity=1)
        ahead = records.read_ahead([(1, number % 3) for number in range(2000)])
        records.close()
        assert all(each.done() for each in ahead)


def test_no_descriptor_is_left(path):
    """After a hundred answers and a hundred refusals as many are open as before."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(100):
        waste_record(path=path, layer=1, expert=number % 3)
        with pytest.raises(Refusal):
            waste_record(path=path, layer=1, expert=9)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_buffered_memory_needs_no_alignment(path):
    """A bank that is read buffered fills memory at any address itself."""
    with Container(path) as container, Records(container, banks.BUFFERED, capacity=0) as records:
        view = room(STRIDE, 3)
        assert records.deliver(1, 0, view) == "buffered"
        assert view == record(tiny(), 1, 0)
