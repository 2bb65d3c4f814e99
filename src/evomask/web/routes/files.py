"""Routes of data files: upload, columns, schema, hierarchies, baseline disclosure risk."""

import asyncio
import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response

from evomask.runs.store.run_summary import write_note
from evomask.web.processes import evomask_command, job_command
from evomask.web.routes.dependencies import PROBLEMS, FileId, Here, task_state
from evomask.web.schemas import (
    FileColumns,
    FileScenarios,
    FileView,
    HierarchyRequest,
    HierarchyView,
    ScenarioCount,
    ScenarioRequest,
    ScenariosRequest,
    SchemaRequest,
    TaskState,
    Uniques,
    UniquesRequest,
)
from evomask.web.server import Served
from evomask.web.workspace import DataFile

if TYPE_CHECKING:
    from evomask.runs.onboarding.schemas import HierarchyPreview

router = APIRouter(prefix="/api/files", tags=["files"], responses=PROBLEMS)
ColumnName = Annotated[str, Query(min_length=1, max_length=500, description="name of the column")]


def _view(file: DataFile) -> FileView:
    return FileView(id=file.id, name=file.name, size=file.size, brought=file.brought)


@router.get("")
async def list_files(here: Here) -> list[FileView]:
    """List uploaded files, and data files in the folder itself."""
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
async def upload_file(
    request: Request,
    here: Here,
    name: Annotated[str, Query(min_length=1, max_length=500, description="name of the file")],
) -> FileView:
    """Upload a file: its bytes are the body; it is stored under an opaque id."""
    return _view(await here.workspace.add_upload(name, request.stream()))


@router.post("/survey", status_code=201)
async def add_survey(here: Here) -> FileView:
    """Add the bundled synthetic survey."""
    return _view(await asyncio.to_thread(here.workspace.add_survey))


@router.get("/{file_id}")
async def show_file(here: Here, file_id: FileId) -> FileView:
    """Show name, size and time of upload of a file."""
    return _view(here.workspace.find(file_id))


@router.delete("/{file_id}", status_code=204)
async def remove_file(here: Here, file_id: FileId) -> None:
    """Delete an uploaded file with its schema; its runs are not deleted."""
    here.workspace.remove(here.workspace.find(file_id))


@router.get("/{file_id}/columns")
async def show_columns(here: Here, file_id: FileId) -> FileColumns:
    """Show role, kind and distribution of each column; small groups of values are merged."""
    return await asyncio.to_thread(_columns, here, file_id)


def _columns(here: Served, file_id: str) -> FileColumns:
    file = here.workspace.find(file_id)
    overview = here.workspace.overview(file)
    return FileColumns.model_validate(
        {
            "id": file.id,
            "name": file.name,
            "records": len(overview.table),
            "columns": [asdict(column) for column in overview.columns],
            "edits": overview.edits,
            "notes": overview.notes,
            "can_undo": here.workspace.schema(file).can_undo(),
        }
    )


@router.put("/{file_id}/schema")
async def change_schema(here: Here, file_id: FileId, body: SchemaRequest) -> FileColumns:
    """Change roles, kinds and edit rules; refused if the records contradict them."""

    def change() -> FileColumns:
        from evomask.runs.onboarding.schemas import ColumnRole

        columns = [ColumnRole(c.name, c.kind, c.role) for c in body.columns]
        known = {column.name for column in _columns(here, file_id).columns}
        schema = here.workspace.schema(here.workspace.find(file_id))
        schema.change([column for column in columns if column.name in known], body.edits)
        return _columns(here, file_id)

    return await asyncio.to_thread(change)


@router.post("/{file_id}/schema/undo")
async def undo_schema(here: Here, file_id: FileId) -> FileColumns:
    """Undo the last change of the schema, if there is one."""

    def undo() -> FileColumns:
        here.workspace.schema(here.workspace.find(file_id)).undo()
        return _columns(here, file_id)

    return await asyncio.to_thread(undo)


@router.get("/{file_id}/schema", response_class=Response)
async def download_schema(here: Here, file_id: FileId) -> Response:
    """Download the schema file for the command line."""
    file = here.workspace.find(file_id)
    schema = await asyncio.to_thread(here.workspace.schema, file)
    return FileResponse(schema.path, media_type="application/toml", filename="schema.toml")


@router.post("/{file_id}/uniques")
async def count_uniques(here: Here, file_id: FileId, body: UniquesRequest) -> Uniques:
    """Count sample uniques on some columns, and those that each column causes."""

    def count() -> Uniques:
        overview = here.workspace.overview(here.workspace.find(file_id))
        return Uniques(**asdict(overview.uniqueness(list(dict.fromkeys(body.columns)))))

    return await asyncio.to_thread(count)


@router.get("/{file_id}/scenarios")
async def show_scenarios(here: Here, file_id: FileId) -> FileScenarios:
    """Show the scenarios of a file and proposals, with the sample uniques of each."""
    return await asyncio.to_thread(_scenarios, here, file_id)


def _scenarios(here: Served, file_id: str) -> FileScenarios:
    from evomask.runs.onboarding.scenarios import table_scenarios

    file = here.workspace.find(file_id)
    table = here.workspace.overview(file).table
    found = table_scenarios(table, table.schema.scenarios)
    return FileScenarios.model_validate(
        {
            "scenarios": [{**one.as_json(), "intruder": one.intruder} for one in found.scenarios],
            "columns": [
                {"name": name, "kind": table.attribute(name).kind.value}
                for name in table.schema.quasi_identifiers
            ],
            "known_to_nobody": found.unknown,
            "can_undo": here.workspace.schema(file).can_undo(),
        }
    )


