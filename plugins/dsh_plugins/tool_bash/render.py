"""A finished command as the model reads it, and the data of its card."""

from __future__ import annotations

from pathlib import Path

from dsh.runtime.tools import Card, TerminalCard
from dsh.seams.sandbox import WIDER
from dsh.seams.shell import SandboxFacts, ShellResult
from dsh.seams.subprocess import Collected

_NOTHING = "(no output)"


def body_of(result: ShellResult) -> str:
    """Standard output, then standard error under its own heading."""
    parts = []
    if result.stdout.text:
        parts.append(result.stdout.text.rstrip("\n"))
    parts += _truncated(result.stdout)
    if result.stderr.text:
        parts.append("[stderr]\n" + result.stderr.text.rstrip("\n"))
    parts += _truncated(result.stderr)
    return "\n".join(parts) or _NOTHING


def _truncated(stream: Collected) -> list[str]:
    if not stream.omitted:
        return []
    where = str(stream.spill or "(unavailable)")
    if stream.spill is not None and stream.spilled < stream.total:
        where += f", of which it holds the first {stream.spilled:,} bytes"
    return [
        f"[output truncated: {stream.omitted:,} of {stream.total:,} bytes left out; "
        f"full output: {where}]"
    ]


def markers_of(result: ShellResult, *, can_ask: bool) -> list[str]:
    """What happened besides output, a line each, in a fixed order."""
    lines = []
    facts = result.sandbox
    if facts is not None and facts.denied:
        lines.append(f"[sandbox: file access denied under {facts.mode} mode]")
        wider = WIDER.get(facts.mode, ())
        if can_ask and wider:
            lines.append(
                "[sandbox: escalation available — retry this exact command once with "
                f"sandbox_permissions ({' or '.join(wider)}) + justification; the person "
                "is asked]"
            )
    if result.timed_out:
        lines.append(f"[timed out after {result.timeout * 1000:.0f}ms]")
    if result.signal is not None:
        lines.append(f"[killed by signal: {result.signal}]")
    elif result.exit_code:
        lines.append(f"[exit code: {result.exit_code}]")
    return lines


def meta_of(result: ShellResult, cwd: Path, markers: list[str]) -> dict[str, object]:
    """What the card shows besides the text; plain JSON."""
    spill = result.stdout.spill or result.stderr.spill
    omitted = result.stdout.omitted or result.stderr.omitted
    denied = next((line for line in markers if "denied" in line), None)
    return {
        "cwd": str(cwd),
        "exitCode": result.exit_code,
        "signal": result.signal,
        "seconds": round(result.seconds, 3),
        "timedOut": result.timed_out,
        "denied": denied.strip("[]") if denied else None,
        "sandbox": _sandbox(result.sandbox),
        "truncated": str(spill) if spill and omitted else None,
        "markers": markers,
    }


def _sandbox(facts: SandboxFacts | None) -> str | None:
    if facts is None:
        return None
    if facts.enforcement is None:
        return f"{facts.mode}: not confined"
    by = facts.enforcement
    level = "" if by.level == "full" else f", {by.level}"
    return f"{facts.mode} ({by.mechanism}{level})"


def call_card(arguments: dict[str, object], cwd: str | None = None) -> Card:
    """The card of a command that runs."""
    workdir = cwd or arguments.get("workdir")
    return Card(
        TerminalCard(
            title=_text(arguments.get("command")) or "bash",
            description=_text(arguments.get("description")),
            cwd=_text(workdir),
        )
    )


def result_card(
    arguments: dict[str, object], text: str, meta: dict[str, object] | None
) -> Card:
    """The card of a command that has ended; odd data of old logs does no harm."""
    meta = meta or {}
    markers = meta.get("markers")
    ending = "\n".join(map(str, markers)) if isinstance(markers, list) else ""
    output = text.removesuffix(ending).rstrip("\n") if ending else text
    code, seconds = meta.get("exitCode"), meta.get("seconds")
    return Card(
        TerminalCard(
            title=_text(arguments.get("command")) or "bash",
            description=_text(arguments.get("description")),
            cwd=_text(meta.get("cwd")) or _text(arguments.get("workdir")),
            output="" if output == _NOTHING else output,
            exitCode=code if isinstance(code, int) else None,
            signal=_text(meta.get("signal")),
            seconds=seconds if isinstance(seconds, int | float) else None,
            denied=_text(meta.get("denied")),
            sandbox=_text(meta.get("sandbox")),
            truncated=_text(meta.get("truncated")),
        )
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
