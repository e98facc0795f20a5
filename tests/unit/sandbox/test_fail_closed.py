"""Where nothing can confine, nothing runs; what is claimed was proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.seams.sandbox import Policy, SandboxUnavailable
from dsh_plugins.sandbox_linux import bubblewrap, landlock, seccomp
from dsh_plugins.sandbox_linux.plugin import LinuxSandbox, SandboxLinux
from dsh_plugins.sandbox_linux.probe import Verdicts
from support.processes import World
from unit.sandbox.conftest import Rooms, give_to

pytestmark = pytest.mark.anyio

FAKES = {
    "refuses": "exit 125",
    "does nothing": "exit 0",
    "ignores the policy": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
}


@pytest.mark.parametrize("fake", FAKES)
async def test_a_runner_that_does_not_confine_is_not_used(
    world: World, rooms: Rooms, fake: str
) -> None:
    runner = rooms.root / "bwrap"
    runner.write_text(f"#!/bin/sh\n{FAKES[fake]}\n")
    runner.chmod(0o755)
    config = SandboxLinux(bubblewrap=[runner], landlock=False)
    box = LinuxSandbox(world.subprocess, Verdicts(rooms.root / "v/v.json"), config)
    assert (await box.probe()).level == "none"
    with pytest.raises(SandboxUnavailable) as refused:
        await box.confine(["/bin/true"], rooms.policy(), rooms.workspace)
    assert refused.value.remedy


async def test_without_any_mechanism_nothing_is_confined(
    world: World, rooms: Rooms
) -> None:
    config = SandboxLinux(bubblewrap=[Path("/no/such/bwrap")], landlock=False)
    box = LinuxSandbox(world.subprocess, Verdicts(rooms.root / "v/v.json"), config)
    assert (await box.probe()).mechanism == "none"
    with pytest.raises(SandboxUnavailable):
        await box.confine(["/bin/true"], rooms.policy(), rooms.workspace)


async def test_the_next_mechanism_takes_over(world: World, rooms: Rooms) -> None:
    config = SandboxLinux(bubblewrap=[Path("/no/such/bwrap")])
    box = LinuxSandbox(world.subprocess, Verdicts(rooms.root / "v/v.json"), config)
    enforced = await box.probe()
    assert (enforced.mechanism, enforced.level) == ("landlock", "partial")
    assert "hidden-names" in enforced.gaps


async def test_full_access_is_none_of_its_business(world: World, rooms: Rooms) -> None:
    box = LinuxSandbox(world.subprocess, Verdicts(rooms.root / "v.json"), SandboxLinux())
    with pytest.raises(ValueError, match="full access"):
        await box.confine(["x"], rooms.policy("danger-full-access"), rooms.workspace)


async def test_a_verdict_is_kept_until_something_changes(
    world: World, rooms: Rooms
) -> None:
    file = rooms.root / "state" / "sandbox.json"
    verdicts = Verdicts(file)
    runner = rooms.root / "bwrap"
    runner.write_text("#!/bin/sh\n")
    assert verdicts.load(str(runner)) is None
    verdicts.store(str(runner), good=True)
    assert Verdicts(file).load(str(runner)) is True
    runner.write_text("#!/bin/sh\n# another version\n")
    assert verdicts.load(str(runner)) is None
    file.write_text("not json")
    assert verdicts.load("landlock") is None
    verdicts.store("landlock", good=False)
    assert verdicts.load("landlock") is False


async def test_the_runner_of_a_bundle_is_known_by_its_content(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = Verdicts(rooms.root / "state" / "sandbox.json")
    for place, content, known in (("a", "x", None), ("b", "x", True), ("c", "y", None)):
        bundle = rooms.root / place
        bundle.mkdir()
        (bundle / "bwrap").write_text(content)
        monkeypatch.setattr("sys._MEIPASS", str(bundle), raising=False)
        assert verdicts.load(str(bundle / "bwrap")) is known
        verdicts.store(str(bundle / "bwrap"), good=True)


async def test_a_runner_that_fails_later_is_told_from_a_program_that_fails(
    world: World, rooms: Rooms
) -> None:
    config = SandboxLinux(landlock=False)
    box = LinuxSandbox(world.subprocess, Verdicts(rooms.root / "v/v.json"), config)
    liar = "echo 'bwrap: Creating new namespace failed' >&2; exit 1"
    for policy, argv, ran in (
        (rooms.policy(), ["/bin/sh", "-c", liar], True),
        (rooms.policy(), ["/bin/sh", "-c", "exit 125"], True),
        (
            Policy("workspace-write", rooms.root / "gone", temp=rooms.temp),
            ["true"],
            False,
        ),
        (rooms.policy(), ["/no/such/program"], False),
    ):
        confinement = await box.confine(argv, policy, rooms.workspace)
        spec = world.spec(confinement.argv, rooms.workspace, confine=confinement.rules)
        assert (await world.run(spec)).end.ran is ran


async def test_a_workspace_around_the_home_is_carved_out_or_refused(
    world: World, rooms: Rooms
) -> None:
    around = Policy(
        "workspace-write",
        rooms.root,
        temp=rooms.temp,
        hidden=(rooms.home / "desktop",),
        read_only=(rooms.home,),
    )
    attack = (
        f"echo x > {rooms.root}/inside; echo x >> {rooms.home}/AGENTS.md; "
        f"cat {rooms.home}/desktop/credentials.yaml; mv {rooms.home} {rooms.root}/gone; "
        f"rm -rf {rooms.home}"
    )
    box = LinuxSandbox(
        world.subprocess, Verdicts(rooms.root / "v/v.json"), SandboxLinux(landlock=False)
    )
    confinement = await box.confine(["/bin/sh", "-c", attack], around, rooms.root)
    run = await world.run(
        world.spec(confinement.argv, rooms.root, confine=confinement.rules)
    )
    assert "secret" not in run.out.text
    assert (rooms.root / "inside").exists()
    assert rooms.untouched()
    box = LinuxSandbox(
        world.subprocess, Verdicts(rooms.root / "v/w.json"), SandboxLinux(bubblewrap=[])
    )
    with pytest.raises(SandboxUnavailable, match="contains"):
        await box.confine(["/bin/true"], around, rooms.root)


async def test_no_folder_above_the_home_can_be_moved_away(
    world: World, rooms: Rooms
) -> None:
    deep = rooms.workspace / "a/b/home"
    deep.mkdir(parents=True)
    give_to(rooms.root.stat().st_uid, rooms.workspace)
    rooms.home.rename(deep / "inner")
    home = deep / "inner"
    policy = Policy(
        "workspace-write",
        rooms.workspace,
        temp=rooms.temp,
        hidden=(home / "desktop",),
        read_only=(home,),
    )
    box = LinuxSandbox(
        world.subprocess, Verdicts(rooms.root / "v/v.json"), SandboxLinux(landlock=False)
    )
    attack = "mv a z; mv a/b a/z; mv a/b/home a/b/z; touch a/b/home/beside"
    argv = ["/bin/sh", "-c", attack]
    confinement = await box.confine(argv, policy, rooms.workspace)
    spec = world.spec(confinement.argv, rooms.workspace, confine=confinement.rules)
    await world.run(spec)
    assert (home / "desktop/credentials.yaml").exists()
    assert (deep / "beside").exists()
    home.rename(rooms.home)
    with pytest.raises(SandboxUnavailable, match="not there"):
        await box.confine(argv, policy, rooms.workspace)


async def test_links_left_in_the_temp_lead_no_mount_astray(
    world: World, rooms: Rooms
) -> None:
    box = LinuxSandbox(
        world.subprocess, Verdicts(rooms.root / "v/v.json"), SandboxLinux(landlock=False)
    )
    top = rooms.root.relative_to("/tmp").parts[0]
    for target in (rooms.outside, Path("/oldroot") / rooms.outside.relative_to("/")):
        command = f"rm -rf /tmp/{top}; ln -s {target} $TMPDIR/{top}; ls -d $TMPDIR/{top}"
        for line in (command, "echo x > kept; cat kept"):
            argv = ["/bin/sh", "-c", line]
            confinement = await box.confine(argv, rooms.policy(), rooms.workspace)
            spec = world.spec(
                confinement.argv,
                rooms.workspace,
                confine=confinement.rules,
                env={"TMPDIR": str(rooms.temp)},
            )
            run = await world.run(spec)
            assert run.end.exit_code == 0, run.err.text
    assert (rooms.workspace / "kept").exists()
    assert rooms.untouched()


async def test_a_home_behind_a_link_is_protected_at_its_own_place(
    world: World, rooms: Rooms
) -> None:
    link = rooms.root / "linked-home"
    link.symlink_to(rooms.home)
    policy = Policy(
        "workspace-write",
        rooms.workspace,
        temp=rooms.temp,
        hidden=(link / "desktop",),
        read_only=(link,),
    )
    for config in (SandboxLinux(landlock=False), SandboxLinux(bubblewrap=[])):
        box = LinuxSandbox(world.subprocess, Verdicts(rooms.root / "v/v.json"), config)
        command = f"cat {rooms.home}/desktop/* {link}/desktop/*; echo > {rooms.home}/x"
        argv = ["/bin/sh", "-c", command]
        confinement = await box.confine(argv, policy, rooms.workspace)
        spec = world.spec(confinement.argv, rooms.workspace, confine=confinement.rules)
        assert "secret" not in (await world.run(spec)).out.text
        assert rooms.untouched()


def test_old_kernels_and_unknown_machines_are_refused() -> None:
    with pytest.raises(SandboxUnavailable):
        landlock.Landlock(2)
    with pytest.raises(SandboxUnavailable):
        seccomp.program(network=True, machine="vax")
    assert len(seccomp.program(network=False, machine="aarch64")) % 8 == 0


def test_the_systems_own_runner_is_tried_first() -> None:
    found = bubblewrap.candidates()
    assert found
    system = [path for path in found if path.is_relative_to("/usr")]
    assert found[: len(system)] == system
