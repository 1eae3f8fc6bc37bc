#!/usr/bin/env bash
# Builds the wheel and uses it as a user would: in an empty venv, in a folder outside the repository.
# Usage: wheel.sh PYTHON
set -euo pipefail
python=$(realpath -s "$1")
rm -rf dist
"$python" -m build --outdir dist . > build/wheel.log 2>&1 || { tail -40 build/wheel.log >&2; exit 1; }
wheel=$(realpath dist/*.whl)
echo "built ${wheel##*/} ($(du -k "$wheel" | cut -f1) kB)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check -qq install "$wheel"
cd "$folder"
PATH="$folder/venv/bin:$PATH"
vaglio --version
case ${wheel##*/} in
    vaglio-"$(vaglio --version | cut -d' ' -f2)"-*) ;;
    *) echo "the program does not say the version of its wheel" >&2; exit 1 ;;
esac
vaglio datasets penguins --out penguins.csv
vaglio train penguins.csv --target species --folds 10 --out penguins.vaglio
vaglio rules penguins.vaglio
vaglio predict penguins.vaglio penguins.csv --out predictions.csv
vaglio report penguins.csv --target species --learner c45 --out report.html
grep -q '</html>' report.html
test "$(wc -l < predictions.csv)" = "$(wc -l < penguins.csv)"
echo "the wheel works in an empty venv"
