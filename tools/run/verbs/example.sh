# shellcheck shell=bash
source tools/run/minilm.sh

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
  libtpu_for "$@"
  case $name in
    cola | toxic)
      if names_a_model "$@"; then
        :
      elif fetch_minilm; then
        set -- --model "$DEPS/minilm" "$@"
      else
        say "MiniLM could not be downloaded: $MINILM_REASON"
        say "the program trains a small model of its own instead; --model DIR reads one from a folder"
      fi
      ;;
  esac
  run_program "$RELEASE/bin/$name" "$@"
}

# example_names: the folders of examples/ that hold a program.
example_names() {
  local main
  for main in examples/*/main.cc; do
    basename "$(dirname "$main")"
  done
}
