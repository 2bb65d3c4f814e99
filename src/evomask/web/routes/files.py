"""Files: brought, looked at, described; value trees; what they give away as they are."""

import asyncio
import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response

from evomask.runs.kept.glance import keep_note
from evomask.web.answers import (
    FileColumns,
    FileView,
    SchemaWish,
    Tree,
    TreeWish,
    Uniques,
    UniquesWish,
    Work,
)
from evomask.web.commands import words_of, work_of
from evomask.web.routes import served as parts
from evomask.web.routes.served import PROBLEMS, FileId, Here
from evomask.web.state import Served
from evomask.web.workspace import DataFile

if TYPE_CHECKING:
    from evomask.runs.beginning.schemas import TreeShown

router = APIRouter(prefix="/api/files", tags=["files"], responses=PROBLEMS)
ColumnName = Annotated[str, Query(min_length=1, max_length=500, description="the column's name")]


def _view(file: DataFile) -> FileView:
    return FileView(id=file.id, name=file.name, size=file.size, brought=file.brought)


@router.get("")
async def list_files(here: Here) -> list[FileView]:
    """Files that were brought, and data files that lie in the folder."""
    return [_view(file) for file in here.workspace]


@router.post(
    "",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        }
    },
)
async def bring_file(
    request: Request,
    here: Here,
    name: Annotated[str, Query(min_length=1, max_length=500, description="what to call it")],
) -> FileView:
    """Bring a file: its bytes are the body, kept piece by piece under an opaque number."""
    return _view(await here.workspace.bring(name, request.stream()))


@router.post("/survey", status_code=201)
async def bring_survey(here: Here) -> FileView:
    """The bundled survey, to try things with: every person in it is invented."""
    return _view(await asyncio.to_thread(here.workspace.bring_survey))


@router.get("/{file_id}")
async def show_file(here: Here, file_id: FileId) -> FileView:
    """One file: its name, its size, when it was brought."""
    return _view(here.workspace.find(file_id))


@router.delete("/{file_id}", status_code=204)
async def remove_file(here: Here, file_id: FileId) -> None:
    """Remove a file that was brought, with its schema; runs of it stay."""
    here.workspace.remove(here.workspace.find(file_id))


@router.get("/{file_id}/columns")
async def show_columns(here: Here, file_id: FileId) -> FileColumns:
    """What each column is, with reasons; shares of groups of values that are large enough."""
    return await asyncio.to_thread(_columns, here, file_id)


def _columns(here: Served, file_id: str) -> FileColumns:
    file = here.workspace.find(file_id)
    looked = here.workspace.look(file)
    return FileColumns.model_validate(
        {
            "id": file.id,
            "name": file.name,
            "records": len(looked.table),
            "columns": [asdict(column) for column in looked.columns],
            "edits": looked.edits,
            "notes": looked.notes,
            "can_undo": here.workspace.schema(file).can_undo(),
        }
    )


@router.put("/{file_id}/schema")
async def change_schema(here: Here, file_id: FileId, wish: SchemaWish) -> FileColumns:
    """Say what columns are, and which rules hold; refused where the records say otherwise."""

    def change() -> FileColumns:
        from evomask.runs.beginning.schemas import Described

        columns = [Described(c.name, c.kind, c.role) for c in wish.columns]
        known = {column.name for column in _columns(here, file_id).columns}
        kept = here.workspace.schema(here.workspace.find(file_id))
        kept.change([column for column in columns if column.name in known], wish.edits)
        return _columns(here, file_id)

    return await asyncio.to_thread(change)


@router.post("/{file_id}/schema/undo")
async def undo_schema(here: Here, file_id: FileId) -> FileColumns:
    """Go back by one change; nothing happens where there was none."""

    def undo() -> FileColumns:
        here.workspace.schema(here.workspace.find(file_id)).undo()
        return _columns(here, file_id)

    return await asyncio.to_thread(undo)


@router.get("/{file_id}/schema", response_class=Response)
async def download_schema(here: Here, file_id: FileId) -> Response:
    """The schema as the command line reads it."""
    file = here.workspace.find(file_id)
    kept = await asyncio.to_thread(here.workspace.schema, file)
    return FileResponse(kept.path, media_type="application/toml", filename="schema.toml")


