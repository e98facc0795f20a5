"""`host/*`: what the host is, and the desktop's services for the page."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
from pydantic import BaseModel

from dsh import __version__
from dsh.data.paths import Home
from dsh.errors import DSHError, SurfaceError
from dsh.kernel import Scope, plugin
from dsh.seams.credentials import Credentials
from dsh.seams.gateway import Empty, Exposure, Gateway, Method
from dsh.seams.native_shell import NativeShell
from dsh.seams.sandbox import Sandbox
from dsh.surfaces import desktop_entry
from dsh.surfaces.host.stopping import Stopper
from dsh.surfaces.host.wire import (
    ChosenPath,
    DirectoryEntry,
    DirectoryListing,
    EntryInstalled,
    HostDescription,
    MaybePath,
    OnePath,
    OneUrl,
    Opened,
    SandboxView,
    Title,
)

LISTED = 1_000  # folders of one level; more would not help anybody choose
PROBE_SECONDS = 2.0


class HostMethodsConfig(BaseModel, frozen=True):
    """What the page is told of defaults that other rows hold."""

    default_mode: str = "workspace-write"


class _HostMethods:
    """The handlers."""

    def __init__(self, scope: Scope, home: Home, config: HostMethodsConfig) -> None:
        self._scope = scope
        self._home = home
        self._config = config

    async def describe(self, request: Empty) -> HostDescription:
        del request
        credentials = self._scope.find(Credentials)
        return HostDescription(
            version=__version__,
            home=str(self._home.root),
            pid=os.getpid(),
            platform=sys.platform,
            native=self._scope.find(NativeShell) is not None,
            sandbox=await self._sandbox(),
            default_mode=self._config.default_mode,
            credential_store=credentials.store if credentials is not None else None,
            desktop_entry=await anyio.to_thread.run_sync(desktop_entry.state),
        )

    async def _sandbox(self) -> SandboxView | None:
        sandbox = self._scope.find(Sandbox)
        if sandbox is None:
            return None
        try:
            with anyio.fail_after(PROBE_SECONDS):
                found = await sandbox.probe()
        except (DSHError, TimeoutError):
            return SandboxView(mechanism="none", level="none", gaps=[], network=True)
        return SandboxView(
            mechanism=found.mechanism,
            level=found.level,
            gaps=list(found.gaps),
            network=True,
        )

    async def pick_directory(self, request: Title) -> ChosenPath:
        shell = self._scope.get(NativeShell)
        chosen = await shell.choose_folder(request.title)
        return ChosenPath(path=str(chosen) if chosen is not None else None)

    async def list_directory(self, request: MaybePath) -> DirectoryListing:
        return await anyio.to_thread.run_sync(_listing, request.path or "~")

    async def open_path(self, request: OnePath) -> Opened:
        shell = self._scope.find(NativeShell)
        path = await anyio.to_thread.run_sync(_existing, request.path)
        if shell is None or path is None:
            return Opened(opened=False)
        return Opened(opened=await shell.open_path(path))

    async def open_url(self, request: OneUrl) -> Opened:
        shell = self._scope.find(NativeShell)
        return Opened(opened=shell is not None and await shell.open_url(request.url))

    async def install_entry(self, request: Empty) -> EntryInstalled:
        del request
        path = await anyio.to_thread.run_sync(desktop_entry.install)
        return EntryInstalled(installed=True, path=str(path))

    async def quit(self, request: Empty) -> Empty:
        del request
        self._scope.get(Stopper).stop()
        return Empty()


def _existing(path: str) -> Path | None:
    found = Path(path)
    try:
        return found if found.is_absolute() and found.exists() else None
    except (OSError, ValueError):  # out of bounds, or a NUL
        return None


def _listing(name: str) -> DirectoryListing:
    path = Path(name)
    try:
        path = path.expanduser().resolve(strict=True)
        found = sorted(
            (entry for entry in path.iterdir() if _is_folder(entry)),
            key=lambda entry: entry.name.casefold(),
        )
    except (OSError, RuntimeError, ValueError) as error:  # ~nobody, a NUL
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{path} cannot be listed: {reason}"
        raise SurfaceError(message, code="DIRECTORY_NOT_FOUND") from error
    entries = [
        DirectoryEntry(
            name=_shown(entry.name), path=str(entry), hidden=entry.name.startswith(".")
        )
        for entry in found[:LISTED]
        if _shown(entry.name) == entry.name  # a name that JSON cannot hold stays out
    ]
    return DirectoryListing(
        path=str(path),
        parent=str(path.parent) if path.parent != path else None,
        home=str(Path.home()),
        entries=entries,
        truncated=len(found) > LISTED,
    )


def _is_folder(entry: Path) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # out of bounds: it could not be chosen anyway
        return False


def _shown(name: str) -> str:
    return name.encode("utf-8", "replace").decode()


@plugin
async def host_methods(
    config: HostMethodsConfig, scope: Scope, home: Home, gateway: Gateway
) -> AsyncIterator[None]:
    """Offers the methods. What they use is looked up at each call: the page works with
    whatever has started by then.
    """
    do = _HostMethods(scope, home, config)
    with gateway.methods(
        Method("host", "describe", Empty, HostDescription, do.describe, Exposure.COOKIE),
        Method(
            "host", "pickDirectory", Title, ChosenPath, do.pick_directory, Exposure.WINDOW
        ),
        Method("host", "listDirectory", MaybePath, DirectoryListing, do.list_directory),
        Method("host", "openPath", OnePath, Opened, do.open_path),
        Method("host", "openUrl", OneUrl, Opened, do.open_url),
        Method("host", "installDesktopEntry", Empty, EntryInstalled, do.install_entry),
        Method("host", "quit", Empty, Empty, do.quit),
    ):
        yield
