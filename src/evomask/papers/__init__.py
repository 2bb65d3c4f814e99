"""The tables and figures of the source papers: paper beside ours."""
