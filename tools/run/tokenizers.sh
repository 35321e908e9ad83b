# shellcheck shell=bash
# The tokenizers package, with which tests/text compares ours. Nothing of ours needs it.
use_tokenizers() { use_venv tokenizers SYSTOLIC_TOKENIZERS_PYTHON; }

# fetch_tokenizers: true where there is one afterwards; else VENV_REASON says why not.
fetch_tokenizers() {
  [ -z "${SYSTOLIC_TOKENIZERS_PYTHON:-}" ] || return 0
  if ! has_venv tokenizers; then
    need_pip && install_venv tokenizers "tokenizers and sentencepiece (90 MB)" || return 1
  fi
  use_tokenizers
}
