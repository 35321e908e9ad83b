# shellcheck shell=bash disable=SC2034
# JAX and Flax for the tests of plugin/. Nothing of ours needs it.
use_jax() { use_venv jax SYSTOLIC_JAX_PYTHON; }

# fetch_jax: true where there is one afterwards; else VENV_REASON says why not.
fetch_jax() {
  [ -z "${SYSTOLIC_JAX_PYTHON:-}" ] || return 0
  if ! has_venv jax; then
    need_pip || return 1
    VENV_REASON="JAX 0.10 needs Python 3.11 or newer, and this is $(python3 --version)"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || return 1
    install_venv jax "JAX and Flax (700 MB)" || return 1
  fi
  use_jax
}
