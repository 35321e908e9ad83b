# shellcheck shell=bash
# ./run package [KIND...] [--output DIR]: binaries for others, in build/packages unless told otherwise.
#   tarball  unpacked anywhere: libraries, headers, CMake and pkg-config files, `systolic`, the PJRT plugin; glibc 2.31 or newer
#   wheel    the PJRT plugin for JAX, and the command `systolic`, for pip
#   deb      a package for this release of Debian or Ubuntu
# All three unless some are named.
source tools/run/package/sysroot.sh
source tools/run/package/portable.sh
source tools/run/package/deb.sh

verb_package() {
  local kinds=() output=$BUILD/packages
  while [ $# -gt 0 ]; do
    case $1 in
      tarball | wheel | deb) kinds+=("$1") ;;
      --output) [ $# -gt 1 ] || die 2 "--output: the folder is missing." && output=$2 && shift ;;
      *) die 2 "package: '$1' is no kind of package." "tarball, wheel, deb" ;;
    esac
    shift
  done
  [ ${#kinds[@]} -gt 0 ] || kinds=(tarball wheel deb)
  mkdir -p "$output"
  output=$(cd "$output" && pwd)
  local kind
  for kind in "${kinds[@]}"; do
    "package_$kind" "$output"
  done
}

# project_version: as CMakeLists.txt says it.
project_version() { sed -nE 's/^project\(systolic VERSION ([0-9.]+).*/\1/p' CMakeLists.txt; }
