"""The records of a container, by way of a cache (waste.md, sections 9.2 to 11)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, Self

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.bank import WISHES, BankReader
from vindex3_reference.waste.cache import CACHED, Cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future
    from types import TracebackType

    from vindex3_reference.waste.container import Container

DEFAULT_RECORDS = 2
"""Records that are kept where nobody says how many: with a copy of one, three times its length."""


class Held(NamedTuple):
    """A record that stays as it is as long as it is held.

    Attributes:
        view: its bytes, whole.
        mode: how they came for this request: direct, buffered or cache.
    """

    view: memoryview
    mode: str


class Records:
    """Reads records through one cache; close it, or use it as a context manager.

    Args:
        container: stays open meanwhile.
        wish: auto, direct or buffered.
        verify: whether checksums are compared where bytes enter memory.
        capacity: how many records are kept at most.

    Raises:
        Refusal: `unknown-value` for another wish, `out-of-range` for a capacity below 0.
    """

    def __init__(
        self,
        container: Container,
        wish: str = "auto",
        *,
        verify: bool = False,
        capacity: int = DEFAULT_RECORDS,
    ) -> None:
        if wish not in WISHES:
            message = f"{wish!r} is none of {', '.join(WISHES)}"
            raise Refusal("unknown-value", message, path="request", field="source", value=wish)
        if capacity < 0:
            message = "a cache has no room for less than no record"
            raise Refusal("out-of-range", message, field="cache_records", value=capacity)
        self._container = container
        self._verify = verify
        self._cache = Cache(capacity)
        self._ahead: ThreadPoolExecutor | None = None
        self._banks = {
            layer: BankReader(container.file(source.name), source, container.judges[layer], wish)
            for layer, source in container.banks.items()
        }

    @contextmanager
    def hold(self, layer: int, expert: int, verify: bool | None = None) -> Iterator[Held]:
        """A record, held until the block ends.

        Args:
            layer: of the record.
            expert: its number in the layer.
            verify: as for the whole, where it is not said.

        Raises:
            Refusal: `no-such-record`; what `BankReader.read` refuses.
        """
        self._container.require(layer, expert)
        bank = self._banks[layer]
        demanded = self._verify if verify is None else verify

        def load(view: memoryview) -> tuple[str, bool]:
            return bank.read(expert, view, verify=demanded), demanded

        slot, found = self._cache.hold((layer, expert), bank.stride, load, verified=demanded)
        try:
            yield Held(slot.view, CACHED if found else slot.mode)
        finally:
            self._cache.release(slot)

    def deliver(self, layer: int, expert: int, view: memoryview) -> str:
        """Put a record into memory of the caller, at any address, and say how its bytes came.

        Raises:
            Refusal: as `hold`.
        """
        if self._cache.capacity == 0:
            self._container.require(layer, expert)
            return self._banks[layer].read(expert, view, verify=self._verify)
        with self.hold(layer, expert) as held:
            view[:] = held.view
            return held.mode

    def read_ahead(self, wanted: Iterable[tuple[int, int]]) -> list[Future[None]]:
        """Begin to read records that will be asked for, in another thread and in this order.

        What cannot be read is not kept; whoever asks for it is told. The caller may wait for the futures.
        """
        if self._ahead is None:
            self._ahead = ThreadPoolExecutor(1)
        return [self._ahead.submit(self._take_in, layer, expert) for layer, expert in wanted]

    def _take_in(self, layer: int, expert: int) -> None:
        with suppress(Refusal), self.hold(layer, expert):
            pass

    def close(self) -> None:
        """Give descriptors and threads back."""
        if self._ahead is not None:
            self._ahead.shutdown(cancel_futures=True)
        for bank in self._banks.values():
            bank.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
