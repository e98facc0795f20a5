"""The supervisor: a small process that starts every child and ends every tree.

It has one thread, so that forking is safe, and it adopts every orphan (subreaper), so
that a daemonised grandchild stays within reach. When the program is gone its socket
reads end of file, and nothing that was started survives. Standard library only.

Messages are marshalled tuples over SOCK_SEQPACKET; both ends are the same Python.

    program → supervisor   (SPAWN, job, argv, env, cwd, rules) + stdin, stdout, stderr
                           (PARCEL,) + these and a memory file that holds a big SPAWN
                           (END, job, grace in seconds)
    supervisor → program   (STARTED, job, pid)   (FAILED, job, errno, what)
                           (EXITED, job, wait status, processes left, whether it ran)
                           (GONE, job, processes that could not be ended)
                           (BROKEN, 0, why it stops)
"""

from __future__ import annotations

import array
import contextlib
import marshal
import math
import os
import select
import signal
import socket
import time

from dsh_plugins.subprocess_local import process_table as table
from dsh_plugins.subprocess_local.child import (
    FIRST_FREE,
    Rules,
    Start,
    become,
    build_ruleset,
    libc,
    run_runner,
)


class Kind:
    """What a message is."""

    SPAWN, PARCEL, END, STARTED, FAILED, EXITED, GONE, BROKEN = range(8)


LARGEST = 96 * 1024  # bytes of one message; what is bigger goes into a memory file
TOKEN = "DSH_JOB"  # noqa: S105  # the name of the variable that marks a job's processes

_TICK_MS = 10
_MARK = TOKEN.encode()
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main(fd: int) -> None:
    """Serve the program at the other end of ``fd`` until it is gone."""
    Supervisor(socket.socket(fileno=fd)).serve()
    # Everything is over, and the program waits for this; tearing the interpreter down
    # would take longer than all the rest.
    os._exit(0)


class Job:
    """One direct child and what belongs to it."""

    __slots__ = (
        "born",
        "exited",
        "failure",
        "killing",
        "number",
        "pid",
        "runner",
        "status",
        "token",
    )

    def __init__(self, number: int, pid: int, token: bytes, runner: object) -> None:
        self.number = number
        self.pid = pid
        self.token = token
        # Name of a program that must not be asked politely: it would end at once and
        # take those along that are to have time.
        self.runner = runner
        self.born = table.born(pid)
        self.status = -1  # memory in which its runner reports
        self.failure: int | None = None  # pipe that tells how exec went
        self.exited = False
        self.killing: float | None = None  # when politeness ends


