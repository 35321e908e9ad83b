# shellcheck shell=bash
# ./run docs: links of README and docs lead somewhere; their programs build and run.
# ./run docs --site [DIR]: the documentation as static pages, with a search that needs no server.
# ./run docs --sbom: what a build links, as a bill of materials.
verb_docs() {
  case ${1:-} in
    --sbom) exec python3 tools/sbom.py --installed ;;
    --site) shift && docs_site "$@" && return ;;
    "") ;;
    *) die 2 "./run docs does not know '$1'." "./run docs, ./run docs --site [DIR], ./run docs --sbom" ;;
  esac
  need_packages lint
  python3 tools/check_docs.py links ./*.md docs/*.md || exit 1
  docs_programs || exit 1
}

# docs_site [DIR]: written and verified; DIR is build/site where none is named.
docs_site() {
  local folder=${1:-$BUILD/site}
  case $folder in
    /*) ;;
    *) folder=$INVOKED_FROM/$folder ;;
  esac
  have python3 || need_packages wheels
  mkdir -p "$(dirname "$folder")"
  python3 tools/site/build.py "$folder" && python3 tools/site/check.py "$folder" || exit 1
  say "open $folder/index.html"
}

# docs_programs: every ```cpp block that is a whole program (it has a main) is built against the library and run.
docs_programs() {
  local folder=$RELEASE/docs_programs program failed=0
  python3 tools/check_docs.py extract "$folder" README.md docs/*.md || return 1
  ls "$folder"/*.cc > /dev/null 2>&1 || return 0
  build release docs_programs mnist
  (cd "$folder" && "$RELEASE/bin/mnist" --smoke 1 --filters 8 > mnist.out 2>&1) || return 1 # the data they read
  for program in "$folder"/*.cc; do
    program=$(basename "$program" .cc)
    say "docs: $program"
    if ! (cd "$folder" && "$RELEASE/bin/$program" > "$program.out" 2>&1); then
      cat "$folder/$program.out" >&2
      say "docs: $program failed"
      failed=1
    fi
  done
  return $failed
}
