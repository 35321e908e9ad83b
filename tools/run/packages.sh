# shellcheck shell=bash
# The system's packages: which are missing, and how they come. With root by apt-get install; without root they are
# downloaded and unpacked under .deps/root (unpacked.sh).

CERTIFICATES=/etc/ssl/certs/ca-certificates.crt
CERTIFICATES_PARTS=/usr/share/ca-certificates/mozilla

# is_present PROBE: whether a row of packages.txt is already there.
is_present() {
  local folder
  case $1 in
    cmd:c++) [ -n "${CXX:-}" ] || have c++ || have g++ || have clang++ ;;
    cmd:*) have "${1#cmd:}" ;;
    clang:*) have clang++-14 && [ -e "$(clang++-14 -print-resource-dir)/lib/linux/${1#clang:}" ] ;;
    pip | venv) have python3 && python3 -c "import $1$([ "$1" = pip ] || echo , ensurepip)" 2> /dev/null ;;
    certificates) [ -e "$CERTIFICATES" ] || [ -d "$DEPS/root$CERTIFICATES_PARTS" ] ;;
    *)
      for folder in {,"$DEPS/root"}/usr/include{,"/$MULTIARCH"} /usr/local/include; do
        [ ! -e "$folder/$1" ] || return 0
      done
      return 1
      ;;
  esac
}

# missing_packages USE...: the packages of these uses that are not there, one a line.
missing_packages() {
  local use package probe wanted
  while read -r use package probe; do
    for wanted in "$@"; do
      if [ "$use" = "$wanted" ] && ! is_present "$probe"; then
        echo "$package"
      fi
    done
  done < <(grep -v '^#' tools/run/packages.txt) | sort -u
}

# need_packages USE...: makes the packages of these uses present, or ends with the command that would.
need_packages() {
  local missing command
  use_unpacked
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  command="apt-get install -y --no-install-recommends ${missing[*]}"
  have apt-get || die 2 "these packages are missing: ${missing[*]}" "install them with this system's package manager"
  if [ "$(id -u)" = 0 ]; then
    install_packages "${missing[@]}" || die 2 "could not install packages. The command is:" "$command"
  else
    unpack_packages "${missing[@]}" || die 2 "could not download packages. As root, run:" "$command"
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] || die 2 "still missing after installation: ${missing[*]}" "$command"
}

# need_sanitizers: in two steps, for Ubuntu 22.04's clang brings the run time itself and has no package of it.
need_sanitizers() {
  need_packages build clang
  need_packages sanitize
}

# want_packages USE WITHOUT: the same, where the build can do without them.
want_packages() {
  (need_packages "$1") || say "LEFT OUT: $2"
  use_unpacked
}

install_packages() {
  say "apt-get install $*"
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "$@" > /dev/null 2>&1 && return 0
  apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "$@" >&2
}
