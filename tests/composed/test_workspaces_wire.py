"""Workspaces and folders over the wire, and hostile words for both."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from support.page import hosted
from support.program import items_until, run_dsh
from support.stored import endings, kinds, result_text
from support.waiting import until


def test_one_folder_is_one_workspace_however_it_is_spelled(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        (tmp_path / "link").symlink_to(host.work)
        spellings = [
            str(host.work),
            f"{host.work}/",
            f"{host.work}/../work/.",
            str(tmp_path / "link"),
            f"/{host.work}",
        ]
        made = [host.client.call("workspace/create", path=path) for path in spellings]
        assert len({row["workspaceId"] for row in made}) == 1
        assert {row["path"] for row in made} == {str(host.work)}
        [row] = host.client.call("workspace/list")["workspaces"]
        assert row["title"] == "work"
        assert row["missing"] is False


@pytest.mark.parametrize(
    "path", ["", "relative", "/nowhere/at/all", "/etc/passwd", "/a\0b", "~nobody-here/x"]
)
def test_what_is_no_folder_is_refused_with_a_reason(tmp_path: Path, path: str) -> None:
    with hosted(tmp_path) as host:
        for method in ("workspace/create", "host/listDirectory"):
            if method == "host/listDirectory" and path in ("", "relative"):
                continue
            answer = host.client.post(method, {"path": path})
            assert 400 <= answer.status_code < 500, (method, answer.text)
            assert answer.json()["error"]["message"]
        assert host.client.call("workspace/list")["workspaces"] == []
        assert host.client.call("host/openPath", path=path) == {"opened": False}


def test_titles_order_and_removal_leave_the_folders_alone(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        ids = []
        for name in ("a", "b", "c"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "kept").touch()
            ids.append(host.client.call("workspace/create", path=str(folder)))
        a, b, c = [row["workspaceId"] for row in ids]
        host.client.call("workspace/reorder", workspaceIds=[b, a])
        host.client.call("workspace/rename", workspaceId=b, title="  Mine \n too ")
        host.client.call("workspace/remove", workspaceId=c)
        rows = host.client.call("workspace/list")["workspaces"]
        assert [row["workspaceId"] for row in rows] == [b, a]
        assert rows[0]["title"] == "Mine too"
        unknown = host.client.post("workspace/rename", {"workspaceId": c, "title": "x"})
        assert 400 <= unknown.status_code < 500
    assert (tmp_path / "c" / "kept").exists()
    with hosted(tmp_path) as host:  # they last
        rows = host.client.call("workspace/list")["workspaces"]
        assert [row["workspaceId"] for row in rows] == [b, a]


def test_a_folder_that_has_gone_is_marked_and_nothing_runs_elsewhere(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path) as host:
        session = host.session()
        session.prompt("run pwd")
        host.ended(1)
        session.idle()
        shutil.rmtree(host.work)
        [row] = host.client.call("workspace/list")["workspaces"]
        assert row["missing"] is True
        session.prompt("run pwd; touch here")
        host.ended(2)
        last = kinds(host.log, "tool/result")[-1]
        assert last["data"]["error"]["code"]
        assert str(host.work) in result_text(last)
        assert not host.work.exists()
    done = run_dsh("run", "--session", session.id, "run pwd", home=host.home)
    assert str(host.work) in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_list_of_workspaces_is_kept_aside(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        host.session()
    [stored] = (host.home / "desktop" / "state").glob("workspaces*")
    stored.write_text("{ this is not JSON")
    with hosted(tmp_path) as host:
        assert host.client.call("workspace/list")["workspaces"] == []
        host.session()
    kept = [path.read_text() for path in stored.parent.glob("workspaces*broken*")]
    assert kept == ["{ this is not JSON"]


def test_a_folder_given_at_a_second_start_reaches_the_page(tmp_path: Path) -> None:
    with hosted(tmp_path) as host, host.client.socket() as socket:
        items_until(socket, "host/snapshot")
        done = run_dsh(str(host.work), home=host.home)
        assert done.returncode == 0, done.stderr
        assert "http://127.0.0.1" in done.stdout
        opened = items_until(socket, "host/open-folder")[-1]
        assert opened["data"]["path"] == str(host.work)


def test_folders_are_listed_for_choosing_one(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        for name in ("b", "A", ".hidden", "中文 folder"):
            (host.work / name).mkdir()
        (host.work / "file").touch()
        (host.work / os.fsdecode(b"\xff\xfe")).mkdir()
        found = host.client.call("host/listDirectory", path=str(host.work))
        assert [e["name"] for e in found["entries"]] == [
            ".hidden",
            "A",
            "b",
            "中文 folder",
        ]
        assert found["parent"] == str(tmp_path)
        assert found["home"] == str(tmp_path)
        assert host.client.call("host/listDirectory", path="/")["parent"] is None


def test_without_a_window_there_are_no_native_dialogs(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        assert host.client.call("host/describe")["native"] is False
        answer = host.client.post("host/pickDirectory", {"title": "x"})
        assert answer.status_code in (404, 501), answer.text
        assert answer.json()["error"]["message"]


def test_quit_ends_the_program(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        session = host.session()
        session.prompt("run echo hi")
        until(lambda: endings(host.log), "the turn")
        family = host.program.family()
        host.client.call("host/quit")
        assert host.program.process.wait(10) == 0
        assert not [p for p in family if p.is_running() and p.status() != "zombie"]
