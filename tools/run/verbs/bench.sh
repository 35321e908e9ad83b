# shellcheck shell=bash
# ./run bench [--peers] [--pairs N] [--data DIR] [--sentences FILE] [--json FILE] [ROW...]: tools/bench/rows.py has the
# rows.
# ./run bench roofline [--below PERCENT] [NETWORK...]: the ops that are far from what the processor can do, and why.
# ./run bench growth [--folder DIR] [CURVE...]: how a step's time and memory grow, as pictures.
verb_bench() {
  local arguments=() argument
  for argument in "$@"; do
    if [ "$argument" = --peers ]; then
      install_peers
    else
      arguments+=("$argument")
    fi
  done
  need_packages lint
  build release all benchmarks
  cd "$INVOKED_FROM" || exit
  local program=bench
  case ${arguments[0]-} in
    roofline | growth)
      program=${arguments[0]}
      arguments=("${arguments[@]:1}")
      ;;
  esac
  exec python3 "$ROOT/tools/bench/$program.py" "${arguments[@]}"
}

# install_peers: TensorFlow, JAX and PyTorch in an environment of their own; nothing of ours uses it.
install_peers() {
  local venv=${SYSTOLIC_PEERS_VENV:-$DEPS/peers}
  if [ -e "$venv/complete" ] && cmp -s "$venv/complete" tools/bench/peers.txt; then
    return 0
  fi
  need_packages peers
  say "installing the peers in $venv; this takes minutes and some gigabytes"
  python3 -m venv "$venv" || die 3 "could not make $venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r tools/bench/peers.txt >&2 ||
    die 3 "could not install the peers." "what is wanted: tools/bench/peers.txt"
  cp tools/bench/peers.txt "$venv/complete"
}
