# shellcheck shell=bash
# The Debian package: build/release, installed below /usr, with the libraries of this release.

package_deb() {
  have dpkg-deb || die 2 "a Debian package is made on Debian and Ubuntu: there is no dpkg-deb here."
  need_packages package
  build release
  local root=$BUILD/stage/deb
  rm -rf "$root"
  mkdir -p "$root/DEBIAN"
  DESTDIR=$root cmake --install "$RELEASE" --prefix /usr > /dev/null || die 4 "could not install build/release."
  python3 tools/package/make_deb.py --root "$root" --version "$(project_version)" --output "$1" --time "$(package_time)" ||
    die 4 "could not write the Debian package."
}
