"""The policy of a call: the session's mode, its folder, and the program's home."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.data.paths import Home
from dsh.seams.sandbox import Policy
from dsh_plugins.sandbox_policy.plugin import HomePolicy, SandboxPolicyConfig
from dsh_plugins.sandbox_policy.words import in_words
from dsh_plugins.spill_local.plugin import LocalSpill
from support.agents import runtime
from support.scripted import Scripted


def policies(root: Path, **config: object) -> HomePolicy:
    home = Home(root / "home")
    settings = SandboxPolicyConfig.model_validate(config)
    return HomePolicy(home, LocalSpill(root), settings)


def test_the_home_is_kept_and_its_data_hidden(tmp_path: Path) -> None:
    policy = policies(tmp_path).resolve(None)
    assert policy.mode == "workspace-write"
    assert policy.hidden == (tmp_path / "home/desktop",)
    assert policy.read_only == (tmp_path / "home",)
    assert policy.temp.is_relative_to(tmp_path)
    assert policy.network


def test_one_call_may_have_another_mode(tmp_path: Path) -> None:
    policy = policies(tmp_path, mode="read-only").resolve(None, "danger-full-access")
    assert policy.mode == "danger-full-access"


@pytest.mark.anyio
async def test_the_sessions_own_mode_wins_and_an_unknown_one_is_the_narrowest(
    tmp_path: Path,
) -> None:
    async with runtime(tmp_path, Scripted()) as host:
        host.sessions.strict = False  # for what a newer program may have written
        session = (await host.agent()).session
        settled = policies(tmp_path)
        assert settled.mode_of(session) == "workspace-write"
        assert settled.resolve(session).workspace == tmp_path / "work"
        for mode in ("read-only", "danger-full-access"):
            session.append("sandbox/mode", {"mode": mode})
            assert settled.mode_of(session) == mode
        session.append("sandbox/mode", {"mode": "something-new"})
        assert settled.mode_of(session) == "read-only"


@pytest.mark.parametrize("network", [True, False])
def test_the_model_reads_what_holds(tmp_path: Path, network: bool) -> None:
    def words(mode: str) -> str:
        return in_words(policies(tmp_path, mode=mode, network=network).resolve(None))

    assert "read-only" in words("read-only")
    assert str(Path.cwd()) in words("workspace-write")
    assert "$TMPDIR" in words("workspace-write")
    assert ("no network" in words("workspace-write")) is not network
    assert "no network" not in words("danger-full-access")


def test_only_the_temp_can_be_changed_in_read_only_mode(tmp_path: Path) -> None:
    policy = Policy("read-only", tmp_path / "work", temp=tmp_path / "temp")
    assert policy.writable_roots() == (tmp_path / "temp",)
    wider = policy.widened("workspace-write")
    assert wider.writable_roots() == (tmp_path / "work", tmp_path / "temp")
