# shellcheck shell=bash
# ./run mnist: the example of README, with the user's arguments. Without --data it gets MNIST, or says why not.
source tools/run/mnist_data.sh

verb_mnist() {
  need_downloader
  build release mnist
  libtpu_for "$@"
  if chooses_data "$@"; then
    :
  elif fetch_mnist; then
    set -- --data "$DEPS/mnist" "$@"
  else
    say "MNIST could not be downloaded: $MNIST_REASON"
    say "the program draws digits of its own instead; --data DIR reads MNIST's four files from a folder"
  fi
  run_program "$RELEASE/bin/mnist" "$@"
}

# chooses_data ARGUMENT...: whether these name the data, or ask for none.
chooses_data() {
  local argument
  for argument in "$@"; do
    case $argument in
      --data | --data=* | -h | --help) return 0 ;;
    esac
  done
  return 1
}

# need_downloader: curl comes with the first installation; a machine that can build already is left as it is.
need_downloader() {
  use_unpacked
  [ -z "$(missing_packages build)" ] || need_packages build download
}
