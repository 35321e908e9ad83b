# shellcheck shell=bash
verb_clean() {
  case ${1:-} in
    "") rm -rf "$BUILD" ;;
    --all) rm -rf "$BUILD" "$DEPS" ;;
    *) die 2 "clean: unknown argument '$1'." "./run clean, or ./run clean --all" ;;
  esac
}
