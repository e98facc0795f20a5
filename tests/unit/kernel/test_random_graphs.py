"""Random plugins, mounted, updated and unmounted at random, against a simple model."""

from __future__ import annotations

import asyncio
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh.kernel import Kernel
from unit.kernel.model import KEYS, PARENTS, ROWS, Model, Mood, Move, Piece, Place
from unit.kernel.parts import Problems
from unit.kernel.table import Table

keys = st.integers(0, len(KEYS) - 1)
moods = st.builds(
    Mood, fails=st.integers(0, 4).map(lambda n: n == 4), pauses=st.integers(0, 3)
)
pieces = st.builds(
    Piece,
    needs=st.frozensets(keys, max_size=2),
    likes=st.frozensets(keys, max_size=2),
    offers=st.none() | keys,
    mood=moods,
)
places = st.tuples(st.sampled_from(sorted(PARENTS)), st.sampled_from(ROWS))
moves = st.builds(Move, place=places, piece=pieces | st.none(), waits=st.booleans())


async def played(game: list[Move]) -> Table:
    problems = Problems()
    async with Kernel(problems.told) as kernel:
        table, model = Table(kernel), Model()
        for move in game:
            await table.play(move, model)
        await kernel.settled()
        table.compare(model)
    # The kernel closed: consumers first, or a service would have been dead too early.
    assert table.faults == []
    assert table.running == set()
    assert all(isinstance(error, OSError) for _, error in problems)
    return table


@settings(max_examples=250, deadline=None)
@given(st.lists(moves, min_size=5, max_size=50))
def test_any_sequence_of_changes_ends_in_the_state_that_the_mounts_imply(
    game: list[Move],
) -> None:
    asyncio.run(played(game))


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(places, pieces, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_mounting_makes_no_difference_and_nothing_starts_twice(
    pieces: dict[Place, Piece], random: Random
) -> None:
    distinct = {(place[0], piece.offers): place for place, piece in pieces.items()}
    order = [
        place
        for place, piece in pieces.items()
        if piece.offers is None or distinct[place[0], piece.offers] == place
    ]
    random.shuffle(order)
    table = asyncio.run(
        played([Move(place, pieces[place], waits=False) for place in order])
    )
    assert all(starts == 1 for starts in table.starts.values())
