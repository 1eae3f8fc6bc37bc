#!/usr/bin/env bash
# Names every missing system tool, and how to install it, before anything is built. Usage: check_system.sh PYTHON
set -u
python=$1
missing=()

if ! command -v "$python" > /dev/null; then
    echo "vaglio needs Python 3.11 or later: no '$python' found." >&2
    missing+=(python3 python3-venv)
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "vaglio needs Python 3.11 or later, and '$python' is $("$python" -V 2>&1)." >&2
    echo "Name a newer one: make PYTHON=python3.12 ..." >&2
    exit 1
else
    if ! "$python" -c 'import venv, ensurepip' 2> /dev/null; then
        echo "vaglio needs Python's venv module." >&2
        missing+=(python3-venv)
    fi
    if ! "$python" -c 'import os, sys, sysconfig; p = sysconfig.get_path("include"); sys.exit(not os.path.exists(os.path.join(p, "Python.h")))'; then
        echo "vaglio needs the header files of Python to compile its core." >&2
        missing+=(python3-dev)
    fi
fi
if ! command -v "${CXX:-c++}" > /dev/null && ! command -v g++ > /dev/null; then
    echo "vaglio needs a C++20 compiler." >&2
    missing+=(g++)
fi
if [ ${#missing[@]} -gt 0 ]; then
    echo "On Debian or Ubuntu: apt install ${missing[*]}" >&2
    exit 1
fi
