# shellcheck shell=bash disable=SC2034
# What every part of ./run uses: messages, locations, how many jobs.

DEPS=$ROOT/.deps        # what ./run fetched: oneDNN, packages unpacked without root, the peers' environment
BUILD=$ROOT/build       # build/release, build/clang, build/asan, build/tsan
RELEASE=$BUILD/release

# say TEXT...: a line about what ./run itself does, on standard error, apart from the programs' output.
say() { printf '» %s\n' "$*" >&2; }

# die CODE WHAT [HINT]: the one form of an error here.
die() {
  printf './run: %s\n' "$2" >&2
  [ $# -lt 3 ] || printf '  hint: %s\n' "$3" >&2
  exit "$1"
}

have() { command -v "$1" > /dev/null 2>&1; }

# processors: those this process may use, by affinity and by the container's share.
processors() {
  local count quota period
  count=$(nproc)
  if [ -r /sys/fs/cgroup/cpu.max ]; then
    read -r quota period < /sys/fs/cgroup/cpu.max
    if [ "$quota" != max ] && [ $((quota / period)) -lt "$count" ]; then
      count=$((quota / period))
    fi
  fi
  echo $((count > 0 ? count : 1))
}

# free_megabytes: memory that new processes can have, by the kernel's estimate and the container's limit.
free_megabytes() {
  local free limit used
  free=$(awk '/^MemAvailable:/ {print int($2 / 1024)}' /proc/meminfo)
  if [ -r /sys/fs/cgroup/memory.max ] && [ "$(cat /sys/fs/cgroup/memory.max)" != max ]; then
    limit=$(($(cat /sys/fs/cgroup/memory.max) >> 20))
    used=$(($(cat /sys/fs/cgroup/memory.current) >> 20))
    [ $((limit - used)) -ge "$free" ] || free=$((limit - used))
  fi
  echo "$free"
}

# build_jobs: one compiler needs up to 1.5 GB; SYSTOLIC_JOBS overrides.
build_jobs() {
  local by_memory by_processor
  by_processor=$(processors)
  by_memory=$(($(free_megabytes) / 1500))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo "${SYSTOLIC_JOBS:-$((by_memory < by_processor ? by_memory : by_processor))}"
}


# libgomp's idle threads spin 8 ms after each parallel region unless told otherwise when the process starts; that
# time belongs to the input pipeline.
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-10000}

# run_program PROGRAM ARGUMENT...: in place of this script, where the user stood, so that paths mean what they meant.
run_program() {
  cd "$INVOKED_FROM" || exit
  exec "$@"
}
