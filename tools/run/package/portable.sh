# shellcheck shell=bash
# The tarball and the wheel: both come from build/package, which is compiled against .deps/sysroot.

PORTABLE=$BUILD/package
PORTABLE_GLIBC=2.31

package_tarball() {
  local name folder
  name=systolic-$(project_version)-linux-$(uname -m)
  build_portable
  folder=$BUILD/stage/$name
  rm -rf "$folder"
  stage_tarball "$folder"
  check_older_libc "$folder"
  tar --sort=name --owner=0 --group=0 --mtime=@"$(package_time)" -C "$BUILD/stage" -czf "$1/$name.tar.gz" "$name" ||
    die 4 "could not write $1/$name.tar.gz"
  say "$1/$name.tar.gz"
}

package_wheel() {
  build_portable
  rm -rf "$BUILD/stage/wheel"
  mkdir -p "$BUILD/stage/wheel/libraries"
  copy_libraries "$BUILD/stage/wheel/libraries"
  put_binary lib/libsystolic_pjrt.so "$BUILD/stage/wheel/libraries/libsystolic_pjrt.so" .
  put_binary bin/systolic "$BUILD/stage/wheel/systolic" ../jax_plugins/systolic
  check_older_libc "$BUILD/stage/wheel"
  python3 tools/package/make_wheel.py --version "$(project_version)" --stage "$BUILD/stage/wheel" --output "$1" \
    --time "$(package_time)" --platform "manylinux_${PORTABLE_GLIBC/./_}_$(uname -m)" || die 4 "could not write the wheel."
}

# package_time: of the last commit, so that the same sources make the same bytes.
package_time() { git log -1 --format=%ct 2> /dev/null || date +%s; }

build_portable() {
  need_build_tools
  need_packages wheels
  need_packages package
  need_sysroot
  build package
}

# stage_tarball FOLDER: what the tarball holds.
stage_tarball() {
  mkdir -p "$1"/{bin,lib/cmake/systolic,lib/pkgconfig,share/doc/systolic}
  cmake --install "$PORTABLE" --prefix "$1" --component headers > /dev/null || die 4 "could not install the headers."
  cp -P "$PORTABLE"/lib/libsystolic.so* "$1/lib/"
  put_binary "lib/libsystolic.so.$(project_version)" "$1/lib/libsystolic.so.$(project_version)" .
  put_binary lib/libsystolic_pjrt.so "$1/lib/libsystolic_pjrt.so" .
  put_binary bin/systolic "$1/bin/systolic" ../lib
  copy_libraries "$1/lib"
  merge_archives "$1/lib/libsystolic.a"
  local file
  for file in systolicConfig.cmake systolicConfigVersion.cmake systolic.pc; do
    sed -e "s/@VERSION@/$(project_version)/g" "tools/package/$file.in" > "$1/lib/cmake/systolic/$file"
  done
  mv "$1/lib/cmake/systolic/systolic.pc" "$1/lib/pkgconfig/"
  cp LICENSE README.md "$1/share/doc/systolic/"
  cp tools/package/licences.txt "$1/share/doc/systolic/LICENCES-of-libraries.txt"
}

# put_binary BUILT TARGET FOLDER: without what only debuggers read; it finds its libraries in FOLDER, told from where it lies.
put_binary() {
  strip --strip-unneeded -o "$2" "$PORTABLE/$1" || die 4 "could not write $2"
  patchelf --set-rpath "\$ORIGIN/$3" "$2" || die 4 "could not write to $2 where its libraries are"
}

# copy_libraries FOLDER: the shared libraries that have no archive, and oneDNN with its threads.
copy_libraries() {
  local name
  for name in libhwy.so.1 libonig.so.5 libgomp.so.1; do
    cp -L "$SYSROOT/usr/lib/$MULTIARCH/$name" "$1/$name" || die 4 "$name is not in .deps/sysroot"
  done
  cp -L "$DEPS/onednn/lib/libdnnl.so.3" "$1/libdnnl.so.3"
  chmod 644 "$1"/lib*.so.*
  for name in libhwy.so.1 libonig.so.5 libdnnl.so.3; do
    patchelf --set-rpath "\$ORIGIN" "$1/$name"
  done
}

# merge_archives FILE: one archive of ours, and of the libraries inside libsystolic.so.
merge_archives() {
  local archive
  {
    echo "create $1"
    echo "addmod $SYSROOT/older_libc.o"
    for archive in "$PORTABLE"/lib/libsystolic_*.a "$SYSROOT/usr/lib/$MULTIARCH"/lib{z,png16,jpeg,webp,sharpyuv}.a; do
      [ ! -e "$archive" ] || echo "addlib $archive"
    done
    echo save
    echo end
  } | ar -M || die 4 "could not write $1"
  strip --strip-debug "$1"
}

# check_older_libc FOLDER: no file asks for a newer C library than the one we name, or for a C++ library's newest names.
check_older_libc() {
  local file
  while read -r file; do
    check_newest "$file" GLIBC "$PORTABLE_GLIBC"
    check_newest "$file" GLIBCXX 3.4.28
  done < <(find "$1" -type f \( -name '*.so*' -o -path '*/bin/*' -o -name systolic \))
}

# check_newest FILE NAME VERSION: of the versions NAME_... that the file asks for none is newer. It may ask for none.
check_newest() {
  local newest
  newest=$(objdump -T "$1" 2> /dev/null | grep -oE "${2}_[0-9.]+" | sort -uV | tail -n 1) || true
  [ "$(printf '%s\n' "${newest:-${2}_0}" "${2}_$3" | sort -V | tail -n 1)" = "${2}_$3" ] ||
    die 4 "$1 asks for $newest, expected at most ${2}_$3"
}

# compare_tarballs OLD OUTPUT: what abidiff says of the two shared libraries. Its answer, as a set of bits: 4 something
# changed, 8 so that programs made with the old one do not run with the new one.
compare_tarballs() {
  local work=$BUILD/stage/against new
  need_packages abi
  new=$2/systolic-$(project_version)-linux-$(uname -m).tar.gz
  [ -e "$1" ] || die 2 "--against $1: there is no such file."
  [ -e "$new" ] || die 2 "$new is not there." "./run package tarball makes it"
  rm -rf "$work" && mkdir -p "$work"/{old,new}
  tar -xf "$1" -C "$work/old" || die 3 "could not unpack $1"
  tar -xf "$new" -C "$work/new" || die 3 "could not unpack $new"
  abidiff --no-added-syms "$(find "$work/old" -name 'libsystolic.so.*.*.*')" "$(find "$work/new" -name 'libsystolic.so.*.*.*')"
}
