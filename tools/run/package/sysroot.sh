# shellcheck shell=bash
# .deps/sysroot: what portable binaries are compiled and linked against. The C library is that of an older release of this
# system (glibc 2.31: Debian 11, Ubuntu 20.04), so that the binaries start there, too; the other libraries are this release's.

SYSROOT=$DEPS/sysroot
SYSROOT_LIBC=(libc6 libc6-dev linux-libc-dev libgomp1)
SYSROOT_LIBRARIES=(zlib1g-dev libhwy-dev libjpeg-dev libpng-dev libwebp-dev nlohmann-json3-dev libonig-dev libcli11-dev
  libhdf5-dev)
# Which of the packages that those need belong to it: the others are the compiler's and the C library's.
SYSROOT_TAKES='^(zlib1g|libhwy|libjpeg|libpng|libwebp|libsharpyuv|nlohmann-json3|libonig|libcli11|libhdf5|libaec|libsz)'

need_sysroot() {
  [ ! -e "$SYSROOT/complete" ] || return 0
  have dpkg || die 2 "portable binaries are made on Debian and Ubuntu: there is no dpkg here."
  rm -rf "$SYSROOT" "$DEPS/sysroot.apt"
  mkdir -p "$SYSROOT" "$DEPS/sysroot.apt/deb"
  say "making .deps/sysroot: the C library of $(older_release), this system's libraries"
  older_sources > "$DEPS/sysroot.apt/older.list"
  if ! download_older "${SYSROOT_LIBC[@]}" || ! download_libraries; then
    die 3 "could not download the packages of .deps/sysroot."
  fi
  local package
  for package in "$DEPS"/sysroot.apt/deb/*.deb; do
    dpkg -x "$package" "$SYSROOT" || die 3 "could not unpack $package"
  done
  rm -r "$DEPS/sysroot.apt"
  mend_sysroot
  touch "$SYSROOT/complete"
}

# older_release: the release of this system's kind with glibc 2.31.
older_release() {
  case $(. /etc/os-release && echo "$ID") in
    debian) echo bullseye ;;
    ubuntu) echo focal ;;
    *) die 2 "portable binaries are made on Debian and Ubuntu." ;;
  esac
}

# older_sources: a sources.list of that release, from where this system's own packages come.
older_sources() {
  local uri
  # shellcheck disable=SC2016  # apt's own notation
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | grep -v security | head -n 1)
  echo "deb $uri $(older_release) main"
}

# apt_alone ARGUMENT...: apt-get that knows of no installed package.
apt_alone() {
  local own=${APT_FOLDER:-$DEPS/sysroot.apt}
  : > "$own/status"
  mkdir -p "$own/state/lists/partial" "$own/cache/archives/partial"
  apt-get -o Dir::State="$own/state" -o Dir::Cache="$own/cache" -o Dir::State::status="$own/status" \
    -o APT::Architecture="${APT_ARCHITECTURE:-$(dpkg --print-architecture)}" \
    -o APT::Architectures="${APT_ARCHITECTURE:-$(dpkg --print-architecture)}" -o Debug::NoLocking=1 -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" "$@"
}

download_older() {
  local own=$DEPS/sysroot.apt
  local older=(-o Dir::Etc::sourcelist="$own/older.list" -o Dir::Etc::sourceparts=-)
  apt_alone "${older[@]}" update -qq >&2 && (cd "$own/deb" && apt_alone "${older[@]}" download -qq "$@" >&2) &&
    rm -r "$own/state"
}

download_libraries() {
  local wanted
  apt_alone update -qq >&2 || return 1
  mapfile -t wanted < <(apt_alone install -s --no-install-recommends "${SYSROOT_LIBRARIES[@]}" |
    awk '$1 == "Inst" {print $2}' | grep -E "$SYSROOT_TAKES")
  [ ${#wanted[@]} -gt 0 ] && (cd "$DEPS/sysroot.apt/deb" && apt_alone download -qq "${wanted[@]}" >&2)
}

# mend_sysroot: links that lead to the running system's root lead into the sysroot; where there is an archive of a library,
# its shared form goes, so that the binaries need none.
mend_sysroot() {
  local link target archive
  while read -r link; do
    target=$(readlink "$link")
    case $target in
      /*) ln -sfn "$SYSROOT$target" "$link" ;;
    esac
  done < <(find "$SYSROOT" -type l)
  for archive in "$SYSROOT/usr/lib/$MULTIARCH"/lib{z,png16,png,jpeg,webp,sharpyuv,aec,sz}.a; do
    rm -f "${archive%.a}".so*
  done
  for archive in "$SYSROOT/usr/lib/$MULTIARCH"/lib{png16,jpeg,hdf5_serial}.a; do
    ! nm "$archive" 2> /dev/null | grep -q ' U stderr$' || own_stderr "$archive"
  done
}

# own_stderr ARCHIVE: it is compiled for programs, which may read the C library's stderr where it lies; a shared library may
# not. It reads a copy of its own.
own_stderr() {
  local name object
  name=$(basename "$1" .a)_stderr
  object=$(dirname "$1")/$name.o
  cc -c -O2 -fPIC -x c -D "own=$name" -o "$object" - <<'END' || die 3 "could not compile what $1 needs."
extern struct _IO_FILE *stderr;
__attribute__((visibility("hidden"))) struct _IO_FILE *own;
__attribute__((constructor)) static void set_own(void) { own = stderr; }
END
  objcopy --redefine-sym stderr="$name" "$1" && ar r "$1" "$object" 2> /dev/null && rm "$object"
}
