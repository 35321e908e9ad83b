# shellcheck shell=bash
# ./run package [try] [KIND...] [--output DIR] [--against OLD]: binaries for others, in build/packages unless told otherwise.
#   tarball  unpacked anywhere: libraries, headers, CMake and pkg-config files, `systolic`, the PJRT plugin; glibc 2.31 or newer
#   wheel    the PJRT plugin for JAX, and the command `systolic`, for pip
#   deb      a package for this release of Debian or Ubuntu
# All three unless some are named. `try` installs what is there in clean roots and runs README's program; --against FILE, an
# older tarball, says what changed between the two shared libraries.
source tools/run/package/sysroot.sh
source tools/run/package/portable.sh
source tools/run/package/deb.sh
source tools/run/package/clean_root.sh

verb_package() {
  local kinds=() output=$BUILD/packages tries='' against=''
  while [ $# -gt 0 ]; do
    case $1 in
      try) tries=1 ;;
      tarball | wheel | deb) kinds+=("$1") ;;
      --against) [ $# -gt 1 ] || die 2 "--against: the older tarball is missing." && against=$2 && shift ;;
      --output) [ $# -gt 1 ] || die 2 "--output: the folder is missing." && output=$2 && shift ;;
      *) die 2 "package: '$1' is no kind of package." "tarball, wheel, deb" ;;
    esac
    shift
  done
  [ ${#kinds[@]} -gt 0 ] || kinds=(tarball wheel deb)
  mkdir -p "$output"
  output=$(cd "$output" && pwd)
  if [ -n "$against" ]; then
    compare_tarballs "$against" "$output"
    return
  fi
  if [ -n "$tries" ]; then
    try_packages "$output" "${kinds[@]}"
    return
  fi
  local kind
  for kind in "${kinds[@]}"; do
    "package_$kind" "$output"
  done
}

# project_version: as CMakeLists.txt says it.
project_version() { sed -nE 's/^project\(systolic VERSION ([0-9.]+).*/\1/p' CMakeLists.txt; }
