#!/bin/sh
# The main job on bundled data: from a household survey to a file that can be released.
set -eu
folder=${1:-demo-output}
rm -rf "$folder"
mkdir -p "$folder"

say() { printf '\n$ %s\n' "$*"; "$@"; }

say evomask example "$folder"
say evomask mask "$folder/survey.csv" --schema "$folder/survey.toml" --method mdav -k 5 --out "$folder/masked.csv"
say evomask measure "$folder/survey.csv" "$folder/masked.csv" --schema "$folder/survey.toml"
printf '\nThe masked file is %s\n' "$folder/masked.csv"
