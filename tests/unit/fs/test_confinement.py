"""What a policy lets the file tools see and change, whatever the path looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.seams.fs import FsTarget
from dsh_plugins.fs_local.provider import ConfinedFileSystem
from unit.fs.conftest import Rooms
from unit.fs.steps import digest, edit, read, refused, write

pytestmark = pytest.mark.anyio


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_the_workspace_and_the_own_temp_may_be_changed(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    await write(confined, rooms.workspace / "a/b.txt", "1\n")
    await write(confined, rooms.temp / "c.txt", "2\n")
    await edit(confined, rooms.workspace / "a/b.txt", "1", "3")
    assert (rooms.workspace / "a/b.txt").read_text() == "3\n"


async def test_everything_else_may_only_be_read(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    secret = rooms.outside / "secret.txt"
    assert await read(confined, secret) == "outside\n"
    with refused("FS_SANDBOX_DENIED", secret):
        await write(confined, secret, "x")
    with refused("FS_SANDBOX_DENIED", secret):
        await edit(confined, secret, "outside", "x")
    with refused("FS_SANDBOX_DENIED"):
        await write(confined, rooms.outside / "new/file", "x")
    assert names(rooms.outside) == ["secret.txt"]


async def test_read_only_mode_leaves_only_the_temp(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    policy = rooms.policy("read-only")
    file = rooms.workspace / "file"
    file.write_text("old\n")
    with refused("FS_SANDBOX_DENIED", file):
        await write(confined, file, "x", policy)
    await write(confined, rooms.temp / "note", "x", policy)


async def test_full_access_is_not_confined(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    policy = rooms.policy("danger-full-access")
    await write(confined, rooms.outside / "secret.txt", "changed\n", policy)
    assert (rooms.outside / "secret.txt").read_text() == "changed\n"


async def test_the_programs_own_data_is_neither_read_nor_listed(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    credentials = rooms.hidden / "credentials.yaml"
    link = rooms.workspace / "link"
    link.symlink_to(credentials)
    (rooms.workspace / "folder").symlink_to(rooms.hidden)
    for path in (
        credentials,
        link,
        rooms.workspace / "folder/credentials.yaml",
        rooms.hidden / "no-such-file",
        rooms.workspace / "../home/desktop/credentials.yaml",
    ):
        with refused("FS_SANDBOX_DENIED", credentials) as caught:
            await read(confined, path)
        assert "key" not in str(caught.value)
        with refused("FS_SANDBOX_DENIED", credentials):
            await write(confined, path, "x")
    with refused("FS_SANDBOX_DENIED"):
        await confined.list_dir(await confined.resolve(str(rooms.hidden)))
    listed = await confined.list_dir(await confined.resolve(str(rooms.home)))
    assert [entry.name for entry in listed] == ["AGENTS.md"]
    stream = confined.stream_text(await confined.resolve(str(credentials)))
    with refused("FS_SANDBOX_DENIED"):
        await anext(stream)


async def test_the_rest_of_the_home_stays_as_it_is_even_inside_the_workspace(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    policy = rooms.policy(workspace=rooms.root)  # contains the home
    agents = rooms.home / "AGENTS.md"
    assert await read(confined, agents, policy) == "home\n"
    with refused("FS_SANDBOX_DENIED", agents):
        await edit(confined, agents, "home", "x", policy=policy)
    with refused("FS_SANDBOX_DENIED"):
        await write(confined, rooms.home / "plugins/evil/plugin.toml", "x", policy)
    await write(confined, rooms.outside / "secret.txt", "fine\n", policy)


async def test_a_hidden_folder_that_does_not_exist_yet_cannot_be_made(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    (rooms.hidden / "credentials.yaml").unlink()
    rooms.hidden.rmdir()
    policy = rooms.policy(workspace=rooms.root)
    with refused("FS_SANDBOX_DENIED"):
        await write(confined, rooms.hidden / "settings.yaml", "x", policy)
    assert not rooms.hidden.exists()


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "sub/../../outside/secret.txt",
        "./../outside/./secret.txt",
        "{root}/outside/secret.txt",
        "//{root}/outside/secret.txt",
        "{root}/ws-evil/file",
        "../ws-evil/file",
        "link/secret.txt",
        "link-to-file",
        "link/new.txt",
        "link/../outside/secret.txt",
        "new/../../outside/secret.txt",
        "dangling",
    ],
)
async def test_no_spelling_of_a_path_leads_out(
    confined: ConfinedFileSystem, rooms: Rooms, path: str
) -> None:
    secret = rooms.outside / "secret.txt"
    (rooms.root / "ws-evil").mkdir()
    (rooms.workspace / "sub").mkdir()
    (rooms.workspace / "link").symlink_to(rooms.outside)
    (rooms.workspace / "link-to-file").symlink_to(secret)
    (rooms.workspace / "dangling").symlink_to(rooms.outside / "later")
    target = await confined.resolve(path.format(root=rooms.root), rooms.workspace)
    with refused("FS_SANDBOX_DENIED", secret):
        await confined.write_text(target, "x")
    assert names(rooms.outside) == ["secret.txt"]
    assert names(rooms.root / "ws-evil") == []


@pytest.mark.parametrize(
    "path",
    [
        "%2e%2e%2foutside%2fsecret.txt",
        "..\\outside\\secret.txt",
        "..%5coutside",
        "secret.txt ",
    ],
)
async def test_encoded_dots_are_only_letters(
    confined: ConfinedFileSystem, rooms: Rooms, path: str
) -> None:
    target = await confined.resolve(path, rooms.workspace)
    with refused("FS_NOT_FOUND"):
        await confined.read_text(target)
    assert Path(target.key).parent == rooms.workspace


async def test_a_folder_swapped_for_a_link_after_the_look_leads_nowhere(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    (rooms.workspace / "sub").mkdir()
    (rooms.workspace / "sub/secret.txt").write_text("inside\n")
    target = await confined.resolve("sub/secret.txt", rooms.workspace)
    (rooms.workspace / "sub").rename(rooms.workspace / "moved")
    (rooms.workspace / "sub").symlink_to(rooms.outside)
    with refused("FS_SANDBOX_DENIED", rooms.outside / "secret.txt"):
        await confined.write_text(target, "x")
    (rooms.workspace / "sub").unlink()
    (rooms.workspace / "sub").symlink_to(rooms.hidden)
    forged = FsTarget(str(rooms.workspace / "sub/credentials.yaml"), "sub/x")
    with refused("FS_SANDBOX_DENIED"):
        await confined.read_text(forged)


async def test_a_file_swapped_for_a_link_after_the_look_is_not_followed(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    file = rooms.workspace / "file"
    file.write_text("inside\n")
    target = await confined.resolve(str(file))
    file.unlink()
    file.symlink_to(rooms.outside / "secret.txt")
    before = digest(rooms.outside / "secret.txt")
    with refused("FS_NOT_REGULAR_FILE"):
        await confined.write_text(target, "x")
    with refused("FS_NOT_REGULAR_FILE"):
        await confined.read_text(target)
    assert digest(rooms.outside / "secret.txt") == before


async def test_running_programs_are_not_looked_into(
    confined: ConfinedFileSystem, rooms: Rooms
) -> None:
    (rooms.workspace / "link").symlink_to("/proc/self")
    for path in ("/proc/self/environ", "/proc/1/environ", "link/environ", "/proc/self"):
        target = await confined.resolve(path, rooms.workspace)
        with refused("FS_SANDBOX_DENIED"):
            await confined.read_text(target)
    assert "processor" in await read(confined, "/proc/cpuinfo")
