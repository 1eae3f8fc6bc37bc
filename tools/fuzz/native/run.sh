#!/usr/bin/env bash
# Builds the fuzzers of the kernels (libFuzzer, AddressSanitizer, UBSan) and runs each for some time.
# Usage: run.sh FOLDER JOBS SECONDS SEED [NAME...]. Findings and what was learned about inputs stay in FOLDER.
set -euo pipefail
folder=$1 jobs=$2 seconds=$3 seed=$4
shift 4
compiler=${CXX_FUZZ:-clang++}
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' > "$probe/probe.cpp"
if ! "$compiler" -fsanitize=fuzzer,address,undefined "$probe/probe.cpp" -o "$probe/probe" 2> /dev/null; then
    echo "native fuzzers: skipped, because $compiler has no libFuzzer"
    exit 0
fi
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" -DVAGLIO_FUZZ=ON \
    -DVAGLIO_SANITIZE=address,undefined > "$folder.log" || { cat "$folder.log"; exit 1; }
cmake --build "$folder" --parallel "$jobs" > "$folder.log" || { cat "$folder.log"; exit 1; }
failed=0
for source in tools/fuzz/native/fuzz_*.cpp; do
    name=$(basename "$source" .cpp)
    [[ $# -eq 0 || " $* " == *" ${name#fuzz_} "* ]] || continue
    mkdir -p "$folder/corpus/$name"
    # Seconds and megabytes of one input are as in tools/fuzz/workers.py.
    if "$folder/$name" -seed="$seed" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=2048 \
        -print_final_stats=1 -artifact_prefix="$folder/$name-" "$folder/corpus/$name" > "$folder/$name.log" 2>&1; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log") inputs, nothing found"
    else
        failed=1
        echo "$name: a finding; see $folder/$name.log"
        grep -m 5 -E "ERROR|runtime error|does not hold|SUMMARY" "$folder/$name.log" || tail -n 5 "$folder/$name.log"
    fi
done
exit $failed
