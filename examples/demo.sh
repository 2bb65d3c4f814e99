#!/bin/sh
# The main job on bundled data: from a household survey to a file that can be released.
set -eu
folder=${1:-demo-output}
rm -rf "$folder"
mkdir -p "$folder"

say() { printf '\n$ %s\n' "$*"; "$@"; }

say evomask example "$folder"
# Who may attack, with which knowledge: three scenarios are in the schema, others are proposed.
say evomask scenarios "$folder/survey.csv" --schema "$folder/survey.toml"
# All searches that apply take part; what they need is compiled the first time, or by `evomask compile`.
# Researchers under a contract get it: a risk of at most 20 %, a loss of at most 40 %. Where no point
# of so short a search is within them nothing is released, and the balanced offer is accepted here.
say evomask protect "$folder/survey.csv" --schema "$folder/survey.toml" --require k=5 \
    --release scientific --seconds 40 --workers 2 --out "$folder/release" ||
    say evomask choose "$folder/release" --accept-risk --accept-loss
printf '\nWhere to look:\n'
printf '  %-42s what was tried, what it costs, who can still find out what\n' "$folder/release/report-internal.html"
printf '  %-42s what may be told with the file\n' "$folder/release/report-public.html"
printf '  %-42s the file itself\n' "$folder/release/masked/survey.csv"
printf 'Another point of the front: evomask choose %s --max-risk register=10,colleague=30,neighbour=30\n' "$folder/release"
printf 'The same in a browser, on this machine alone: make serve (or evomask serve %s)\n' "$folder"
