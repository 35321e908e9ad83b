# shellcheck shell=bash
# ./run fetch: what the other verbs would download, at once. Afterwards no verb but `bench --peers` needs a network.
source tools/run/mnist_data.sh
source tools/run/minilm.sh

verb_fetch() {
  local here=("packages") missing=()
  need_packages build lint download
  need_sanitizers
  need_onednn
  if [ -d "$DEPS/onednn" ]; then here+=("oneDNN (.deps/onednn)"); else here+=("oneDNN (the system's)"); fi
  if fetch_arrow; then here+=("Arrow C++ (.deps/arrow)"); else missing+=("Arrow C++: Parquet and Arrow files are left out: $ARROW_REASON"); fi
  want_packages storage "gs:// and https://"
  want_packages cluster "programs of several processes"
  want_packages hdf5 "HDF5 (.h5)"
  want_packages page "the monitor's page"
  if fetch_mnist; then here+=("MNIST (.deps/mnist)"); else missing+=("MNIST: ./run mnist will draw digits: $MNIST_REASON"); fi
  if fetch_minilm; then here+=("MiniLM (.deps/minilm)"); else missing+=("MiniLM: examples will train small models: $MINILM_REASON"); fi
  if fetch_libtpu; then here+=("libtpu"); else missing+=("libtpu: nothing can be compiled for TPUs: $LIBTPU_REASON"); fi
  if fetch_jax; then here+=("JAX"); else missing+=("JAX: the plugin's tests with it are skipped: $VENV_REASON"); fi
  if fetch_tokenizers; then here+=("tokenizers"); else missing+=("tokenizers: the tests against it are skipped: $VENV_REASON"); fi
  if fetch_storage_emulator; then here+=("the storage emulator"); else missing+=("the storage emulator: its test is skipped: $VENV_REASON"); fi
  say "here: $(joined "${here[@]}")"
  local line
  for line in "${missing[@]}"; do say "not here: $line"; done
}

# joined WORD...: with commas between them.
joined() {
  local all
  all=$(printf ', %s' "$@")
  printf '%s' "${all#, }"
}
