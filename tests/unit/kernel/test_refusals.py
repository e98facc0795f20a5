"""What cannot be mounted is refused before anything happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

import pytest

from dsh.kernel import (
    Body,
    DuplicateMount,
    DuplicateProvider,
    Kernel,
    KernelClosed,
    NotAPlugin,
    Plugin,
    plugin,
)
from unit.kernel.parts import Files, Problems, Shell, chained, phase, phases, provider

if TYPE_CHECKING:
    from datetime import date

pytestmark = pytest.mark.anyio


async def test_a_second_provider_is_refused_before_any_side_effect(
    kernel: Kernel, problems: Problems
) -> None:
    story: list[str] = []
    kernel.root.mount("shell", provider(Shell, story))
    with pytest.raises(DuplicateProvider, match="other and shell both offer Shell"):
        kernel.root.mount("other", chained("other", (), Shell, story))
    await kernel.settled()
    assert story == ["shell up"]
    assert phases(kernel) == {"shell": "active"}
    assert problems == []


async def test_a_waiting_or_failed_provider_holds_its_key_too(kernel: Kernel) -> None:
    kernel.root.mount("shell", chained("shell", [Files], Shell))
    await kernel.settled()
    with pytest.raises(DuplicateProvider):
        kernel.root.mount("other", provider(Shell))
    await kernel.root.mounts["shell"].close()
    other = kernel.root.mount("other", provider(Shell))
    await other.settled()
    assert phase(other) == "active"


async def test_a_value_of_the_frame_and_a_provider_refuse_each_other(
    kernel: Kernel,
) -> None:
    with kernel.root.offered(Shell, Shell()):
        with pytest.raises(DuplicateProvider):
            kernel.root.mount("shell", provider(Shell))
        with pytest.raises(DuplicateProvider), kernel.root.offered(Shell, Shell()):
            pass
    kernel.root.mount("shell", provider(Shell))
    with pytest.raises(DuplicateProvider), kernel.root.offered(Shell, Shell()):
        pass


async def test_a_value_of_the_frame_may_follow_a_provider_that_is_closing(
    kernel: Kernel,
) -> None:
    mount = kernel.root.mount("shell", provider(Shell))
    await mount.settled()
    mount.discard()
    with kernel.root.offered(Shell, Shell("frame")):
        await mount.gone()
        assert kernel.root.get(Shell).maker == "frame"
    assert kernel.root.find(Shell) is None


async def test_a_row_can_be_mounted_once_in_a_scope(kernel: Kernel) -> None:
    kernel.root.mount("shell", provider(Shell))
    with pytest.raises(DuplicateMount):
        kernel.root.mount("shell", provider(Files))
    kernel.root.child("agent").mount("shell", provider(Files))


async def test_a_closed_kernel_mounts_nothing(kernel: Kernel) -> None:
    await kernel.close()
    with pytest.raises(KernelClosed):
        kernel.root.mount("shell", provider(Shell))


async def untyped(shell) -> AsyncIterator[None]:  # type: ignore[no-untyped-def]  # noqa: ANN001  # the mistake
    yield


async def unknown(day: date) -> AsyncIterator[None]:
    yield


async def senseless(day: "1 / 0") -> AsyncIterator[None]:  # type: ignore[valid-type]  # noqa: UP037  # the mistake
    yield


async def either(place: Shell | Files) -> AsyncIterator[None]:
    yield


async def generic(shells: list[Shell]) -> AsyncIterator[None]:
    yield


async def maybe() -> AsyncIterator[Shell | None]:
    yield None


async def configured(config: Shell) -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (untyped, "'shell' must be a class"),
        (unknown, "must exist at run time"),
        (senseless, "division by zero"),
        (either, "'place' must be a class"),
        (generic, "'shells' must be a class"),
        (maybe, "yields must be a class"),
        (configured, "'config' must be a pydantic model"),
    ],
)
async def test_a_signature_that_makes_no_sense_is_refused_by_name(
    kernel: Kernel, body: Body, words: str
) -> None:
    with pytest.raises(NotAPlugin, match=words):
        kernel.root.mount("odd", Plugin(body))
    assert kernel.report() == []


def test_only_an_async_generator_is_a_plugin() -> None:
    async def coroutine() -> None: ...

    wrong: list[Callable[..., object]] = [coroutine, lambda: None]
    for body in wrong:
        with pytest.raises(NotAPlugin, match="async generator"):
            plugin(body)  # type: ignore[arg-type]  # that is the mistake