@router.put("/{file_id}/scenarios")
async def change_scenarios(here: Here, file_id: FileId, body: ScenariosRequest) -> FileScenarios:
    """Replace the scenarios of a file; refused if the columns contradict them."""

    def change() -> FileScenarios:
        from evomask.runs.onboarding.scenarios import scenario_from

        wanted = [scenario_from(one.model_dump()) for one in body.scenarios]
        here.workspace.schema(here.workspace.find(file_id)).change_scenarios(wanted)
        return _scenarios(here, file_id)

    return await asyncio.to_thread(change)


@router.post("/{file_id}/scenarios/uniques")
async def count_scenario(here: Here, file_id: FileId, body: ScenarioRequest) -> ScenarioCount:
    """Count the sample uniques of a scenario, without saving it."""

    def count() -> ScenarioCount:
        from evomask.runs.onboarding.scenarios import preview_scenario, scenario_from

        table = here.workspace.overview(here.workspace.find(file_id)).table
        found = preview_scenario(table, scenario_from(body.model_dump()))
        return ScenarioCount.model_validate({**found.as_json(), "intruder": found.intruder})

    return await asyncio.to_thread(count)


@router.get("/{file_id}/tree")
async def show_tree(here: Here, file_id: FileId, column: ColumnName) -> HierarchyView:
    """Show the hierarchy of a column."""
    schema = here.workspace.schema(here.workspace.find(file_id))
    return _tree(await asyncio.to_thread(schema.tree_now, column))


@router.post("/{file_id}/tree")
async def make_tree(
    here: Here, file_id: FileId, column: ColumnName, body: HierarchyRequest
) -> HierarchyView:
    """Build a hierarchy by a rule or from text, check it, and save it if *keep* is true."""

    def make() -> "HierarchyPreview":
        schema = here.workspace.schema(here.workspace.find(file_id))
        is_text = bool(body.text.strip())
        tree = schema.tree_of_text(column, body.text) if is_text else schema.tree(column, body.by)
        if body.keep:
            schema.keep_tree(column, tree)
        return tree

    return _tree(await asyncio.to_thread(make))


@router.get("/{file_id}/tree/download", response_class=Response)
async def download_tree(here: Here, file_id: FileId, column: ColumnName) -> Response:
    """Download the hierarchy of a column in the format of ARX."""
    schema = here.workspace.schema(here.workspace.find(file_id))
    tree = await asyncio.to_thread(schema.tree_now, column)
    headers = {"content-disposition": 'attachment; filename="hierarchy.csv"'}
    return Response(tree.text, media_type="text/csv; charset=utf-8", headers=headers)


def _tree(tree: "HierarchyPreview") -> HierarchyView:
    return HierarchyView(levels=list(tree.levels), lines=[list(line) for line in tree.lines])


@router.get("/{file_id}/risk")
async def show_risk(here: Here, file_id: FileId) -> TaskState:
    """Show the disclosure risk of the file itself, if it was computed for the current schema."""
    return _state(here, here.workspace.find(file_id), "risk")


@router.post("/{file_id}/risk")
async def find_risk(here: Here, file_id: FileId, attack: bool = False) -> TaskState:
    """Compute the disclosure risk of the file itself; with attacks it takes longer."""
    file = here.workspace.find(file_id)
    schema = (await asyncio.to_thread(here.workspace.schema, file)).path
    attacked = ("--original", file.path) if attack else ()
    words = evomask_command("audit", file.path, *attacked, "--schema", schema, "--json", "--quiet")
    return _begin(here, file, "risk", words)


@router.get("/{file_id}/outlook")
async def show_outlook(here: Here, file_id: FileId) -> TaskState:
    """Show the time per candidate and the searches that apply, if they were computed."""
    return _state(here, here.workspace.find(file_id), "outlook")


@router.post("/{file_id}/outlook")
async def find_outlook(here: Here, file_id: FileId) -> TaskState:
    """Measure the time per candidate, and list the searches that apply."""
    file = here.workspace.find(file_id)
    schema = (await asyncio.to_thread(here.workspace.schema, file)).path
    return _begin(here, file, "outlook", job_command("outlook", file.path, schema))


def _cache_path(here: Served, file: DataFile, what: str) -> FilePath:
    """Return the path of a cached result for a file and its current schema."""
    schema = here.workspace.folder_of(file) / "schema.toml"
    mark = sha256(schema.read_bytes() if schema.exists() else b"").hexdigest()[:16]
    return here.workspace.folder_of(file) / f"{what}-{mark}.json"


def _state(here: Served, file: DataFile, what: str) -> TaskState:
    path = _cache_path(here, file, what)
    task = task_state(here.commands, str(path))
    if task.state in ("working", "failed") or not path.exists():
        return task
    return TaskState(state="done", result=json.loads(path.read_bytes()))


def _begin(here: Served, file: DataFile, what: str, words: list[str]) -> TaskState:
    path = _cache_path(here, file, what)

    async def work() -> dict[str, Any]:
        answer = await here.commands.answer(words)
        write_note(path, json.dumps(answer))
        return answer

    here.commands.begin(str(path), work)
    return _state(here, file, what)