@router.post("/{file_id}/uniques")
async def count_uniques(here: Here, file_id: FileId, wish: UniquesWish) -> Uniques:
    """How many records stand out by some columns, and what each of them adds."""

    def count() -> Uniques:
        looked = here.workspace.look(here.workspace.find(file_id))
        return Uniques(**asdict(looked.uniqueness(list(dict.fromkeys(wish.columns)))))

    return await asyncio.to_thread(count)


@router.get("/{file_id}/tree")
async def show_tree(here: Here, file_id: FileId, column: ColumnName) -> Tree:
    """The value tree that the schema names for a column."""
    kept = here.workspace.schema(here.workspace.find(file_id))
    return _tree(await asyncio.to_thread(kept.tree_now, column))


@router.post("/{file_id}/tree")
async def make_tree(here: Here, file_id: FileId, column: ColumnName, wish: TreeWish) -> Tree:
    """A value tree by a rule or of one's own: to look at, or to keep; checked to be complete."""

    def make() -> "TreeShown":
        kept = here.workspace.schema(here.workspace.find(file_id))
        own = bool(wish.text.strip())
        tree = kept.tree_of_text(column, wish.text) if own else kept.tree(column, wish.by)
        if wish.keep:
            kept.keep_tree(column, tree)
        return tree

    return _tree(await asyncio.to_thread(make))


@router.get("/{file_id}/tree/download", response_class=Response)
async def download_tree(here: Here, file_id: FileId, column: ColumnName) -> Response:
    """The value tree of a column as ARX reads it."""
    kept = here.workspace.schema(here.workspace.find(file_id))
    tree = await asyncio.to_thread(kept.tree_now, column)
    headers = {"content-disposition": 'attachment; filename="hierarchy.csv"'}
    return Response(tree.text, media_type="text/csv; charset=utf-8", headers=headers)


def _tree(tree: "TreeShown") -> Tree:
    return Tree(levels=list(tree.levels), lines=[list(line) for line in tree.lines])


@router.get("/{file_id}/risk")
async def show_risk(here: Here, file_id: FileId) -> Work:
    """What the file gives away as it is, if that was found out for its present schema."""
    return _found(here, here.workspace.find(file_id), "risk")


@router.post("/{file_id}/risk")
async def find_risk(here: Here, file_id: FileId, attack: bool = False) -> Work:
    """Find out what the file gives away as it is; with attacks it takes longer."""
    file = here.workspace.find(file_id)
    schema = (await asyncio.to_thread(here.workspace.schema, file)).path
    attacked = ("--original", file.path) if attack else ()
    words = words_of("audit", file.path, *attacked, "--schema", schema, "--json", "--quiet")
    return _begin(here, file, "risk", words)


@router.get("/{file_id}/outlook")
async def show_outlook(here: Here, file_id: FileId) -> Work:
    """How long one masked file takes here, and which searches apply, if that was found out."""
    return _found(here, here.workspace.find(file_id), "outlook")


@router.post("/{file_id}/outlook")
async def find_outlook(here: Here, file_id: FileId) -> Work:
    """Find out how long one masked file takes, and which searches apply."""
    file = here.workspace.find(file_id)
    schema = (await asyncio.to_thread(here.workspace.schema, file)).path
    return _begin(here, file, "outlook", work_of("outlook", file.path, schema))


def _kept_place(here: Served, file: DataFile, what: str) -> FilePath:
    """Where a finding about a file under its present schema is kept."""
    schema = here.workspace.home(file) / "schema.toml"
    mark = sha256(schema.read_bytes() if schema.exists() else b"").hexdigest()[:16]
    return here.workspace.home(file) / f"{what}-{mark}.json"


def _found(here: Served, file: DataFile, what: str) -> Work:
    place = _kept_place(here, file, what)
    begun = parts.work_of(here.commands, str(place))
    if begun.state in ("working", "failed") or not place.exists():
        return begun
    return Work(state="done", result=json.loads(place.read_bytes()))


def _begin(here: Served, file: DataFile, what: str, words: list[str]) -> Work:
    place = _kept_place(here, file, what)

    async def work() -> dict[str, Any]:
        answer = await here.commands.answer(words)
        keep_note(place, json.dumps(answer))
        return answer

    here.commands.begin(str(place), work)
    return _found(here, file, what)
