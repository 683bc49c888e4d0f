"""Which tests run: those that are claimed, asked for and in the profile; canaries first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.plugin import identity
from pytest_vindex3.plugin.identity import IMPLEMENTATION, Identity
from pytest_vindex3.plugin.selection import matches
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.state import State
from pytest_vindex3.report.row import Row


class Collection:
    """Hooks of collection."""

    def __init__(self, state: State) -> None:
        self._state = state

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test once an implementation, where there are several."""
        labels = [one.label for one in self._state.session.implementations]
        if len(labels) > 1 and "ask" in metafunc.fixturenames:
            metafunc.fixturenames.append(IMPLEMENTATION)
            metafunc.parametrize(IMPLEMENTATION, labels, ids=labels)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is not claimed, not in the profile or not asked for, and put canaries first."""
        state, settings = self._state, self._state.session.settings
        ours = [(item, known) for item in items if (known := identity.of(item))]
        claimed = [pair for pair in ours if self._claimed(pair[1])]
        chosen = quick(claimed) if settings.profile == "quick" else claimed
        state.expected |= {self._key(known) for _, known in chosen}
        state.unmatched = [
            glob for glob in settings.only if not any(matches(glob, known) for _, known in ours)
        ]
        if settings.only:
            chosen = [pair for pair in chosen if any(matches(glob, pair[1]) for glob in settings.only)]
        kept = {id(item) for item, _ in chosen}
        left_out = [item for item, _ in ours if id(item) not in kept]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
        canaries = {id(item) for item, known in chosen if known.canary}
        items[:] = sorted(
            (item for item in items if id(item) in kept or identity.of(item) is None),
            key=lambda item: id(item) not in canaries,
        )

    def _claimed(self, known: Identity) -> bool:
        """Whether the implementation claims the test; a row says so where it does not."""
        implementation = self._state.session.implementation(known.implementation)
        missing = lacks(known, implementation)
        if missing:
            clauses = dict.fromkeys(known.clauses, "not claimed")
            reason = f"not claimed: {', '.join(missing)}"
            self._state.add(
                Row(
                    known.id,
                    implementation.label,
                    known.family,
                    "not claimed",
                    known.level,
                    clauses,
                    reason=reason,
                )
            )
        return not missing

    def _key(self, known: Identity) -> tuple[str, str]:
        return self._state.session.implementation(known.implementation).label, known.id


def lacks(known: Identity, implementation: Implementation) -> list[str]:
    """The verbs and options that the test asks and the implementation does not have."""
    description = implementation.description
    claimed = {verb for verb in description.verbs if verb in verbs()}
    missing = sorted(known.verbs - claimed)
    return missing + [
        f"{verb}:{option}"
        for verb, option in sorted(known.options)
        if verb in claimed and option not in description.options.get(verb, ())
    ]


def quick(pairs: Sequence[tuple[pytest.Item, Identity]]) -> list[tuple[pytest.Item, Identity]]:
    """The first case of each test; drawn inputs only for clauses that no other test is about."""
    fixed = {name for _, known in pairs if not known.generated for name in known.clauses}
    seen: set[tuple[str, str]] = set()
    chosen = []
    for item, known in pairs:
        key = known.implementation, known.function
        if key in seen or (known.generated and fixed.issuperset(known.clauses)):
            continue
        seen.add(key)
        chosen.append((item, known))
    return chosen
