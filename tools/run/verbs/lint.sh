# shellcheck shell=bash
# ./run lint [--all] [CHECK...]: each check is a function lint_CHECK; all run even where one fails. --all: without the
# rotation (tools/run/rotation.sh).
source tools/run/verbs/docs.sh
source tools/run/without.sh

LINT_CHECKS=(format layers names size english shell links sbom site warnings abi without programs)

verb_lint() {
  local check failed=()
  if [ "${1:-}" = --all ]; then
    leave_nothing
    shift
  fi
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

lint_links() { python3 tools/check_docs.py links ./*.md docs/*.md; }

lint_sbom() { python3 tools/sbom.py --check; }

# The documentation's site is built in a temporary folder and read.
lint_site() {
  python3 tools/site/check_test.py && python3 tools/site/headers_test.py && python3 tools/site/check.py &&
    python3 tools/site/undocumented.py
}

# Warnings are errors: g++'s in the Release build; clang's where it only reads, a third of the sources in each commit.
# Headers that no source includes first are read by themselves, a share of them in each commit.
lint_warnings() {
  need_sanitizers
  build release
  build clang build.ninja
  local headers sources
  mapfile -t sources < <(ninja -C "$BUILD/clang" -t targets all | sed -n 's/: CXX_COMPILER__.*//p' | rotation_third)
  mapfile -t headers < <(comm -23 <(ninja -C "$BUILD/clang" -t targets all | sed -n 's/^\(header_check_[0-9]*\): phony/\1/p' | sort) \
    <(rotation_left headers | sort))
  say_rotation headers "./run lint --all"
  [ "$ROTATION_ALL" = 1 ] || say "ROTATION: clang's warnings: a third of the sources; the rest is left to other commits (./run lint --all reads all)"
  build clang "${sources[@]}" "${headers[@]}"
}

# Public names, functions and classes against those of the last version.
lint_abi() {
  python3 tools/abi/check.py --test || return 1
  build release
  python3 tools/abi/check.py "$RELEASE"
}

lint_programs() { docs_programs; }
