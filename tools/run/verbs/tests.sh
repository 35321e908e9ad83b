# shellcheck shell=bash
# ./run tests: everything is built, then ctest runs the unit tests, the examples and the outside project.
# The TPU's own compiler is fetched for the tests that use it (SYSTOLIC_LIBTPU names another, `none` skips them), and so
# are JAX and Flax (SYSTOLIC_JAX_PYTHON names a Python that has them, `none` skips the tests), and the tokenizers package
# (SYSTOLIC_TOKENIZERS_PYTHON likewise).
# --asan: the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer; --tsan: those of the folders that start
# threads (SYSTOLIC_THREADS_FOLDERS in cmake/systolic_targets.cmake) under ThreadSanitizer; --tsan-all: those of the folders
# that use such threads, too.
# --aarch64: the unit tests of the lowest folders, cross-compiled for 64-bit ARM, under qemu.
# Each commit runs a share of what takes long (tools/run/rotation.sh); --all, and whoever tells ctest what to run, gets all.
source tools/run/aarch64.sh

verb_tests() {
  local stage=release
  while :; do
    case ${1:-} in
      --all) leave_nothing ;;
      --asan | --tsan) stage=${1#--} ;;
      --tsan-all) stage=tsan_all ;;
      --aarch64) stage=aarch64 ;;
      *) break ;;
    esac
    shift
  done
  [ $# -eq 0 ] || leave_nothing
  "tests_$stage" "$@"
}

tests_release() {
  need_build_tools
  fetch_while_building
  say_libtpu
  say_jax
  say_tokenizers
  say_storage_emulator
  run_ctest release "$@"
}

tests_asan() {
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:allocator_may_return_null=1}
  test_sanitized asan unit_tests -L unit "$@"
}

tests_tsan() {
  set_threads
  test_sanitized tsan threads_tests -L '^threads$' "$@"
}

tests_tsan_all() {
  leave_nothing
  set_threads
  test_sanitized tsan "threads_tests users_of_threads_tests" -L threads "$@"
}

set_threads() {
  export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:report_thread_leaks=0} # a second Ctrl-C ends the program with its threads
  export SYSTOLIC_THREADS=${SYSTOLIC_THREADS:-4} # however few processors there are
}

# test_sanitized PRESET TARGETS CTEST ARGUMENT...: builds this commit's share of the targets' programs, and runs it.
test_sanitized() {
  local preset=$1 targets programs
  read -ra targets <<< "$2"
  shift 2
  need_sanitizers
  build "$preset" build.ninja
  mapfile -t programs < <(comm -23 <(programs_of "$preset" "${targets[@]}") <(rotation_left "$preset" | sed 's|.*|bin/&_test|' | sort))
  build "$preset" "${programs[@]}"
  run_ctest "$preset" "$@"
}

# programs_of PRESET TARGET...: what it takes to build them.
programs_of() { ninja -C "$BUILD/$1" -t query "${@:2}" | sed -n 's|^ *\(bin/.*_test\)$|\1|p' | sort -u; }

# fetch_while_building: the Release build; beside it, what is not there yet of all that the tests fetch. What fails of
# that is tried once more afterwards, and said then.
fetch_while_building() {
  local fetching
  set -m # in a process group, which ends with this script
  (
    fetch_libtpu || true
    fetch_jax || true
    fetch_tokenizers || true
    fetch_storage_emulator || true
  ) > /dev/null 2>&1 < /dev/null &
  fetching=$!
  set +m
  # shellcheck disable=SC2064
  trap "kill -- -$fetching 2> /dev/null || true" EXIT
  if rotation_left build | grep -qx benchmarks; then
    say_rotation build "./run tests --all"
    build release
  else
    build release all benchmarks
  fi
  wait "$fetching" || true
  trap - EXIT
}

# say_libtpu: with a network the TPU's own compiler checks the training steps; without it nobody may think it did.
say_libtpu() {
  if ! fetch_libtpu; then
    say "NOT CHECKED BY THE TPU'S COMPILER: no libtpu.so: $LIBTPU_REASON"
    say "tests/tpu are skipped; a machine with a network gets it by ./run fetch"
  fi
}

# say_jax: with a network JAX's programs are compared on our plugin and on JAX's own CPU backend.
say_jax() {
  if ! fetch_jax; then
    say "NOT TESTED WITH JAX: $VENV_REASON"
    say "plugin_jax is skipped; a machine with a network gets JAX by ./run fetch"
  fi
}

# say_tokenizers: with a network a million texts are tokenized by ours and by the package.
say_tokenizers() {
  if ! fetch_tokenizers; then
    say "NOT COMPARED WITH THE TOKENIZERS PACKAGE: $VENV_REASON"
    say "the tests tokenizers_* are skipped; a machine with a network gets it by ./run fetch"
  fi
}

# say_storage_emulator: with a network gs:// is tested against a server that others wrote.
say_storage_emulator() {
  if ! fetch_storage_emulator; then
    say "gs:// NOT TESTED AGAINST AN EMULATOR: $VENV_REASON"
    say "storage_emulator is skipped; a machine with a network gets it by ./run fetch"
  fi
}

# run_ctest PRESET CTEST ARGUMENT...: without what this commit leaves to others: tests of ctest, or single ones of their
# programs, which have a dot in their names.
run_ctest() {
  local preset=$1 programs cases option=
  shift
  [ "$preset" = release ] || option=" --$preset"
  programs=$(rotation_left "$preset" | sed '/[.]/d' | paste -sd '|')
  cases=$(rotation_left "$preset" | sed '/[.]/!d' | paste -sd ':')
  [ -z "$programs" ] || set -- -E "^($programs)\$" "$@"
  [ -z "$cases" ] || export GTEST_FILTER="-$cases"
  say "tests of build/$preset"
  say_rotation "$preset" "./run tests$option --all"
  ctest --test-dir "$BUILD/$preset" --output-on-failure --no-tests=error --parallel "$(processors)" "$@" || return 1
}
