#!/usr/bin/env bash
# Builds the kernels and their native tests with sanitizers and runs them. Usage: sanitize.sh SANITIZERS FOLDER JOBS
set -euo pipefail
sanitizers=$1 folder=$2 jobs=$3
echo "== $sanitizers"
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVAGLIO_NATIVE_TESTS=ON -DVAGLIO_SANITIZE="$sanitizers" > /dev/null
cmake --build "$folder" --parallel "$jobs"
ctest --test-dir "$folder" --output-on-failure --no-tests=error
