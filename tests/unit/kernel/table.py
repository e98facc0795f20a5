"""A real kernel at which the game is played, and what its plugins notice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

from dsh.kernel import DuplicateProvider, Kernel, Mount, Plugin, Scope
from unit.kernel.model import KEYS, PARENTS, Model, Mood, Move, Piece, Place
from unit.kernel.parts import Service, written


class Table:
    """The kernel under test, and what its plugins noticed."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.scopes: dict[str, Scope] = {}
        for label, parent in PARENTS.items():
            above = self.scopes[parent].child(label) if parent else kernel.root
            self.scopes[label] = above
        self.mounts: dict[Place, Mount] = {}
        self.given: dict[Place, frozenset[Place]] = {}
        self.running: set[Place] = set()
        self.starts: Counter[Place] = Counter()
        self.faults: list[str] = []

    def plugin(self, place: Place, piece: Piece) -> Plugin:
        async def body(config: Mood, **given: Service | None) -> AsyncIterator[object]:
            services = [service for service in given.values() if service is not None]
            if place in self.running:
                self.faults.append(f"{place} runs twice")
            self.running.add(place)
            self.starts[place] += 1
            try:
                self.check(place, "starts", services)
                await turns(config.pauses)
                if config.fails:
                    raise OSError(place)
                self.given[place] = frozenset(self.of(service) for service in services)
                served = None if piece.offers is None else KEYS[piece.offers](repr(place))
                try:
                    yield served
                finally:
                    await turns(config.pauses)
                    if served is not None:
                        served.alive = False
            finally:
                self.check(place, "stops", services)
                self.running.discard(place)

        needs: dict[str, object] = {f"need{key}": KEYS[key] for key in piece.needs}
        needs |= {f"like{key}": KEYS[key] | None for key in piece.likes - piece.needs}
        offers = None if piece.offers is None else KEYS[piece.offers]
        return written(repr(place), {"config": Mood, **needs}, offers, body)

    def of(self, service: Service) -> Place:
        return next(place for place in self.mounts if repr(place) == service.maker)

    def check(self, place: Place, when: str, services: list[Service]) -> None:
        dead = [service.maker for service in services if not service.alive]
        if dead:
            self.faults.append(f"{place} {when} without {dead}")

    async def play(self, move: Move, model: Model) -> None:
        place, piece = move.place, move.piece
        there = model.pieces.get(place)
        if piece is None:
            if there is not None:
                self.mounts[place].discard()
                del model.pieces[place]
        elif there is not None:
            self.mounts[place].update(piece.mood)
            model.pieces[place] = replace(there, mood=piece.mood)
        else:
            self.mount(place, piece, model)
        if move.waits:
            await self.kernel.settled()
            self.compare(model)

    def mount(self, place: Place, piece: Piece, model: Model) -> None:
        scope = self.scopes[place[0]]
        taken = any(
            other[0] == place[0] and piece.offers is not None
            for other, standing in model.pieces.items()
            if standing.offers == piece.offers
        )
        try:
            mount = scope.mount(place[1], self.plugin(place, piece), piece.mood)
        except DuplicateProvider:
            assert taken
        else:
            assert not taken
            self.mounts[place] = mount
            model.pieces[place] = piece

    def compare(self, model: Model) -> None:
        assert self.faults == []
        expected = model.state()
        found = {
            place: (
                self.mounts[place].phase.value,
                self.given[place]
                if self.mounts[place].phase.value == "active"
                else frozenset(),
            )
            for place in model.pieces
        }
        assert found == expected
        active = {place for place, (phase, _) in expected.items() if phase == "active"}
        assert self.running == active
        assert len(self.kernel.report()) == len(expected)


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)
