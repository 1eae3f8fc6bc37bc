#!/usr/bin/env bash
# Runs the Python tests that exercise the kernels with a core under AddressSanitizer and UBSan.
# Usage: sanitize_python.sh PYTHON FOLDER JOBS [PYTEST ARGUMENT...]
#
# FOLDER is that of the native tests under the same sanitizers: kernels are compiled once for both. As in coverage.sh the
# instrumented core lives in an environment of its own, which sees the packages of .venv through a .pth file.
set -euo pipefail
python=$(realpath -s "$1") folder=$2 jobs=$3
shift 3
environment=$folder-venv
"$python" -m venv --without-pip "$environment"
"$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
    > "$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth"
CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$environment/bin/python" -m pip --disable-pip-version-check -qq install \
    --no-build-isolation --no-deps -Cbuild-dir="$folder" -Ccmake.define.VAGLIO_SANITIZE=address,undefined -e .

# The runtime of AddressSanitizer must come first; libstdc++ beside it, or it does not see exceptions being thrown.
# Python's own allocator would hide what is written beyond a small array; Python frees little at its end.
compiler=${CXX:-c++}
export LD_PRELOAD="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so.6)"
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc
"$environment/bin/python" -m pytest -q -n "$jobs" -p no:cacheprovider -m "not slow and not browser" "$@"
