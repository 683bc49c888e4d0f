"""Records in memory: a bounded number of them, for several threads (waste.md, section 10)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from vindex3_reference.waste.memory import room

if TYPE_CHECKING:
    from collections.abc import Callable

    Key = tuple[int, int]
    Load = Callable[[memoryview], tuple[str, bool]]

CACHED = "cache"
_NOTHING = memoryview(b"")


class Slot:
    """Memory for one record, and what is in it.

    Attributes:
        view: the bytes of the record; they stay as they are while the slot is held.
        mode: how they came into memory.
        verified: whether their checksum was compared.
        holds: how many callers use them.
        ready: whether they are there; until then one thread is reading them.
    """

    __slots__ = ("_memory", "holds", "mode", "ready", "verified", "view")

    def __init__(self) -> None:
        self._memory = _NOTHING
        self.view = _NOTHING
        self.mode = ""
        self.verified = False
        self.holds = 1
        self.ready = False

    def begin(self, length: int) -> memoryview:
        """Memory for so many bytes: what the slot has where that is enough."""
        if len(self._memory) < length:
            self._memory = room(length)
        self.view = self._memory[:length]
        return self.view


class Cache:
    """Slots by layer and expert, at most `capacity` of them; the least recently used gives way.

    A held slot never gives way, and neither does one that is being read into. A record that no slot is
    free for is read into memory of its own. What fails to be read leaves nothing behind.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._slots: OrderedDict[Key, Slot] = OrderedDict()
        self._spare: list[Slot] = []
        self._changed = threading.Condition()

    def hold(self, key: Key, length: int, load: Load, *, verified: bool = False) -> tuple[Slot, bool]:
        """A slot with the record, held for the caller, and whether its bytes were there before.

        Args:
            key: layer and expert.
            length: bytes of the record.
            load: fills memory with the record, and says how its bytes came and whether they were verified.
            verified: whether bytes that nobody verified are to be read anew.

        Raises:
            Whatever `load` raises.
        """
        with self._changed:
            slot = self._found(key, verified)
            if slot is not None:
                return slot, True
            slot = self._free(key)
        try:
            slot.mode, slot.verified = load(slot.begin(length))
        except BaseException:
            with self._changed:
                if self._slots.get(key) is slot:
                    self._spare.append(self._slots.pop(key))
                self._changed.notify_all()
            raise
        with self._changed:
            slot.ready = True
            self._changed.notify_all()
        return slot, False

    def release(self, slot: Slot) -> None:
        """Hold a slot no longer."""
        with self._changed:
            slot.holds -= 1

    def kept(self) -> list[Key]:
        """The records that are in memory, the least recently used first."""
        with self._changed:
            return [key for key, slot in self._slots.items() if slot.ready]

    def _found(self, key: Key, verified: bool) -> Slot | None:
        """The slot of a record that is in memory or on its way there by another thread."""
        while (slot := self._slots.get(key)) is not None:
            if not slot.ready:
                self._changed.wait()
            elif verified and not slot.verified:
                self._drop(key)
            else:
                slot.holds += 1
                self._slots.move_to_end(key)
                return slot
        return None

    def _free(self, key: Key) -> Slot:
        """A slot to be read into, in the cache where it has room; call it with the lock."""
        if len(self._slots) >= self.capacity:
            oldest = next((other for other, slot in self._slots.items() if not slot.holds), None)
            if oldest is None:
                return Slot()
            self._drop(oldest)
        slot = self._spare.pop() if self._spare else Slot()
        slot.holds, slot.ready = 1, False
        self._slots[key] = slot
        return slot

    def _drop(self, key: Key) -> None:
        """Take a record out; its memory is used again unless somebody holds it."""
        slot = self._slots.pop(key)
        if not slot.holds:
            self._spare.append(slot)
