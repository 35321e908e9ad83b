# shellcheck shell=bash
# ./run lint without: the library without each of those that it can do without (SYSTOLIC_STORAGE and the others in
# CMakeLists.txt), one after the other: this commit's share of them. Only the folders that differ are compiled again; the
# command `systolic` is then linked with them and the others of build/release, and must start.

# without_folders OPTION: the libraries that are other ones then.
without_folders() {
  case $1 in
    STORAGE) echo storage tpu_metrics ;;
    CLUSTER) echo cluster remote gloo ;;
    HDF5) echo io_hdf5 ;;
    PAGE) echo monitor ;;
  esac
}

lint_without() {
  local option failed=0
  build release systolic_tool
  for option in STORAGE CLUSTER HDF5 PAGE; do
    rotation_left without | grep -qx "$option" || links_without "$option" || failed=1
  done
  say_rotation without "./run lint --all without"
  return $failed
}

links_without() {
  local folder=$BUILD/without name
  local targets=()
  for name in $(without_folders "$1"); do targets+=("systolic_$name"); done
  rm -rf "$folder"
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSYSTOLIC_TESTS=OFF -DSYSTOLIC_EXAMPLES=OFF \
    -DSYSTOLIC_BENCHMARKS=OFF "-DSYSTOLIC_$1=OFF" > /dev/null 2>&1 || { say "without $1: does not configure"; return 1; }
  mkdir -p "$folder/lib" "$folder/bin"
  ninja -C "$folder" -j "$(build_jobs)" "${targets[@]}" > "$folder/build.log" 2>&1 ||
    { tail -n 20 "$folder/build.log" >&2; say "without $1: does not compile"; return 1; }
  for name in "$RELEASE"/lib/libsystolic_*.a; do
    [ -e "$folder/lib/$(basename "$name")" ] || ln -s "$name" "$folder/lib/"
  done
  if ! link_tool "$folder" || ! "$folder/bin/systolic" devices >> "$folder/build.log" 2>&1; then
    tail -n 20 "$folder/build.log" >&2
    say "without $1: the command does not link or start"
    return 1
  fi
  rm -rf "$folder"
  say "without $1: links and starts"
}

# link_tool FOLDER: by the command that ninja would run there, with the objects of build/release.
link_tool() {
  ninja -C "$1" -t commands bin/systolic | tail -n 1 > "$1/link.sh"
  sed -i "s|tools/CMakeFiles/|$RELEASE/tools/CMakeFiles/|g" "$1/link.sh"
  (cd "$1" && sh link.sh) >> "$1/build.log" 2>&1
}
