"""A lock file has one holder, whatever happens to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dsh.data import locks
from dsh.data.locks import Holder, Lock

HOLD = """
import sys, pathlib
from dsh.data import locks
taken = locks.take(pathlib.Path(sys.argv[1]), "the test")
print(type(taken).__name__, flush=True)
sys.stdin.read()
"""


def holding(path: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "Lock\n"
    return process


def test_a_second_process_learns_who_holds_the_lock(tmp_path: Path) -> None:
    with holding(tmp_path / "lock") as process:
        holder = locks.take(tmp_path / "lock")
        assert isinstance(holder, Holder)
        assert (holder.pid, holder.note) == (process.pid, "the test")
        assert holder.since
        assert str(process.pid) in str(holder)
        process.kill()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with holding(tmp_path / "lock") as process:
        process.kill()
        process.wait()
    taken = locks.take(tmp_path / "lock")
    assert isinstance(taken, Lock)
    taken.release()


def test_the_same_process_is_refused_too_until_it_lets_go(tmp_path: Path) -> None:
    first = locks.take(tmp_path / "lock")
    assert isinstance(first, Lock)
    with first:
        second = locks.take(tmp_path / "lock", "again")
        assert isinstance(second, Holder)
        assert second.pid == os.getpid()
    assert first.descriptor is None
    third = locks.take(tmp_path / "lock")
    assert isinstance(third, Lock)
    third.release()
    third.release()


def test_a_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    taken = locks.take(tmp_path / "lock")
    assert isinstance(taken, Lock)
    command = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        taken.release()
        again = locks.take(tmp_path / "lock")
        assert isinstance(again, Lock)
        again.release()
        child.communicate(b"\n")


def test_a_holder_that_has_not_written_its_name_is_just_another_process(
    tmp_path: Path,
) -> None:
    taken = locks.take(tmp_path / "lock")
    assert isinstance(taken, Lock)
    with taken:
        (tmp_path / "lock").write_bytes(b"")
        assert str(locks.take(tmp_path / "lock")) == "another process"
