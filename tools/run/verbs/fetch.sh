# shellcheck shell=bash
# ./run fetch: what the other verbs would download, at once. Afterwards no verb but `bench --peers` needs a network.
source tools/run/mnist_data.sh
source tools/run/minilm.sh

verb_fetch() {
  need_packages build lint download
  need_sanitizers
  need_onednn
  local mnist="MNIST (.deps/mnist)"
  fetch_mnist || mnist="but not MNIST ($MNIST_REASON): ./run mnist will draw digits"
  local minilm="MiniLM (.deps/minilm)"
  fetch_minilm || minilm="but not MiniLM ($MINILM_REASON): examples will train small models"
  local libtpu="libtpu"
  fetch_libtpu || libtpu="but not libtpu ($LIBTPU_REASON): nothing can be compiled for TPUs"
  local jax="JAX"
  fetch_jax || jax="but not JAX ($VENV_REASON): the plugin's tests with it are skipped"
  local storage="the storage emulator"
  fetch_storage_emulator || storage="but no storage emulator ($VENV_REASON): its test is skipped"
  want_packages storage "gs:// and https://"
  say "all there: packages, oneDNN ($([ -d "$DEPS/onednn" ] && echo .deps/onednn || echo "the system's")), $mnist, $minilm, $libtpu, $jax, $storage"
}
