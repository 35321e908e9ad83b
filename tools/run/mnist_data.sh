# shellcheck shell=bash
# MNIST's four files under .deps/mnist, from the places that still hand them out, each checked by its sha256.

MNIST_MIRRORS="https://ossci-datasets.s3.amazonaws.com/mnist https://storage.googleapis.com/cvdf-datasets/mnist"
MNIST_FILES=(
  "train-labels-idx1-ubyte.gz 3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
  "t10k-labels-idx1-ubyte.gz f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
  "t10k-images-idx3-ubyte.gz 8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
  "train-images-idx3-ubyte.gz 440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
)
MNIST_CONNECT_SECONDS=3 # a machine without network has two mirrors to wait for
MNIST_REASON=           # why fetch_mnist failed

# fetch_mnist: makes all four files present; false, with MNIST_REASON set, where that cannot be.
fetch_mnist() {
  local entry
  mkdir -p "$DEPS/mnist"
  for entry in "${MNIST_FILES[@]}"; do
    has_sha256 "$DEPS/mnist/${entry% *}" "${entry#* }" || fetch_mnist_file "${entry% *}" "${entry#* }" || return 1
  done
}

has_sha256() { [ -e "$1" ] && echo "$2  $1" | sha256sum --check --status; }

# fetch_mnist_file NAME SHA256: from the first mirror that has it as it should be. A file that is damaged, or was left
# half done, is fetched anew.
fetch_mnist_file() {
  local mirror file=$DEPS/mnist/$1
  for mirror in ${SYSTOLIC_MNIST_MIRRORS:-$MNIST_MIRRORS}; do
    say "downloading $mirror/$1"
    if ! MNIST_REASON=$(download "$mirror/$1" "$file.part" 2>&1); then
      MNIST_REASON="$mirror/$1: ${MNIST_REASON##*$'\n'}"
    elif ! has_sha256 "$file.part" "$2"; then
      MNIST_REASON="$mirror/$1: the sha256 is $(sha256sum < "$file.part" | head -c 64), expected $2"
    else
      mv "$file.part" "$file"
      return 0
    fi
    rm -f "$file.part"
  done
  return 1
}

# download URL FILE: gives up soon where nothing answers, and where less than 10 kB/s arrive.
download() {
  if have curl; then
    curl --fail --silent --show-error --location --connect-timeout "$MNIST_CONNECT_SECONDS" \
      --speed-limit 10000 --speed-time 5 --output "$2" "$1"
  elif have wget; then
    wget --no-verbose --tries=1 --timeout="$MNIST_CONNECT_SECONDS" --output-document="$2" "$1"
  else
    echo "neither curl nor wget is here"
    return 1
  fi
}
