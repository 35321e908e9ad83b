# shellcheck shell=bash
# ./run systolic ARGUMENT...: `compile` gets the TPU's compiler first.
verb_systolic() {
  build release systolic_tool
  if [ "${1:-}" = compile ] && ! fetch_libtpu; then
    say "no libtpu.so: $LIBTPU_REASON"
  fi
  use_libtpu
  run_program "$RELEASE/bin/systolic" "$@"
}
