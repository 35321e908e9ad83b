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
    ARROW) echo io_arrow ;;
    PAGE) echo monitor ;;
  esac
}

lint_without() {
  local option failed=0
  build release systolic_tool
  for option in STORAGE CLUSTER HDF5 ARROW PAGE; do
    rotation_left without | grep -qx "$option" || links_without "$option" || failed=1
  done
  say_rotation without "./run lint --all without"
  return $failed
}

links_without() {
  local folder=$BUILD/without name
  rm -rf "$folder"
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSYSTOLIC_TESTS=OFF -DSYSTOLIC_EXAMPLES=OFF \
    -DSYSTOLIC_BENCHMARKS=OFF "-DSYSTOLIC_$1=OFF" > /dev/null 2>&1 || { say "without $1: does not configure"; return 1; }
  mkdir -p "$folder/bin"
  cp -rs "$RELEASE/lib" "$folder/"
  for name in $(without_folders "$1"); do
    compile_archive "$folder" "$name" >> "$folder/build.log" 2>&1 ||
      { tail -n 20 "$folder/build.log" >&2; say "without $1: $name does not compile"; return 1; }
  done
  if ! link_tool "$folder" || ! "$folder/bin/systolic" devices >> "$folder/build.log" 2>&1; then
    tail -n 20 "$folder/build.log" >&2
    say "without $1: the command does not link or start"
    return 1
  fi
  rm -rf "$folder"
  say "without $1: links and starts"
}

# compile_archive FOLDER NAME: one library by itself; ninja would compile those that it uses, too.
compile_archive() {
  local archive=lib/libsystolic_$2.a all own
  all=$(ninja -C "$1" -t commands "$archive")
  own=$(grep -E " -o [^ ]*CMakeFiles/systolic_$2\.dir/" <<< "$all")
  rm -f "$1/$archive"
  (
    cd "$1" || return 1
    grep -oE " -o [^ ]*" <<< "$own" | sed 's|^ -o ||; s|/[^/]*$||' | sort -u | xargs mkdir -p
    tr '\n' '\0' <<< "$own" | xargs -0 -n 1 -P "$(build_jobs)" sh -c && grep "$archive" <<< "$all" | tail -n 1 | sh
  )
}

# link_tool FOLDER: by the command that ninja would run there, with the objects of build/release.
link_tool() {
  ninja -C "$1" -t commands bin/systolic | tail -n 1 > "$1/link.sh"
  sed -i "s|tools/CMakeFiles/|$RELEASE/tools/CMakeFiles/|g" "$1/link.sh"
  (cd "$1" && sh link.sh) >> "$1/build.log" 2>&1
}
