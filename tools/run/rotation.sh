# shellcheck shell=bash
# The rotation: a commit runs everything quick and one share of what takes long; other commits run the other shares.
# tests/rotation.txt has the shares, `--all` runs all of them.

ROTATION_TABLE=tests/rotation.txt
ROTATION_ALL=0

# leave_nothing: all shares run.
leave_nothing() { ROTATION_ALL=1; }

# rotation_number: the commit's number, which chooses the shares. It is HEAD's place in the history, so N commits that
# follow each other run all of N shares. A shallow clone has no history: its commit's hash takes any share as likely.
# Without git it is 0. SYSTOLIC_ROTATION overrides.
rotation_number() {
  local git=(git -c "safe.directory=$ROOT" -C "$ROOT") number=
  case $("${git[@]}" rev-parse --is-shallow-repository 2> /dev/null) in
    false) number=$("${git[@]}" rev-list --count --first-parent HEAD 2> /dev/null) || true ;;
    true) number=$((16#$("${git[@]}" rev-parse HEAD | head -c 7))) ;;
  esac
  echo "${SYSTOLIC_ROTATION:-${number:-0}}"
}

# rotation_shares STAGE: how many there are.
rotation_shares() {
  awk -v stage="$1" '$1 == stage && $2 >= shares {shares = $2 + 1} END {print shares + 0}' "$ROTATION_TABLE"
}

# rotation_left STAGE: what this commit leaves to others, one a line.
rotation_left() {
  local shares
  shares=$(rotation_shares "$1")
  [ "$ROTATION_ALL" = 0 ] && [ "$shares" -gt 0 ] || return 0
  awk -v stage="$1" -v share=$(($(rotation_number) % shares)) \
    '$1 == stage && $2 != share {for (i = 3; i <= NF; ++i) print $i}' "$ROTATION_TABLE"
}

# rotation_third: of the names that come in, one a line, this commit's third, by their checksums: for what is too much to
# name in the table. `--all` takes all.
rotation_third() {
  python3 -c 'import sys, zlib
all, number = (int(word) for word in sys.argv[1:])
sys.stdout.writelines(name for name in sys.stdin if all or zlib.crc32(name.encode()) % 3 == number % 3)' \
    "$ROTATION_ALL" "$(rotation_number)"
}

# say_rotation STAGE COMMAND: what is left, and the COMMAND that runs all. .ci/run looks for these lines.
say_rotation() {
  local left shares
  left=$(rotation_left "$1" | xargs)
  if [ -n "$left" ]; then
    shares=$(rotation_shares "$1")
    say "ROTATION: $1: share $(($(rotation_number) % shares + 1)) of $shares; left to other commits ($2 runs all): $left"
  fi
}
