# shellcheck shell=bash disable=SC2034
# Python packages that only tests need: virtual environments in .deps/NAME, of the versions in tools/run/NAME.txt.

# use_venv NAME VARIABLE: the tests find the Python in .deps, unless the user's VARIABLE names another.
use_venv() {
  if [ -e "$DEPS/$1/complete" ] && [ -z "${!2:-}" ]; then
    export "$2=$DEPS/$1/bin/python"
  fi
}

# need_pip: else VENV_REASON says why not.
need_pip() {
  VENV_REASON="there is no pip (install python3-pip)"
  python3 -m pip --version > /dev/null 2>&1
}

# has_venv NAME: whether it is there, of these versions.
has_venv() { cmp -s "$DEPS/$1/complete" "tools/run/$1.txt"; }

# install_venv NAME WHAT: by the system's pip, so that Debian's python3-venv is not needed; else VENV_REASON says why not.
install_venv() {
  local venv=$DEPS/$1 list=tools/run/$1.txt log=$DEPS/$1.log
  mkdir -p "$DEPS" && rm -rf "$venv"
  say "installing $2 in .deps/$1"
  if ! { python3 -m venv --without-pip "$venv" && python3 -m pip --python "$venv/bin/python" install --quiet \
    --disable-pip-version-check --no-deps --only-binary=:all: -r "$list"; } > "$log" 2>&1; then
    VENV_REASON="the installation failed: $(tail -n 1 "$log")"
    rm -rf "$venv"
    return 1
  fi
  cp "$list" "$venv/complete"
}
