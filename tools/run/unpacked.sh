# shellcheck shell=bash
# Packages without root: apt-get works on lists and a cache of our own under .deps/apt, dpkg -x unpacks into .deps/root.

MULTIARCH=$(uname -m)-linux-gnu

# apt_own ARGUMENT...: apt-get with its state under .deps/apt; the system's sources and dpkg status are only read.
apt_own() {
  mkdir -p "$DEPS/apt/state/lists/partial" "$DEPS/apt/cache/archives/partial"
  apt-get -o Dir::State="$DEPS/apt/state" -o Dir::Cache="$DEPS/apt/cache" \
    -o Dir::State::status=/var/lib/dpkg/status -o Debug::NoLocking=1 -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" "$@"
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
  write_compilers
  use_unpacked
}

# mend_links: what in .deps/root names files by a place that only an installation would give them. A -dev package's
# libX.so is a link to a library that may be the system's; or a linker script, with absolute paths.
mend_links() {
  local link folder path
  while read -r link; do
    for folder in "$DEPS"/root{/usr,}/lib/"$MULTIARCH" {/usr,}/lib/"$MULTIARCH"; do
      path=$folder/$(basename "$(readlink "$link")")
      if [ -e "$path" ]; then
        ln -sfn "$path" "$link"
        break
      fi
    done
  done < <(find "$DEPS/root" -xtype l -name '*.so*')
  while read -r link; do
    while read -r path; do
      if [ ! -e "$path" ] && [ -e "$DEPS/root$path" ]; then
        sed -i "s# $path# $DEPS/root$path#" "$link"
      fi
    done < <(grep -oE '/(usr/)?lib[^ )]*' "$link")
  done < <(find "$DEPS/root" -type f -name '*.so' -size -2k)
}

# write_compilers: an unpacked compiler finds its own headers beside itself, but the C library's headers and start-up
# files only where it is told. After all other folders: C++ headers reach the C ones by #include_next.
write_compilers() {
  local usr=$DEPS/root/usr
  [ -e "$usr/include/features.h" ] || return 0
  local headers="-idirafter $usr/include/$MULTIARCH -idirafter $usr/include"
  if [ -x "$usr/bin/g++" ]; then
    write_script "$usr/bin/c++" "$usr/bin/g++" "$headers"
  fi
  if [ -x "$usr/lib/llvm-14/bin/clang++" ]; then
    write_script "$usr/bin/clang++-14" "$usr/lib/llvm-14/bin/clang++" \
      "$headers --gcc-toolchain=$usr -Qunused-arguments -B$usr/lib/$MULTIARCH -L$usr/lib/$MULTIARCH"
  fi
}

# write_script FILE PROGRAM ARGUMENTS: FILE runs PROGRAM with the arguments before its own.
write_script() {
  rm -f "$1"
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$2" "$3" > "$1"
  chmod +x "$1"
}

# use_unpacked: programs, libraries and CMake packages under .deps/root are found, now and at run time.
use_unpacked() {
  local root=$DEPS/root libraries
  [ -d "$root/usr" ] && [ -z "${SYSTOLIC_UNPACKED:-}" ] || return 0
  SYSTOLIC_UNPACKED=1
  libraries=$root/usr/lib/$MULTIARCH:$root/lib/$MULTIARCH
  export PATH="$PATH:$root/usr/bin"
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries"
  export CMAKE_PREFIX_PATH="$root/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
  [ ! -d "$root/usr/lib/python3/dist-packages" ] ||
    export PYTHONPATH="$root/usr/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}"
  # Installing ca-certificates would have made this one file of its parts.
  if [ ! -e "$CERTIFICATES" ] && [ -d "$root$CERTIFICATES_PARTS" ]; then
    cat "$root$CERTIFICATES_PARTS"/*.crt > "$DEPS/ca-certificates.crt"
    export PIP_CERT=${PIP_CERT:-$DEPS/ca-certificates.crt} CURL_CA_BUNDLE=${CURL_CA_BUNDLE:-$DEPS/ca-certificates.crt}
  fi
}
