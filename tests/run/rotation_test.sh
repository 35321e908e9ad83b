#!/usr/bin/env bash
# What the rotation (tools/run/rotation.sh) leaves to other commits: with a history, without one, and without git; and
# whether tests/rotation.txt is in order.
set -euo pipefail
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
source "$ROOT/tools/run/common.sh"
source "$ROOT/tools/run/rotation.sh"
unset SYSTOLIC_ROTATION

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
# expect WHAT GOT WANTED
expect() {
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    printf 'FAILED: %s\n  got: %s\n  expected: %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}

expect "no name stands twice in a stage" \
  "$(awk '!/^#/ {for (i = 3; i <= NF; ++i) if (seen[$1, $i]++) print $1, $i}' "$ROOT/$ROTATION_TABLE")" ""
expect "shares are numbered from 0, and ten commits take all" \
  "$(awk '!/^#/ && NF {has[$1, $2] = 1; if ($2 > last[$1]) last[$1] = $2}
    END {for (s in last) {if (last[s] > 9) print s; for (i = 0; i <= last[s]; ++i) if (!has[s, i]) print s, i}}' \
    "$ROOT/$ROTATION_TABLE")" ""

ROTATION_TABLE=$work/table
printf '# a comment\nslow 0 a b\nslow 1 c\nslow 0 d\nslow 2 e\nother 0 f\n' > "$ROTATION_TABLE"
left() { rotation_left slow | xargs; }
expect "share 0" "$(SYSTOLIC_ROTATION=0 left)" "c e"
expect "share 1" "$(SYSTOLIC_ROTATION=4 left)" "a b d e"
expect "share 2" "$(SYSTOLIC_ROTATION=5 left)" "a b c d"
expect "a stage of one share" "$(rotation_left other)" ""
expect "a stage without shares" "$(rotation_left quick)" ""
expect "all" "$(leave_nothing && left)" ""
names=$(printf '%s\n' a.cc b.cc c.cc d.cc e.cc f.cc g.cc h.cc)
thirds=$(for number in 0 1 2; do SYSTOLIC_ROTATION=$number rotation_third <<< "$names"; done)
expect "three thirds are all, each once" "$(sort <<< "$thirds")" "$names"
expect "a third of all is all" "$(leave_nothing && rotation_third <<< "$names")" "$names"

export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_CEILING_DIRECTORIES=$work
ROOT=$work/repository
mkdir "$ROOT"
expect "without git" "$(rotation_number)" 0
git -C "$ROOT" init -q 2> /dev/null
expect "without a commit" "$(rotation_number)" 0
seen=()
for number in 1 2 3; do
  git -C "$ROOT" commit -q --allow-empty -m "$number"
  expect "commit $number" "$(rotation_number)" "$number"
  seen+=("$(left)")
done
expect "commits that follow each other take all shares" "$(printf '%s\n' "${seen[@]}" | sort -u | wc -l)" 3
git clone -q --depth 1 "file://$ROOT" "$work/shallow"
hash=$(git -C "$ROOT" rev-parse HEAD)
ROOT=$work/shallow
expect "a shallow clone goes by the hash" "$(rotation_number)" $((16#${hash:0:7}))
exit "$failures"
