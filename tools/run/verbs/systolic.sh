# shellcheck shell=bash
verb_systolic() {
  [ -e tools/CMakeLists.txt ] || die 2 "this version has no command-line tool yet." "./run help lists what there is"
  build release systolic
  run_program "$RELEASE/bin/systolic" "$@"
}
