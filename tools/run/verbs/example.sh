# shellcheck shell=bash
verb_example() {
  local name=${1:-}
  if [ -z "$name" ]; then
    say "examples:"
    example_names
    return 0
  fi
  shift
  example_names | grep -qx -- "$name" || die 2 "there is no example '$name'." "examples: $(example_names | xargs)"
  build release "$name"
  run_program "$RELEASE/bin/$name" "$@"
}

# example_names: what examples/ holds, a folder or a file each.
example_names() {
  local path
  for path in examples/*/ examples/*.cc; do
    [ -e "$path" ] || continue
    path=${path%/}
    path=${path##*/}
    echo "${path%.cc}"
  done | sort -u
}
