"""The log of a session: one append-only file, the authority for everything about it."""

from dsh.data.log.codec import BadLine, event_line, header_line, read_event, read_header
from dsh.data.log.file import LogFile
from dsh.data.log.layout import LOCK, LOG, find_folder, session_folder, stored_folders
from dsh.data.log.repair import append_events, cut_at_damage, cut_torn_tail, upgrade_log
from dsh.data.log.scan import (
    STRIDE,
    Damage,
    Place,
    Scan,
    open_header,
    prefix_matches,
    read_at,
    read_window,
)
from dsh.data.log.surface import Surface, message_of
from dsh.data.log.verify import Checks, Problem, verify
from dsh.data.log.writer import LogThread, LogWriter

__all__ = [
    "LOCK",
    "LOG",
    "STRIDE",
    "BadLine",
    "Checks",
    "Damage",
    "LogFile",
    "LogThread",
    "LogWriter",
    "Place",
    "Problem",
    "Scan",
    "Surface",
    "append_events",
    "cut_at_damage",
    "cut_torn_tail",
    "event_line",
    "find_folder",
    "header_line",
    "message_of",
    "open_header",
    "prefix_matches",
    "read_at",
    "read_event",
    "read_header",
    "read_window",
    "session_folder",
    "stored_folders",
    "upgrade_log",
    "verify",
]