class Supervisor:
    """All jobs of one program."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._jobs: dict[int, Job] = {}
        self._rulesets: dict[bytes, int] = {}
        self._me, self._parent = os.getpid(), os.getppid()
        self._wakes, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()

    def serve(self) -> None:
        """Run until the program is gone; then end everything."""
        self._link.set_inheritable(False)
        self._keep_places_free()
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # A second belt. It also fires when only the thread that started this process
        # ends, so the loop looks whether the program is really gone.
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGUSR1, 0, 0, 0)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        self._poll.register(self._wakes, select.POLLIN)
        self._poll.register(self._link, select.POLLIN)
        try:
            while self._turn():
                pass
        except Exception as error:  # the program is told and starts another one
            self._tell(Kind.BROKEN, 0, f"{type(error).__name__}: {error}")
            raise
        finally:
            table.end_everything()

    def _keep_places_free(self) -> None:
        """No descriptor of ours may lie where a child expects one of its own."""
        while (fd := os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)) < FIRST_FREE:
            pass
        os.close(fd)

    def _turn(self) -> bool:
        ending = any(job.killing is not None for job in self._jobs.values())
        ready = {fd for fd, _ in self._poll.poll(_TICK_MS if ending else None)}
        for job in tuple(self._jobs.values()):
            if job.failure in ready:
                self._started(job)
        if self._wakes in ready and not self._signalled():
            return False
        self._reap()
        if self._link.fileno() in ready and not self._receive():
            return False
        self._press()
        return True

    def _signalled(self) -> bool:
        numbers = os.read(self._wakes, 4096)
        gone = signal.SIGUSR1 in numbers and os.getppid() != self._parent
        return not gone and signal.SIGTERM not in numbers

    def _tell(self, *message: int | str) -> None:
        with contextlib.suppress(ConnectionError):  # the next read says so too
            self._link.send(marshal.dumps(message))

    # -- requests ----------------------------------------------------------------

    def _receive(self) -> bool:
        """Take one request; false when there is nobody at the other end."""
        room = socket.CMSG_SPACE(4 * array.array("i").itemsize)
        flags = socket.MSG_CMSG_CLOEXEC
        try:
            data, parts, _, _ = self._link.recvmsg(LARGEST + 4096, room, flags)
        except ConnectionError:
            return False
        if not data:
            return False
        fds = array.array("i")
        for _, _, content in parts:
            fds.frombytes(content)
        try:
            self._obey(marshal.loads(data), fds)  # noqa: S302  # the program's own hand
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _obey(self, request: object, fds: array.array[int]) -> None:
        match request:
            case (
                Kind.SPAWN,
                int(number),
                list(argv),
                dict(env),
                bytes(cwd),
                dict(rules),
            ):
                start = Start(argv, env, cwd, rules, (*fds[:3],))
                self._spawn(number, start)
            case (Kind.PARCEL,):
                with open(fds[3], "rb", closefd=False) as parcel:
                    self._obey(marshal.load(parcel), fds)  # noqa: S302  # as above
            case (Kind.END, int(number), float(grace)):
                self._end(number, grace)
            case _:
                raise ValueError("a request that nobody sends")

    def _spawn(self, number: int, start: Start) -> None:
        try:
            start.ruleset = self._ruleset(start.rules)
            start.stage = "fork"
            if "status" in start.rules:
                start.status = os.memfd_create("status")
            runner = start.rules.get("runner")
            pid, failure = self._fork(start) if runner is None else run_runner(start)
        except OSError as error:
            close(start.status)
            self._tell(Kind.FAILED, number, error.errno or 0, start.stage)
            return
        job = Job(number, pid, start.env[_MARK], runner)
        job.failure, job.status = failure, start.status
        self._jobs[number] = job
        if failure is None:
            self._tell(Kind.STARTED, number, pid)
        else:
            self._poll.register(failure, select.POLLIN)

    def _fork(self, start: Start) -> tuple[int, int]:
        """The child's pid, and a pipe that tells how its exec went."""
        failure, failed = os.pipe2(os.O_CLOEXEC)
        start.fds = (*start.fds, failed)
        try:
            pid = os.fork()
            if pid == 0:
                become(start, self._me)
        except OSError:
            os.close(failure)
            raise
        finally:
            os.close(failed)
        return pid, failure

    def _ruleset(self, rules: Rules) -> int:
        """The Landlock ruleset; kept, because its many paths rarely change."""
        wanted = rules.get("landlock")
        if not isinstance(wanted, tuple):
            return -1
        key = marshal.dumps(wanted)
        if key not in self._rulesets:
            while len(self._rulesets) >= 8:
                os.close(self._rulesets.pop(next(iter(self._rulesets))))
            attributes, paths, _ = wanted
            self._rulesets[key] = build_ruleset(attributes, paths)
        return self._rulesets[key]

    def _end(self, number: int, grace: float) -> None:
        job = self._jobs.get(number)
        if job is None:  # it ended by itself meanwhile, with nothing left
            self._tell(Kind.GONE, number, 0)
            return
        until = time.monotonic() + grace
        if job.killing is not None:
            job.killing = min(job.killing, until)
            return
        job.killing = until
        if grace > 0:
            for pid in self._members(job):
                if job.runner is None or table.name_of(pid) != job.runner:
                    table.send(pid, signal.SIGTERM)
                    table.send(pid, signal.SIGCONT)  # a stopped one would not hear it

    # -- ends --------------------------------------------------------------------

    def _started(self, job: Job) -> None:
        """Exec succeeded (its end of the pipe is closed) or told why it could not."""
        assert job.failure is not None
        report = os.read(job.failure, 512)
        self._poll.unregister(job.failure)
        os.close(job.failure)
        job.failure = None
        if report:
            self._forget(job)
            number, _, what = report.partition(b" ")
            self._tell(Kind.FAILED, job.number, int(number), what.decode())
        else:
            self._tell(Kind.STARTED, job.number, job.pid)

    def _reap(self) -> None:
        leaders = {job.pid: job for job in self._jobs.values() if not job.exited}
        for pid, status in table.reaped():
            job = leaders.get(pid)
            if job is None:
                continue
            if job.failure is not None:
                self._started(job)
            if job.number in self._jobs:
                job.exited = True
                self._exited(job, status)

    def _exited(self, job: Job, status: int) -> None:
        left = len(self._members(job))
        self._tell(Kind.EXITED, job.number, status, left, _ran(job))
        if not left:
            self._forget(job)
            if job.killing is not None:
                self._tell(Kind.GONE, job.number, 0)

    def _press(self) -> None:
        """Kill what outlived its grace, and report the jobs of which nothing is left."""
        now = time.monotonic()
        for job in tuple(self._jobs.values()):
            if job.killing is None and not job.exited:
                continue
            until = math.inf if job.killing is None else job.killing
            members = self._members(job)
            if not members or now >= until + table.GIVE_UP:
                self._forget(job)
                self._tell(Kind.GONE, job.number, len(members))
            elif now >= until:
                for pid in members:
                    table.send(pid, signal.SIGKILL)

    def _forget(self, job: Job) -> None:
        close(job.status)
        del self._jobs[job.number]

    def _members(self, job: Job) -> list[int]:
        """Every process of a job. The kernel lists children one by one, and one that
        exits meanwhile can hide its neighbour: nothing is believed at the second look.
        """
        return self._look(job) or self._look(job)

    def _look(self, job: Job) -> list[int]:
        """What descends from the leader, and the orphans that carry the job's token, are
        of its session, or can be nobody else's.
        """
        leaders = {other.pid for other in self._jobs.values() if not other.exited}
        found = [] if job.exited else [job.pid, *table.descendants(job.pid)]
        for orphan in table.children(self._me):
            if orphan not in leaders and self._owner(orphan, job) is job:
                found += [orphan, *table.descendants(orphan)]
        return found

    def _owner(self, orphan: int, asking: Job) -> Job:
        token, session = table.variable(orphan, _MARK), table.session_of(orphan)
        others = [job for job in self._jobs.values() if job is not asking]
        for job in (asking, *others):
            if token == job.token or session == job.pid:
                return job
        # It shed every mark. It can be another's only if that one was there before it.
        born = table.born(orphan)
        return next((job for job in others if job.born <= born), asking)


def _ran(job: Job) -> bool:
    """Whether the program was started. Bubblewrap writes its exit code into the status
    only when it got as far as that; other children say it with their failure pipe.
    """
    return job.status < 0 or b"exit-code" in os.pread(job.status, 4096, 0)


def close(fd: int) -> None:
    """Close a descriptor if it is one."""
    if fd >= 0:
        os.close(fd)
