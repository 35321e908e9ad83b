#!/usr/bin/env bash
# What fetch_mnist (tools/run/mnist_data.sh) does with good, damaged, half-written and missing files. The mirrors are
# folders; one small file stands for MNIST's four.
# shellcheck disable=SC2317  # expect calls the functions
set -euo pipefail
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
source "$ROOT/tools/run/common.sh"
source "$ROOT/tools/run/mnist_data.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DEPS=$work/deps
mkdir -p "$work/good" "$work/damaged" "$work/empty"
echo "seven" > "$work/good/labels.gz"
echo "eleven" > "$work/damaged/labels.gz"
MNIST_FILES=("labels.gz $(sha256sum < "$work/good/labels.gz" | head -c 64)")

failures=0
# expect NAME COMMAND...: the command must succeed.
expect() {
  local name=$1
  shift
  if "$@"; then
    echo "ok: $name"
  else
    echo "FAILED: $name: $*"
    failures=$((failures + 1))
  fi
}
# fetched NAME...: fetch_mnist from these mirrors succeeds and leaves the good file and no other.
fetched() {
  SYSTOLIC_MNIST_MIRRORS=$(printf "file://$work/%s " "$@")
  fetch_mnist 2> "$work/log" && cmp -s "$DEPS/mnist/labels.gz" "$work/good/labels.gz" &&
    [ "$(ls "$DEPS/mnist")" = labels.gz ]
}
# refused REASON NAME...: fetch_mnist fails, says why, and leaves no file.
refused() {
  SYSTOLIC_MNIST_MIRRORS=$(printf "file://$work/%s " "${@:2}")
  ! fetch_mnist 2> "$work/log" && [[ $MNIST_REASON == *"$1"* ]] && [ -z "$(ls "$DEPS/mnist")" ]
}

expect "a machine without network" refused "file://$work/missing/labels.gz" empty missing
expect "a mirror with another file" refused "expected ${MNIST_FILES[0]#* }" damaged
expect "the second mirror has it" fetched empty good
expect "the file that is there is taken" fetched empty
echo "half" > "$DEPS/mnist/labels.gz"
expect "a damaged file is fetched again" fetched damaged good
echo "sev" > "$DEPS/mnist/labels.gz.part" && rm "$DEPS/mnist/labels.gz"
expect "a download that was broken off starts again" fetched good
exit "$failures"
