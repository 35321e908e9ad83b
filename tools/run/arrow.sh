# shellcheck shell=bash disable=SC2034
# Arrow C++, which reads Parquet and Arrow files: its headers, libarrow.so and libparquet.so of pyarrow's wheel, unpacked
# under .deps/arrow, for Debian 12 and Ubuntu 22.04 package none. A build without it leaves these files out.

ARROW_VERSION=26.0.1
ARROW_SHA256_x86_64=39cb0f2418282c24bea6ceda77b03e5a8f0a5766b63a8bf194d4e2a2c423548c
ARROW_SHA256_aarch64=22a96a225de107eb9acd1ad9a818198ca832df2a4c0952412f754a7ed2105a98

# fetch_arrow: true where there is one afterwards; else ARROW_REASON says why not.
fetch_arrow() {
  local machine
  machine=$(uname -m)
  [ ! -e "$DEPS/arrow/lib/libparquet.so" ] || return 0
  ARROW_REASON="the wheels are for x86-64 and aarch64 only"
  case $machine in x86_64 | aarch64) ;; *) return 1 ;; esac
  ARROW_REASON="there is no pip (install python3-pip)"
  python3 -m pip --version > /dev/null 2>&1 || return 1
  download_arrow "$machine"
}

# with_arrow_if_possible: a build goes on without it, and says so.
with_arrow_if_possible() {
  fetch_arrow || say "no Parquet and Arrow files: $ARROW_REASON"
}

# download_arrow MACHINE: the wheel of one Python version serves all, since only the C++ libraries are taken from it.
download_arrow() {
  local work=$DEPS/arrow.part wheel sha256=ARROW_SHA256_$1
  rm -rf "$work" && mkdir -p "$work/lib"
  say "downloading Arrow C++ $ARROW_VERSION (55 MB)"
  if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
    --platform "manylinux_2_28_$1" --dest "$work" "pyarrow==$ARROW_VERSION" > "$work/pip.log" 2>&1; then
    ARROW_REASON="the download failed: $(tail -n 1 "$work/pip.log")"
    return 1
  fi
  wheel=$(find "$work" -name '*.whl')
  if ! echo "${!sha256}  $wheel" | sha256sum --check --status; then
    ARROW_REASON="$(basename "$wheel") does not have the pinned sha256 ${!sha256}"
    rm -rf "$work"
    return 1
  fi
  unpack_arrow "$work" "$wheel"
}

# unpack_arrow FOLDER WHEEL
unpack_arrow() {
  local library
  (cd "$1" && cmake -E tar xf "$2" pyarrow/include "pyarrow-$ARROW_VERSION.dist-info/licenses") || return 1
  for library in libarrow libparquet; do
    (cd "$1" && cmake -E tar xf "$2" "pyarrow/$library.so.${ARROW_VERSION%%.*}00") &&
      mv "$1"/pyarrow/$library.so.* "$1/lib/" &&
      ln -s "$library.so.${ARROW_VERSION%%.*}00" "$1/lib/$library.so" || return 1
  done
  mv "$1/pyarrow/include" "$1/include" && mv "$1/pyarrow-$ARROW_VERSION.dist-info/licenses" "$1/licenses" || return 1
  rm -rf "$1/pyarrow" "$1"/*.dist-info "$1"/*.whl "$1/pip.log" "$DEPS/arrow"
  mv "$1" "$DEPS/arrow"
}
