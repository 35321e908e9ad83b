# shellcheck shell=bash disable=SC2034
# JAX and Flax for the tests of plugin/: a virtual environment in .deps/jax of the versions in jax.txt. Nothing of ours
# needs it.

# use_jax: the tests find the one in .deps, unless the user names another Python.
use_jax() {
  if [ -e "$DEPS/jax/complete" ]; then
    export SYSTOLIC_JAX_PYTHON=${SYSTOLIC_JAX_PYTHON:-$DEPS/jax/bin/python}
  fi
}

# fetch_jax: true where there is one afterwards; else JAX_REASON says why not.
fetch_jax() {
  [ -z "${SYSTOLIC_JAX_PYTHON:-}" ] || return 0
  if ! cmp -s "$DEPS/jax/complete" tools/run/jax.txt; then
    JAX_REASON="there is no pip (install python3-pip)"
    python3 -m pip --version > /dev/null 2>&1 || return 1
    JAX_REASON="JAX 0.10 needs Python 3.11 or newer, and this is $(python3 --version)"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || return 1
    install_jax || return 1
  fi
  use_jax
}

# install_jax: by the system's pip, so that Debian's python3-venv is not needed.
install_jax() {
  local venv=$DEPS/jax log=$DEPS/jax.log
  mkdir -p "$DEPS" && rm -rf "$venv"
  say "installing JAX and Flax in .deps/jax (700 MB)"
  if ! { python3 -m venv --without-pip "$venv" && python3 -m pip --python "$venv/bin/python" install --quiet \
    --disable-pip-version-check --no-deps --only-binary=:all: -r tools/run/jax.txt; } > "$log" 2>&1; then
    JAX_REASON="the installation failed: $(tail -n 1 "$log")"
    rm -rf "$venv"
    return 1
  fi
  cp tools/run/jax.txt "$venv/complete"
}
