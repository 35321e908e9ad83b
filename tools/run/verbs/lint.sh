# shellcheck shell=bash
# ./run lint [CHECK...]: each check is a function lint_CHECK; all run even where one fails.
source tools/run/verbs/docs.sh

LINT_CHECKS=(format layers names size english shell links warnings programs)

verb_lint() {
  local check failed=()
  [ $# -gt 0 ] || set -- "${LINT_CHECKS[@]}"
  need_packages lint
  for check in "$@"; do
    declare -F "lint_$check" > /dev/null || die 2 "there is no check '$check'." "checks: ${LINT_CHECKS[*]}"
    if ("lint_$check"); then
      say "lint $check: passed"
    else
      say "lint $check: FAILED"
      failed+=("$check")
    fi
  done
  echo "lint: $(($# - ${#failed[@]})) checks passed, ${#failed[@]} failed ${failed[*]}"
  [ ${#failed[@]} -eq 0 ]
}

# sources PATTERN...: the project's own files with these names.
sources() {
  local pattern names=()
  for pattern in "$@"; do
    names+=(-o -name "$pattern")
  done
  find systolic backends plugin examples benchmarks tests tools docs -type f \( "${names[@]:1}" \) | sort
}

lint_format() {
  sources '*.h' '*.cc' | xargs -n 50 -P "$(processors)" clang-format-14 --dry-run -Werror 2>&1 | grep -E 'error|warning' | head -n 20 >&2
  [ "${PIPESTATUS[1]}" -eq 0 ] || { say "clang-format-14 -i FILE mends it"; return 1; }
}

lint_layers() { python3 tools/check_layers.py; }

lint_names() { python3 tools/check_names.py; }

lint_size() { sources '*.h' '*.cc' '*.py' '*.sh' | python3 tools/check_size.py; }

lint_english() { python3 tools/check_english.py; }

lint_shell() { { sources '*.sh'; echo run; echo .ci/run; } | xargs shellcheck -x --severity=style; }

lint_links() { python3 tools/check_docs.py links README.md CONTRIBUTING.md docs/*.md; }

# Warnings are errors: g++'s in the Release build; clang's in that of the tests with sanitizers, which CI needs anyway,
# and for what that leaves out: other programs, and every header by itself.
lint_warnings() {
  need_sanitizers
  build release
  build asan unit_tests
  configure clang
  local rest
  mapfile -t rest < <(comm -23 <(objects clang | sort) <(compiled asan | sort))
  build clang "${rest[@]}"
}

# objects PRESET: what it makes of each source.
objects() { ninja -C "$BUILD/$1" -t targets all | sed -n 's/: CXX_COMPILER.*//p'; }

# compiled PRESET: those that are there, also those of sources that were compiled together with others.
compiled() {
  local object folder
  objects "$1" | while read -r object; do
    [ -e "$BUILD/$1/$object" ] || continue
    case $object in
      */Unity/*)
        folder=${object%/CMakeFiles/*}
        sed -n "s|^#include \"$ROOT/$folder/\(.*\)\"|${object%/Unity/*}/\1.o|p" "$BUILD/$1/${object%.o}"
        ;;
      *) echo "$object" ;;
    esac
  done
}

lint_programs() { docs_programs; }
