# shellcheck shell=bash
verb_systolic() {
  build release systolic_tool
  run_program "$RELEASE/bin/systolic" "$@"
}
