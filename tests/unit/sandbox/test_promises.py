"""What confinement promises, tried by a program inside, with each mechanism."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dsh.seams.sandbox import Mode
from dsh_plugins.sandbox_linux.plugin import LinuxSandbox, SandboxLinux
from dsh_plugins.sandbox_linux.probe import Verdicts
from support.processes import World
from unit.sandbox.conftest import NOBODY, Rooms, python_for

pytestmark = pytest.mark.anyio

MECHANISMS = {
    "bubblewrap": SandboxLinux(landlock=False),
    "landlock": SandboxLinux(bubblewrap=[]),
}
# What a mechanism cannot prevent, by the gap that names it.
GAPS = {
    "metadata-outside": {"chmod outside", "utime outside"},
    "hidden-names": {"list the hidden"},
    "unix-sockets": {"abstract socket"},
}
NETWORK = {"tcp", "udp"}
ATTEMPTS = Path(__file__).with_name("attempts.py")


def sandbox(world: World, rooms: Rooms, mechanism: str) -> LinuxSandbox:
    verdicts = Verdicts(rooms.root / "verdicts" / "sandbox.json")
    return LinuxSandbox(world.subprocess, verdicts, MECHANISMS[mechanism])


@contextmanager
def neighbours(rooms: Rooms, uid: int) -> Iterator[dict[str, object]]:
    """A process and servers outside that a confined program may try to reach."""
    with ExitStack() as stack:
        who = {"user": uid, "group": uid, "extra_groups": []} if uid else {}
        argv = ["sleep", "300"]
        victim = subprocess.Popen(argv, cwd=rooms.outside, env={"S": "x"}, **who)  # type: ignore[call-overload]  # the user is given by name
        stack.callback(victim.wait)
        stack.callback(victim.kill)
        abstract = f"rooms-{os.getpid()}-{id(rooms)}"
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind("\0" + abstract)
        tcp = stack.enter_context(socket.socket())
        tcp.bind(("127.0.0.1", 0))
        for server in (unix, tcp):
            server.listen(50)
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(0.05)
        over = threading.Event()
        thread = threading.Thread(target=echo, args=(udp, over))
        thread.start()
        stack.callback(thread.join)
        stack.callback(over.set)
        yield {
            "victim": victim.pid,
            "abstract": abstract,
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
        }


def echo(server: socket.socket, over: threading.Event) -> None:
    while not over.is_set():
        try:
            data, peer = server.recvfrom(16)
        except TimeoutError:
            continue
        server.sendto(data, peer)


async def attempts(
    world: World, rooms: Rooms, box: LinuxSandbox, mode: Mode, *, network: bool
) -> dict[str, str]:
    uid = NOBODY if world.supervised._argv[0] == "setpriv" else 0
    names = ("workspace", "outside", "home", "temp")
    with neighbours(rooms, uid) as reachable:
        about = {name: str(getattr(rooms, name)) for name in names} | reachable
        script = ATTEMPTS.read_text()
        argv = [python_for(world), "-I", "-S", "-c", script, json.dumps(about)]
        policy = rooms.policy(mode, network=network)
        confinement = await box.confine(argv, policy, rooms.workspace)
        spec = world.spec(confinement.argv, rooms.workspace, confine=confinement.rules)
        run = await asyncio.wait_for(world.run(spec), 60)
    assert run.end.exit_code == 0, run.err.text
    found = json.loads(run.out.text)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("network", [True, False], ids=["network", "no network"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_nothing_gets_out_but_through_a_named_gap(
    world: World, rooms: Rooms, mechanism: str, network: bool
) -> None:
    box = sandbox(world, rooms, mechanism)
    enforced = await box.probe()
    assert enforced.mechanism == mechanism
    found = await attempts(world, rooms, box, "workspace-write", network=network)
    allowed = set().union(*(GAPS.get(gap, set()) for gap in enforced.gaps))
    allowed |= NETWORK if network else set()
    escaped = {name for name, how in found.items() if how == "worked"}
    work = {name for name in found if name.startswith("work: ")}
    assert work <= escaped, {name: found[name] for name in work - escaped}
    assert escaped - work <= allowed
    assert not network or escaped >= NETWORK
    assert rooms.untouched()


@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_read_only_leaves_only_the_temp(
    world: World, rooms: Rooms, mechanism: str
) -> None:
    box = sandbox(world, rooms, mechanism)
    found = await attempts(world, rooms, box, "read-only", network=True)
    assert found["work: write in the temp"] == "worked"
    assert found["work: write to null"] == "worked"
    assert found["work: read the workspace"] == "worked"
    assert found["work: write in the workspace"].startswith("blocked")
    assert found["work: move between folders"].startswith("blocked")
    assert sorted(p.name for p in rooms.workspace.iterdir()) == ["file"]
    assert rooms.untouched()


@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_nothing_is_made_in_the_persons_folders(
    world: World, rooms: Rooms, mechanism: str
) -> None:
    """Mount points and masks must not show up in what the person works on."""
    box = sandbox(world, rooms, mechanism)
    confinement = await box.confine(["/bin/true"], rooms.policy(), rooms.workspace)
    spec = world.spec(confinement.argv, rooms.workspace, confine=confinement.rules)
    assert (await world.run(spec)).end.exit_code == 0
    assert [p.name for p in rooms.workspace.iterdir()] == ["file"]
    assert rooms.untouched()
