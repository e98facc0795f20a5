"""Any edit of any text: only the match changes, in every encoding and line ending."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh.seams.fs import FsEdit, FsError
from dsh_plugins.fs_local.editing import edited
from dsh_plugins.fs_local.encoding import BOMS, decoded

ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
ALPHABETS = {
    "utf-8": st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    "utf-16-le": st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    "gbk": st.sampled_from("abcdefg 中文读写配置错误。返回"),
    "shift_jis": st.sampled_from("abcdefg あいうえおカタカナ日本語。"),
    "latin-1": st.sampled_from("abcdefg éàüñß"),
}


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    codec = draw(st.sampled_from(sorted(ALPHABETS)))
    lines = st.lists(st.text(ALPHABETS[codec], max_size=12), max_size=8)
    text = draw(ENDINGS).join(draw(lines))
    bom = next((bom for bom, name in BOMS if name == codec and codec != "utf-8"), b"")
    return bom + text.encode(codec)


@settings(max_examples=400, deadline=None)
@given(documents(), st.data())
def test_an_edit_never_changes_a_byte_outside_its_match(
    content: bytes, data: st.DataObject
) -> None:
    try:
        text = decoded(content, "file")
    except FsError:
        return  # refused is fine; damaged is not
    raw, codec = text.raw, text.encoding.codec
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 10)))
    start, end = (n - (raw[max(0, n - 1) : n + 1] == "\r\n") for n in (start, end))
    new = data.draw(st.text("xyz\n", max_size=6))
    change = FsEdit(raw[start:end], new, replace_all=False)
    try:
        result, after = edited(content, text, change, "file")
    except FsError as error:
        assert error.code in {"FS_AMBIGUOUS_EDIT", "FS_EDIT_NOT_FOUND"}
        return
    head = text.encoding.bom + raw[:start].encode(codec)
    tail = raw[end:].encode(codec)
    assert result.startswith(head)
    assert result.endswith(tail)
    inserted = result[len(head) : len(result) - len(tail)].decode(codec)
    assert inserted in {new.replace("\n", ending) for ending in ("\n", "\r\n", "\r")}
    assert after == raw[:start] + inserted + raw[end:]
