# shellcheck shell=bash
# ./run tests --aarch64: the unit tests of the folders below everything else, cross-compiled for 64-bit ARM and run by qemu's
# user emulation.
source tools/run/package/sysroot.sh

AARCH64_FOLDERS=(base core ir cpu_kernels)
# qemu adds a line of its own to what a program says that dies of a signal. The others need oneDNN.
AARCH64_LEFT_OUT=(ChildProcess.SurvivesItsDeath
  Convolution.AutomaticAgreesWithTheDefinition
  Convolution.DirectAgreesWithTheDefinition
  Convolution.DirectAgreesWithTheDefinitionInBfloat16
  Convolution.GradientsCanBeHadOneByOne
  Convolution.GivesTheSameBitsEachTime
  Matmul.OnednnAgreesWithDouble
  Matmul.SumsOfBytesAreExact
  Matmul.OtherTypesAgreeWithDouble
  Matmul.GroupsOfMatrices
  Matmul.LargeF32AgreesWithDouble)
AARCH64_LIBRARIES=(zlib1g-dev libhwy-dev libjpeg-dev libpng-dev libwebp-dev nlohmann-json3-dev libonig-dev libcli11-dev libgtest-dev)
AARCH64_TAKES='^(zlib1g|libhwy|libjpeg|libpng|libwebp|libsharpyuv|nlohmann-json3|libonig|libcli11|libgtest|googletest)'

# need_aarch64: the compiler, the emulator, and .deps/aarch64, the libraries of that architecture.
need_aarch64() {
  local folder=$DEPS/aarch64 package
  need_packages build aarch64
  need_onednn # its headers
  [ ! -e "$folder/complete" ] || return 0
  say "making .deps/aarch64: libraries for 64-bit ARM"
  rm -rf "$folder" "$folder.apt" && mkdir -p "$folder" "$folder.apt/deb"
  APT_FOLDER=$folder.apt APT_ARCHITECTURE=arm64 download_aarch64 || die 3 "could not download the packages of .deps/aarch64."
  for package in "$folder.apt"/deb/*.deb; do
    dpkg -x "$package" "$folder" || die 3 "could not unpack $package"
  done
  rm -r "$folder.apt"
  make_onednn_stub "$folder/onednn" || die 4 "could not compile the stand-in for oneDNN."
  touch "$folder/complete"
}

# make_onednn_stub FOLDER: no oneDNN 3 is packaged for the architecture, and to build one takes longer than all of these tests.
# So programs link one whose functions end the process; the tests that need them are left out.
make_onednn_stub() {
  mkdir -p "$1/lib"
  cp -r "$DEPS/onednn/include" "$1/"
  {
    echo '#include <stdlib.h>'
    nm -D --defined-only "$DEPS/onednn/lib/libdnnl.so.3" |
      awk '$2 == "T" && $3 ~ /^dnnl_/ {sub(/@.*/, "", $3); print "void " $3 "(void) { abort(); }"}'
  } > "$1/stub.c"
  aarch64-linux-gnu-gcc -shared -fPIC -Wl,-soname,libdnnl.so.3 -o "$1/lib/libdnnl.so.3" "$1/stub.c"
}

download_aarch64() {
  local wanted
  apt_alone update -qq >&2 || return 1
  mapfile -t wanted < <(apt_alone install -s --no-install-recommends "${AARCH64_LIBRARIES[@]}" |
    awk '$1 == "Inst" {print $2}' | grep -E "$AARCH64_TAKES")
  [ ${#wanted[@]} -gt 0 ] && (cd "$APT_FOLDER/deb" && apt_alone download -qq "${wanted[@]}" >&2)
}

tests_aarch64() {
  need_aarch64
  build aarch64 "${AARCH64_FOLDERS[@]/%/_test}"
  local names filter
  filter=$(IFS=: && echo "-${AARCH64_LEFT_OUT[*]}")
  names=$(printf '|%s' "${AARCH64_FOLDERS[@]}")
  say "tests of build/aarch64"
  GTEST_FILTER=$filter ctest --test-dir "$BUILD/aarch64" --output-on-failure --no-tests=error \
    --parallel "$(processors)" -R "^(${names#|})\$" "$@"
}
