# shellcheck shell=bash
# ./run systolic ARGUMENT...: `compile` and `plan` get the TPU's compiler first.
verb_systolic() {
  build release systolic_tool
  case ${1:-} in
    compile | plan) fetch_libtpu || say "no libtpu.so: $LIBTPU_REASON" ;;
  esac
  use_libtpu
  run_program "$RELEASE/bin/systolic" "$@"
}
