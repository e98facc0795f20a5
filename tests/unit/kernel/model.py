"""What a game of mounts must end in, said as simply as possible."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from unit.kernel.parts import Service

KEYS = [type(f"K{number}", (Service,), {}) for number in range(5)]
ROWS = [f"row{number}" for number in range(7)]
PARENTS = {"global": None, "preset": "global", "agent": "preset", "sibling": "preset"}

Place = tuple[str, str]  # scope and row


class Mood(BaseModel, frozen=True):
    """How a plugin of the game behaves."""

    fails: bool = False
    pauses: int = 0  # turns of the loop that its start and its stop take


@dataclass(frozen=True)
class Piece:
    """A plugin of the game: indices of the keys that it needs, likes and offers."""

    needs: frozenset[int]
    likes: frozenset[int]
    offers: int | None
    mood: Mood


@dataclass(frozen=True)
class Move:
    """Mount a piece (or give it another mood, if it is there), or unmount it."""

    place: Place
    piece: Piece | None
    waits: bool  # until the kernel is at rest


class Model:
    """What is mounted, and the state in which that must end."""

    def __init__(self) -> None:
        self.pieces: dict[Place, Piece] = {}

    def holder(self, scope: str | None, key: int) -> Place | None:
        """Who offers the key in this scope or in the nearest one above."""
        while scope is not None:
            for place, piece in self.pieces.items():
                if place[0] == scope and piece.offers == key:
                    return place
            scope = PARENTS[scope]
        return None

    def provider(self, place: Place, key: int) -> Place | None:
        return self.holder(place[0], key)

    def behind(self, place: Place) -> set[Place]:
        """Everything that a piece needs or likes, directly or through others."""
        found: set[Place] = set()
        queue = [place]
        while queue:
            piece = self.pieces[current := queue.pop()]
            for key in piece.needs | piece.likes:
                provider = self.provider(current, key)
                if provider is not None and provider not in found:
                    found.add(provider)
                    queue.append(provider)
        return found

    def served(self) -> set[Place]:
        """Those whose needs are met: the least set that is closed under providing."""
        served: set[Place] = set()
        while True:
            more = {
                place
                for place, piece in self.pieces.items()
                if all(
                    (provider := self.provider(place, key)) in served
                    and not self.pieces[provider].mood.fails
                    for key in piece.needs
                )
            }
            if more == served:
                return served
            served = more

    def state(self) -> dict[Place, tuple[str, frozenset[Place]]]:
        """Place → phase and the providers of all that it was given."""
        served = self.served()
        state: dict[Place, tuple[str, frozenset[Place]]] = {}
        for place, piece in self.pieces.items():
            providers = {
                key: self.provider(place, key) for key in piece.needs | piece.likes
            }
            given = frozenset(
                provider
                for key, provider in providers.items()
                if provider in served
                and not self.pieces[provider].mood.fails
                and (key in piece.needs or place not in self.behind(provider))
            )
            if place not in served:
                state[place] = ("waiting", frozenset())
            elif piece.mood.fails:
                state[place] = ("failed", frozenset())
            else:
                state[place] = ("active", given)
        return state
