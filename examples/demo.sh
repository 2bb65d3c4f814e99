#!/bin/sh
# The main job on bundled data: from a household survey to a file that can be released.
set -eu
folder=${1:-demo-output}
rm -rf "$folder"
mkdir -p "$folder"

say() { printf '\n$ %s\n' "$*"; "$@"; }

say evomask example "$folder"
say evomask protect "$folder/survey.csv" --schema "$folder/survey.toml" --require k=5 \
    --seconds 30 --workers 2 --out "$folder/release"
printf '\nOpen %s to see what was tried and what it costs.\n' "$folder/release/report-internal.html"
