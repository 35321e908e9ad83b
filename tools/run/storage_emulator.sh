# shellcheck shell=bash
# An emulator of Google Cloud Storage for tests/storage. Nothing of ours needs it.
use_storage_emulator() { use_venv storage_emulator SYSTOLIC_STORAGE_EMULATOR_PYTHON; }

# fetch_storage_emulator: true where there is one afterwards; else VENV_REASON says why not.
fetch_storage_emulator() {
  [ -z "${SYSTOLIC_STORAGE_EMULATOR_PYTHON:-}" ] || return 0
  if ! has_venv storage_emulator; then
    need_pip && install_venv storage_emulator gcp-storage-emulator || return 1
  fi
  use_storage_emulator
}
