"""Which tests run: those that are claimed, asked for and in the profile; canaries first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.plugin import fuzzing, identity, overclaim
from pytest_vindex3.plugin.identity import IMPLEMENTATION, Identity
from pytest_vindex3.plugin.known import greedy
from pytest_vindex3.plugin.narrowing import is_passed_over, narrowed
from pytest_vindex3.plugin.selection import fits, meant, unmatched
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.state import State
from pytest_vindex3.report.row import Row


class Collection:
    """Hooks of collection."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._wanted = narrowed(state.session.settings)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over modules that cannot hold what is asked for."""
        return True if self._wanted is not None and is_passed_over(collection_path, self._wanted) else None

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
        self._refuse_greedy({known.id for _, known in claimed})
        chosen = quick(claimed) if settings.profile == "quick" else claimed
        state.expected |= {self._key(known) for _, known in chosen}
        globs = [glob for glob in settings.only if not fits(glob, overclaim.ID)]
        if settings.fuzz:
            globs = [glob for glob in globs if not fuzzing.names_target(glob)]
        state.unmatched = unmatched(globs, [known for _, known in ours])
        chosen = [pair for pair in chosen if meant(settings.only, pair[1])]
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
        if missing and meant(self._state.session.settings.only, known):
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

    def _refuse_greedy(self, ids: set[str]) -> None:
        complaints = greedy(self._state.known, ids)
        if complaints and not self._state.worker:  # a controller finds it at the end
            raise pytest.UsageError(complaints[0])

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
    """The first test of each clause in its first case, and canaries; drawn inputs where there is no other."""
    chosen: dict[int, tuple[pytest.Item, Identity]] = {}
    told: set[tuple[str, str]] = set()
    for drawn in (False, True):
        for place, (item, known) in enumerate(pairs):
            names = {(known.implementation, name) for name in known.clauses}
            if known.generated is drawn and (known.canary or not names <= told):
                told |= names
                chosen[place] = item, known
    return [chosen[place] for place in sorted(chosen)]
