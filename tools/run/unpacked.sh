# shellcheck shell=bash
# Packages without root: apt-get works on lists and a cache of our own under .deps/apt, dpkg -x unpacks into .deps/root.

# apt_own ARGUMENT...: apt-get with its state under .deps/apt; the system's sources and dpkg status are only read.
apt_own() {
  mkdir -p "$DEPS/apt/state/lists/partial" "$DEPS/apt/cache/archives/partial"
  apt-get -o Dir::State="$DEPS/apt/state" -o Dir::Cache="$DEPS/apt/cache" \
    -o Dir::State::status=/var/lib/dpkg/status -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@"
}

# unpack_packages PACKAGE...: these and whatever they need that the system has not.
unpack_packages() {
  local wanted
  say "no root: unpacking under .deps/root: $*"
  have dpkg || return 1
  ls "$DEPS"/apt/state/lists/*Packages* > /dev/null 2>&1 || apt_own update -qq >&2 || return 1
  mapfile -t wanted < <(apt_own install -s --no-install-recommends "$@" | awk '$1 == "Inst" {print $2}')
  [ ${#wanted[@]} -gt 0 ] || return 1
  mkdir -p "$DEPS/apt/deb" "$DEPS/root"
  (cd "$DEPS/apt/deb" && apt_own download -qq "${wanted[@]}" >&2) || return 1
  local package
  for package in "$DEPS"/apt/deb/*.deb; do
    case ${package##*/} in
      libc6_* | libc-bin_*) ;; # the running C library stays the system's
      *) dpkg -x "$package" "$DEPS/root" || return 1 ;;
    esac
    rm "$package"
  done
  mend_links
  use_unpacked
}

# mend_links: a -dev package's libX.so points at a library that may be the system's, outside .deps/root.
mend_links() {
  local link target folder
  while read -r link; do
    target=$(readlink "$link")
    for folder in "$DEPS/root/usr/lib/$(uname -m)-linux-gnu" "/usr/lib/$(uname -m)-linux-gnu" /lib/"$(uname -m)-linux-gnu"; do
      if [ -e "$folder/${target##*/}" ]; then
        ln -sfn "$folder/${target##*/}" "$link"
        break
      fi
    done
  done < <(find "$DEPS/root" -xtype l -name '*.so*')
}

# use_unpacked: programs, libraries and CMake packages under .deps/root are found, now and at run time.
use_unpacked() {
  local root=$DEPS/root libraries
  [ -d "$root/usr" ] && [ -z "${SYSTOLIC_UNPACKED:-}" ] || return 0
  SYSTOLIC_UNPACKED=1
  libraries=$root/usr/lib/$(uname -m)-linux-gnu:$root/lib/$(uname -m)-linux-gnu
  export PATH="$PATH:$root/usr/bin"
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries"
  export CMAKE_PREFIX_PATH="$root/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
  [ ! -d "$root/usr/lib/python3/dist-packages" ] ||
    export PYTHONPATH="$root/usr/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}"
}
