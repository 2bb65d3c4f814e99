#!/bin/sh
# Builds sdist and wheel twice from the committed files, compares the bytes, and checks both.
# build.sh FOLDER; PYTHON is one with packaging/requirements.txt installed.
set -eu
folder=$1
python=${PYTHON:-python3}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for build in first second; do
    mkdir "$work/$build"
    git archive HEAD | tar -x -C "$work/$build"
    (cd "$work/$build" && umask 022 && "$python" -m build --outdir "$work/$build.packages" . > "$work/$build.txt" 2>&1) ||
        { tail -n 20 "$work/$build.txt"; exit 1; }
done
for package in "$work/first.packages"/*; do
    cmp "$package" "$work/second.packages/$(basename "$package")" && echo "same bytes twice: $(basename "$package")"
done
"$python" -m twine check --strict "$work/first.packages"/*
"$python" -m check_wheel_contents "$work/first.packages"/*.whl
rm -rf "$folder"
mkdir -p "$folder"
cp "$work/first.packages"/* "$folder"
