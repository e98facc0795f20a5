"""Events on their way to the page: a card for each call and result, whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from dsh.data.events import Event
from dsh.kernel import Kernel
from dsh.runtime.tools import Card, Execution, Outcome, Tool, Tools
from dsh.surfaces.host.sessions import presenting
from dsh.surfaces.host.sessions.presenting import Presenter


class Nothing(BaseModel):
    """No arguments."""


class Shown(Tool[Nothing]):
    """A tool whose cards a test chooses; it raises what is an error."""

    name: ClassVar[str] = "shown"
    description: ClassVar[str] = "Shows."
    made: Any = None  # Any: also what no card is

    @property
    def arguments(self) -> type[Nothing]:
        return Nothing

    async def run(self, arguments: Nothing, execution: Execution) -> Outcome:
        return Outcome("")

    def present_call(self, arguments: object) -> Card:
        return self._card(f"call {arguments}")

    def present_result(
        self, arguments: object, text: str, meta: object, *, failed: bool
    ) -> Card:
        return self._card(f"result {arguments} {text} {failed}")

    def _card(self, title: str) -> Card:
        if isinstance(self.made, BaseException):
            raise self.made
        return self.made if self.made is not None else Card.generic(title)


@pytest.fixture
def tool() -> Shown:
    return Shown()


@pytest.fixture
def presenter(tool: Shown) -> Iterator[Presenter]:
    scope = Kernel().root
    tools = Tools(scope)
    with scope.offered(Tools, tools), tools.add(tool.name, tool):  # type: ignore[arg-type]  # a tool of any arguments
        yield Presenter(scope)


def call(id_: str = "c1", name: object = "shown", arguments: object = '{"a":1}') -> Event:
    data = {"callId": id_, "name": name, "arguments": arguments}
    return Event(5, "tool/call", 0, data, None, None, ignorable=False)


def result(id_: object = "c1", text: str = "done", **data: object) -> Event:
    block = {
        "type": "tool-result",
        "toolCallId": id_,
        "content": [{"type": "text", "text": text}],
    }
    message = {"message": {"content": [block]}, **data}
    return Event(9, "tool/result", 0, message, None, [5], ignorable=False)


def title(presenter: Presenter, event: Event) -> str | None:
    card = presenter.present(event).card
    return card.title if card is not None else None


def test_a_call_and_its_result_are_shown_by_their_tool(presenter: Presenter) -> None:
    assert title(presenter, call()) == "call {'a': 1}"
    assert title(presenter, result()) == "result {'a': 1} done False"
    assert not presenter._calls, "nothing is kept of what is over"


def test_other_events_have_no_card(presenter: Presenter) -> None:
    event = Event(1, "turn/start", 7, {"turn": 1}, None, None, ignorable=False)
    shown = presenter.present(event)
    assert (shown.seq, shown.type, shown.time, shown.card) == (1, "turn/start", 7, None)


@pytest.mark.parametrize(
    "made",
    [ValueError("x"), RecursionError(), 7, Card("no card"), Card(None)],  # type: ignore[arg-type]  # that is the point
)
def test_a_tool_that_cannot_show_costs_only_its_card(
    presenter: Presenter, tool: Shown, made: object
) -> None:
    tool.made = made
    assert title(presenter, call()) == "shown"
    shown = presenter.present(result()).card
    assert shown is not None and shown.kind == "generic" and shown.text == "done"


def test_a_card_that_is_no_json_is_replaced(presenter: Presenter, tool: Shown) -> None:
    tool.made = Card.generic("bad \udcff name")
    presenter.present(call()).model_dump_json()
    assert title(presenter, call()) == "shown"


def test_a_tool_that_is_gone_leaves_a_plain_card(presenter: Presenter) -> None:
    assert title(presenter, call(name="gone")) == "gone"
    assert title(presenter, result()) == "gone"
    assert title(presenter, result("never-called")) == "?"


@pytest.mark.parametrize(
    "data",
    [{}, {"message": None}, {"message": {"content": []}}, {"message": {"content": [7]}}],
)
def test_a_damaged_result_is_passed_on_without_a_card(
    presenter: Presenter, data: dict[str, object]
) -> None:
    event = Event(9, "tool/result", 0, data, None, None, ignorable=False)
    assert presenter.present(event).card is None
    assert presenter.calls_before([event]) == []


@pytest.mark.parametrize("arguments", ["", "{", "[1]", "null", "[" * 100_000, 7, None])
def test_arguments_that_are_no_object_are_shown_as_none(
    presenter: Presenter, arguments: object
) -> None:
    assert title(presenter, call(arguments=arguments)) == "call {}"


def test_calls_that_never_end_are_kept_in_bounds(
    presenter: Presenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presenting, "REMEMBERED", 10)
    for number in range(50):
        presenter.present(call(f"c{number}"))
    assert len(presenter._calls) == 10
    assert title(presenter, result("c49")) == "result {'a': 1} done False"


def test_it_says_which_calls_it_needs_to_see(presenter: Presenter) -> None:
    assert presenter.calls_before([result("old"), call("c1"), result("c1")]) == [5]
    presenter.note(call("old"))
    assert presenter.calls_before([result("old")]) == []
