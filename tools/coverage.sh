#!/usr/bin/env bash
# Measures which lines the tests reach, in Python (coverage.py) and in C++ (gcov), from one run of all tests.
# Usage: coverage.sh PYTHON FOLDER JOBS FLOOR, where FLOOR is the least percentage of C++ lines.
#
# The instrumented core is several times slower, so it lives in an environment of its own inside FOLDER. That environment
# sees the packages of .venv through a .pth file: nothing is downloaded twice.
set -euo pipefail
python=$(realpath -s "$1") folder=$2 jobs=$3 floor=$4
environment=$folder/venv core=$folder/core
mkdir -p "$folder"
"$python" -m venv --without-pip "$environment"
"$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
    > "$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth"

# Counters are updated atomically: the kernels run on several threads.
"$environment/bin/python" -m pip --disable-pip-version-check -qq install --no-build-isolation --no-deps \
    -Cbuild-dir="$core" -Ccmake.define.VAGLIO_NATIVE_TESTS=ON \
    -Ccmake.define.CMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic" -e .
find "$core" -name '*.gcda' -delete
ctest --test-dir "$core" --parallel "$jobs" --output-on-failure
"$environment/bin/python" -m pytest -q -n "$jobs" --cov --cov-report=term --cov-report=html:"$folder/python"
mkdir -p "$folder/cpp"
# A line counts as reached if one of its instances is: templates and the levels of the processor make several.
gcovr --root . --filter cpp/ --filter bindings/ --exclude '.*/test_[^/]*' --merge-lines --print-summary \
    --fail-under-line "$floor" --html-details "$folder/cpp/index.html" "$core"
echo "the reports are in $folder/python/index.html and $folder/cpp/index.html"
