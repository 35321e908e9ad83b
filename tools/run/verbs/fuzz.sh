# shellcheck shell=bash
# ./run fuzz TARGET [SECONDS]: mutates the target's corpus under AddressSanitizer and UndefinedBehaviorSanitizer. What
# it finds lies in build/fuzz/found/TARGET-*; mended, it becomes tests/fuzz/corpus/TARGET/found_WHAT.
verb_fuzz() {
  local target=${1:-} seconds=${2:-600} corpus dictionary=()
  case $seconds in
    '' | *[!0-9]*) die 2 "fuzz: '$seconds' are no seconds." "./run fuzz $target 600" ;;
  esac
  if [ -z "$target" ] || [ ! -d "tests/fuzz/corpus/$target" ]; then
    die 2 "fuzz: there is no target '$target'." "targets: $(find tests/fuzz/corpus -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs)"
  fi
  need_sanitizers
  build fuzz "fuzz_$target"
  corpus=$BUILD/fuzz/corpus/$target # what it learns is kept here, between runs
  mkdir -p "$corpus" "$BUILD/fuzz/found"
  case $target in
    text | program) dictionary=(-dict=tests/fuzz/stablehlo.dict) ;;
    tokenizer | config | keras | saved_model) dictionary=(-dict=tests/fuzz/models.dict) ;;
    template) dictionary=(-dict=tests/fuzz/templates.dict) ;;
    example | tfrecord | numpy | image | path | table | answer) dictionary=(-dict=tests/fuzz/data.dict) ;;
  esac
  exec nice -n 10 "$BUILD/fuzz/bin/fuzz_$target" "$corpus" "tests/fuzz/corpus/$target" "${dictionary[@]}" \
    -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=8192 -print_final_stats=1 \
    -artifact_prefix="$BUILD/fuzz/found/$target-"
}
