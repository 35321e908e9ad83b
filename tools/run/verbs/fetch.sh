# shellcheck shell=bash
# ./run fetch: what the other verbs would download, at once. Afterwards no verb but `bench --peers` needs a network.
verb_fetch() {
  need_packages build lint
  need_onednn
  say "all there: packages, oneDNN ($([ -d "$DEPS/onednn" ] && echo .deps/onednn || echo "the system's"))"
}
