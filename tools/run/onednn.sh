# shellcheck shell=bash
# oneDNN: the system's where that is 3.2 or newer, else two wheels unpacked under .deps/onednn (headers, libdnnl.so.3; the
# library needs nothing but libgomp).

ONEDNN_VERSION=2023.2.0
ONEDNN_WHEELS=(
  "onednn-cpu-gomp 2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb"
  "onednn-devel-cpu-gomp 9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284"
)

# system_has_onednn: 3.2 or newer.
system_has_onednn() {
  local header
  for header in /usr/include/oneapi/dnnl/dnnl_version.h /usr/local/include/oneapi/dnnl/dnnl_version.h \
    /usr/include/*/oneapi/dnnl/dnnl_version.h; do
    if [ -e "$header" ] && awk '$2 == "DNNL_VERSION_MAJOR" {major = $3} $2 == "DNNL_VERSION_MINOR" {minor = $3}
        END {exit !(major > 3 || (major == 3 && minor >= 2))}' "$header"; then
      return 0
    fi
  done
  return 1
}

need_onednn() {
  [ ! -e "$DEPS/onednn/lib/libdnnl.so.3" ] || return 0
  ! system_has_onednn || return 0
  [ "$(uname -m)" = x86_64 ] ||
    die 2 "this system has no oneDNN 3.2, and the wheels are for x86-64 only." "install libdnnl-dev 3.2 or newer"
  need_packages build wheels
  local entry
  for entry in "${ONEDNN_WHEELS[@]}"; do
    fetch_wheel "${entry% *}" "${entry#* }"
  done
  unpack_onednn
}

# fetch_wheel NAME SHA256: into .deps/wheels, checked.
fetch_wheel() {
  local file
  mkdir -p "$DEPS/wheels"
  file=$(wheel_file "$1")
  if [ -z "$file" ]; then
    say "downloading $1 $ONEDNN_VERSION"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
      --dest "$DEPS/wheels" "$1==$ONEDNN_VERSION" > "$DEPS/wheels/pip.log" 2>&1 || {
      tail -n 3 "$DEPS/wheels/pip.log" >&2
      die 3 "could not download $1 $ONEDNN_VERSION." "on a machine with a network: ./run fetch, then copy .deps here"
    }
    file=$(wheel_file "$1")
  fi
  if ! echo "$2  $file" | sha256sum --check --status; then
    rm -f "$file"
    die 3 "$(basename "$file") does not have the pinned sha256 $2; it was removed." "run the same command again"
  fi
}

wheel_file() {
  find "$DEPS/wheels" -name "${1//-/_}-$ONEDNN_VERSION-*.whl" | head -n 1
}

unpack_onednn() {
  local work=$DEPS/onednn.part entry
  rm -rf "$work" && mkdir -p "$work/files"
  for entry in "${ONEDNN_WHEELS[@]}"; do
    (cd "$work/files" && cmake -E tar xf "$(wheel_file "${entry% *}")")
  done
  mkdir -p "$work/lib"
  mv "$(find "$work/files" -type d -path '*/include' | head -n 1)" "$work/include"
  cp "$(find "$work/files" -name 'libdnnl.so.3*' | sort | tail -n 1)" "$work/lib/libdnnl.so.3"
  ln -s libdnnl.so.3 "$work/lib/libdnnl.so"
  rm -rf "$work/files" "$DEPS/onednn"
  mv "$work" "$DEPS/onednn"
}
