#!/usr/bin/env bash
# Runs clang-tidy over the kernels, several files at a time. Does nothing where the repository has no .clang-tidy.
# Bindings are left out, because nanobind passes objects by value, which clang-tidy reports; so are native tests.
# Usage: tidy.sh FOLDER JOBS, where FOLDER is a build folder with compile_commands.json
set -euo pipefail
folder=$1 jobs=$2
[ -e .clang-tidy ] || exit 0
[ -e "$folder/compile_commands.json" ] || cmake -S . -B "$folder" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > /dev/null
# GCC's own options are unknown to clang; they change no finding. Findings are printed at the end, without the lines that
# tell which file is being read.
git ls-files 'cpp/*.cpp' | grep -v '/test_' |
    xargs -P "$jobs" -n 4 clang-tidy -p "$folder" --quiet --extra-arg=-Wno-unknown-warning-option \
        > "$folder/tidy.log" 2>&1 || { grep -v '^\[[0-9]*/[0-9]*\]' "$folder/tidy.log"; exit 1; }
