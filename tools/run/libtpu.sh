# shellcheck shell=bash disable=SC2034
# libtpu.so, which has the TPU's own compiler: the wheel unpacked under .deps/libtpu. It is fetched, never shipped: its
# licence ties it to Google Cloud's terms. Builds do not need it; `systolic compile` and some tests do.

LIBTPU_VERSION=0.0.51
LIBTPU_SHA256=ba67ddbfdbac61c8da1fafc26cd51b93e9fe4d298016e2882eb986b1718cba34

# use_libtpu: programs find the one in .deps, unless the user names another.
use_libtpu() {
  if [ -e "$DEPS/libtpu/libtpu.so" ]; then
    export SYSTOLIC_LIBTPU=${SYSTOLIC_LIBTPU:-$DEPS/libtpu/libtpu.so}
  fi
}

# fetch_libtpu: true where there is one afterwards; else LIBTPU_REASON says why not.
fetch_libtpu() {
  [ -z "${SYSTOLIC_LIBTPU:-}" ] || return 0
  if [ ! -e "$DEPS/libtpu/libtpu.so" ]; then
    LIBTPU_REASON="it is for x86-64 only"
    [ "$(uname -m)" = x86_64 ] || return 1
    LIBTPU_REASON="there is no pip (install python3-pip)"
    python3 -m pip --version > /dev/null 2>&1 || return 1
    download_libtpu || return 1
  fi
  use_libtpu
}

# libtpu_for ARGUMENT...: a program that is asked for a plan needs the TPU's compiler.
libtpu_for() {
  case " $* " in
    *" --plan"*) fetch_libtpu || say "no libtpu.so: $LIBTPU_REASON" ;;
  esac
  use_libtpu
}

# download_libtpu: the wheel of one Python version serves all, since only libtpu.so is taken from it.
download_libtpu() {
  local work=$DEPS/libtpu.part wheel
  rm -rf "$work" && mkdir -p "$work"
  say "downloading libtpu $LIBTPU_VERSION (205 MB)"
  if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
    --platform manylinux_2_31_x86_64 --dest "$work" "libtpu==$LIBTPU_VERSION" > "$work/pip.log" 2>&1; then
    LIBTPU_REASON="the download failed: $(tail -n 1 "$work/pip.log")"
    return 1
  fi
  wheel=$(find "$work" -name '*.whl')
  if ! echo "$LIBTPU_SHA256  $wheel" | sha256sum --check --status; then
    LIBTPU_REASON="$(basename "$wheel") does not have the pinned sha256 $LIBTPU_SHA256"
    rm -rf "$work"
    return 1
  fi
  (cd "$work" && cmake -E tar xf "$wheel" libtpu/libtpu.so libtpu/LICENSE) &&
    rm -rf "$DEPS/libtpu" && mv "$work/libtpu" "$DEPS/libtpu" && rm -rf "$work"
}
