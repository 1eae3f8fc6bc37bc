#!/usr/bin/env bash
# Runs clang-tidy over the C++ files, several at a time. Does nothing where the repository has no .clang-tidy.
# Usage: tidy.sh FOLDER JOBS, where FOLDER is a build folder with compile_commands.json
set -euo pipefail
folder=$1 jobs=$2
[ -e .clang-tidy ] || exit 0
[ -e "$folder/compile_commands.json" ] || cmake -S . -B "$folder" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > /dev/null
# GCC's own options are unknown to clang; they change no finding.
git ls-files 'cpp/*.cpp' 'bindings/*.cpp' |
    xargs -P "$jobs" -n 4 clang-tidy -p "$folder" --quiet --extra-arg=-Wno-unknown-warning-option
