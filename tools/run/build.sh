# shellcheck shell=bash
# Configure and build. CMakePresets.json holds the settings of each kind of build.

need_build_tools() {
  need_packages build
  need_onednn
}

# configure PRESET: into build/PRESET, once; ninja runs CMake again by itself when a CMakeLists.txt changes.
configure() {
  [ ! -e "$BUILD/$1/build.ninja" ] || return 0
  want_packages storage "gs:// and https://, which need these packages; ./run clean builds them in later"
  want_packages cluster "programs of several processes, which need these packages; ./run clean builds them in later"
  want_packages hdf5 "HDF5 (.h5), which needs this package; ./run clean builds it in later"
  want_packages page "the monitor's page, which needs this package; ./run clean builds it in later"
  with_arrow_if_possible
  say "configuring build/$1"
  mkdir -p "$BUILD/$1"
  if ! cmake --preset "$1" > "$BUILD/$1/configure.log" 2>&1; then
    cat "$BUILD/$1/configure.log" >&2
    rm -f "$BUILD/$1/build.ninja"
    die 4 "CMake could not configure build/$1." "./run clean, then the same command again"
  fi
}

# build PRESET TARGET...: the packages, the configuration, then ninja.
build() {
  local preset=$1
  shift
  need_build_tools
  configure "$preset"
  if ! NINJA_STATUS="[%f/%t] " ninja -C "$BUILD/$preset" -j "$(build_jobs)" "$@" 2>&1 |
    tee "$BUILD/$preset/build.log" | show_progress "build/$preset"; then
    grep -E -A 20 '^FAILED|: (fatal )?error:|: warning:|^ninja: error' "$BUILD/$preset/build.log" | head -n 80 >&2
    die 4 "the build failed. All of its output: build/$preset/build.log"
  fi
}

# show_progress FOLDER: ninja's lines become one that moves on a terminal, or a line each tenth in a file.
show_progress() {
  local terminal=0
  [ ! -t 2 ] || terminal=1
  awk -v terminal="$terminal" -v folder="$1" -F '[][/]' '
    !/^\[[0-9]+\/[0-9]+\]/ { next }
    terminal { printf "\r\033[K» building %s: %s", folder, substr($0, 1, 100); shown = 1; fflush(); next }
    int(10 * $2 / $3) > tenth { tenth = int(10 * $2 / $3); print "» building " folder ": " $2 " of " $3; fflush() }
    END { if (shown) printf "\r\033[K" }' >&2
}
