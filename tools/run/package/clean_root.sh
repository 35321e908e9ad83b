# shellcheck shell=bash
# ./run package try: installs each package in a root of its own that has nothing else, made by debootstrap, and builds and
# runs README's program there. Needs root.

ROOTS=$DEPS/roots

# try_packages OUTPUT KIND...: of the packages in that folder.
try_packages() {
  local output=$1 kind started
  shift
  [ "$(id -u)" = 0 ] || die 2 "clean roots are made by debootstrap, which needs root."
  need_packages roots
  write_readme_project
  for kind in "$@"; do
    started=$SECONDS
    if "try_$kind" "$output"; then
      say "package $kind: works in a clean root ($((SECONDS - started)) s with making it)"
    else
      die 4 "the $kind does not work in a clean root, $ROOTS/$kind"
    fi
    rm -rf "${ROOTS:?}/$kind"
  done
}

try_tarball() {
  local name
  name=systolic-$(project_version)-linux-$(uname -m)
  new_root tarball "$(current_release)" g++ cmake make pkg-config || return 1
  tar -xf "$1/$name.tar.gz" -C "$ROOTS/tarball/opt" || return 1
  in_root tarball "cd /readme && time sh -ec 'cmake -B build -DCMAKE_PREFIX_PATH=/opt/$name > /dev/null; cmake --build build; ./build/readme' &&
    PKG_CONFIG_PATH=/opt/$name/lib/pkgconfig sh -ec 'g++ \$(pkg-config --cflags systolic) main.cc \$(pkg-config --libs systolic) -o by_pkg_config; ./by_pkg_config' > /dev/null &&
    /opt/$name/bin/systolic devices" || return 1
  # The oldest C library that it is for.
  rm -rf "${ROOTS:?}/tarball"
  new_root tarball "$(older_release)" || return 1
  tar -xf "$1/$name.tar.gz" -C "$ROOTS/tarball/opt" || return 1
  in_root tarball "/opt/$name/bin/systolic devices"
}

try_deb() {
  new_root deb "$(current_release)" || return 1
  cp "$1/systolic_$(project_version)_$(dpkg --print-architecture).deb" "$ROOTS/deb/opt/systolic.deb" || return 1
  in_root deb "apt-get update -qq && apt-get install -y -qq --no-install-recommends /opt/systolic.deb make > /dev/null &&
    systolic devices && cd /readme && time sh -ec 'cmake -B build > /dev/null; cmake --build build; ./build/readme'"
}

try_wheel() {
  new_root wheel "$(current_release)" python3-venv ca-certificates || return 1
  cp "$1"/systolic-"$(project_version)"-py3-none-*.whl "$ROOTS/wheel/opt/" || return 1
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$ROOTS/wheel/etc/pip.conf"
  [ -z "${PIP_CERT:-}" ] || install -D "$PIP_CERT" "$ROOTS/wheel$PIP_CERT"
  in_root wheel "python3 -m venv /venv && /venv/bin/pip install --quiet --disable-pip-version-check /opt/systolic-*.whl 'jax[cpu]' &&
    /venv/bin/systolic devices && JAX_PLATFORMS=systolic /venv/bin/python -c '
import jax, jax.numpy as jnp
assert len(jax.devices()) == 8, jax.devices()
x = jnp.arange(12.0).reshape(3, 4)
assert float(jnp.sum(jax.jit(lambda x: x @ x.T)(x))) == 12.0**2 + 15.0**2 + 18.0**2 + 21.0**2
print(jax.devices())'"
}

# current_release: bookworm, jammy.
current_release() { . /etc/os-release && echo "$VERSION_CODENAME"; }

# new_root NAME RELEASE PACKAGE...: a minimal system with these packages, below .deps/roots; what debootstrap made is kept.
new_root() {
  local folder=$ROOTS/$1 release=$2 kept=$ROOTS/$2.tar uri
  shift 2
  mkdir -p "$ROOTS"
  rm -rf "$folder"
  if [ ! -e "$kept" ]; then
    # shellcheck disable=SC2016  # apt's own notation
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | grep -v security | head -n 1)
    say "debootstrap of $release"
    debootstrap --variant=minbase "$release" "$ROOTS/$release" "$uri" > "$ROOTS/$release.log" 2>&1 ||
      { tail -n 3 "$ROOTS/$release.log" >&2; return 1; }
    tar -C "$ROOTS/$release" -cf "$kept" . && rm -rf "${ROOTS:?}/$release"
  fi
  mkdir -p "$folder" && tar -C "$folder" -xf "$kept" || return 1
  mkdir -p "$folder/readme" && cp -r "$ROOTS/readme/." "$folder/readme/"
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
  cp -rL /etc/apt/apt.conf.d/. "$folder/etc/apt/apt.conf.d/" 2> /dev/null || true
  [ $# -eq 0 ] || in_root "$(basename "$folder")" "apt-get update -qq && apt-get install -y -qq --no-install-recommends $* > /dev/null"
}

# in_root NAME SHELL TEXT: with /proc and /dev of its own mount namespace, which end with it. Nothing of this shell's
# environment is there but what says how packages are downloaded.
in_root() {
  local folder=$ROOTS/$1 variable clean=(HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  while read -r variable; do
    clean+=("$variable=${!variable}")
  done < <(compgen -e | grep -iE '^(pip_|.*_proxy$)')
  # shellcheck disable=SC2016  # the inner shell's
  unshare --mount --fork sh -ec '
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    folder=$0 text=$1
    shift
    exec chroot "$folder" /usr/bin/env -i "$@" bash -c "$text"' "$folder" "$2" "${clean[@]}"
}

# write_readme_project: README's program, its CMake lines, and the digits that it reads.
write_readme_project() {
  local folder=$ROOTS/readme
  build release mnist
  rm -rf "$folder" && mkdir -p "$folder/blocks"
  python3 tools/check_docs.py extract "$folder/blocks" README.md || return 1
  cp "$folder"/blocks/*.cc "$folder/main.cc"
  rm -r "$folder/blocks"
  cat > "$folder/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(readme LANGUAGES CXX)
find_package(systolic CONFIG REQUIRED)
add_executable(readme main.cc)
target_link_libraries(readme PRIVATE systolic::systolic)
END
  # shellcheck disable=SC2153  # of common.sh
  (cd "$folder" && "$RELEASE/bin/mnist" --smoke 1 --filters 8 > mnist.out 2>&1)
}
