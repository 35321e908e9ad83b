# shellcheck shell=bash disable=SC2034
# An emulator of Google Cloud Storage for tests/storage: a virtual environment in .deps/storage_emulator of the versions
# in storage_emulator.txt. Nothing of ours needs it.

# use_storage_emulator: the tests find the one in .deps, unless the user names another Python.
use_storage_emulator() {
  if [ -e "$DEPS/storage_emulator/complete" ]; then
    export SYSTOLIC_STORAGE_EMULATOR_PYTHON=${SYSTOLIC_STORAGE_EMULATOR_PYTHON:-$DEPS/storage_emulator/bin/python}
  fi
}

# fetch_storage_emulator: true where there is one afterwards; else STORAGE_EMULATOR_REASON says why not.
fetch_storage_emulator() {
  [ -z "${SYSTOLIC_STORAGE_EMULATOR_PYTHON:-}" ] || return 0
  if ! cmp -s "$DEPS/storage_emulator/complete" tools/run/storage_emulator.txt; then
    STORAGE_EMULATOR_REASON="there is no pip (install python3-pip)"
    python3 -m pip --version > /dev/null 2>&1 || return 1
    install_storage_emulator || return 1
  fi
  use_storage_emulator
}

install_storage_emulator() {
  local venv=$DEPS/storage_emulator log=$DEPS/storage_emulator.log
  mkdir -p "$DEPS" && rm -rf "$venv"
  say "installing gcp-storage-emulator in .deps/storage_emulator"
  if ! { python3 -m venv --without-pip "$venv" && python3 -m pip --python "$venv/bin/python" install --quiet \
    --disable-pip-version-check --no-deps --only-binary=:all: -r tools/run/storage_emulator.txt; } > "$log" 2>&1; then
    STORAGE_EMULATOR_REASON="the installation failed: $(tail -n 1 "$log")"
    rm -rf "$venv"
    return 1
  fi
  cp tools/run/storage_emulator.txt "$venv/complete"
}
