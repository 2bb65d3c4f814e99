"""What the files in the folder of a run are called."""

PLAN, JOURNAL, FRONT = "plan.toml", "journal.jsonl", "front.parquet"
RECORD, PUBLIC_RECORD = "record.json", "record-public.json"
INTERNAL, PUBLIC = "report-internal.html", "report-public.html"
MASKED = "masked"
PARTS_PLAN = "plan.json"
LOCK = ".lock"
