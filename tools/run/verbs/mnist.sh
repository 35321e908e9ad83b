# shellcheck shell=bash
# ./run mnist: the example of README, with the user's arguments.
verb_mnist() {
  build release mnist
  run_program "$RELEASE/bin/mnist" "$@"
}
