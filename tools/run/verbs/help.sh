# shellcheck shell=bash
verb_help() {
  cat << 'TEXT'
usage: ./run VERB [ARGUMENT...]

  mnist [--data DIR] [--filters 32] [--epochs 2] ...   train the MNIST convnet (./run mnist --help: all options);
                                                       without --data MNIST is downloaded, or digits are drawn
  tests [--asan | --tsan | --tsan-all | --aarch64] [--all] [CTEST ARGUMENT...]
                                                       build everything, run tests and examples: the quick ones and
                                                       this commit's share of the others (--all: every one)
  example [NAME [ARGUMENT...]]                         build and run one of examples/; without NAME, list them
  systolic run | conformance ...                       run a StableHLO program, or a folder of test programs
  systolic compile | plan [--topology v5e:2x4] FILE    StableHLO before a TPU's own compiler; what it needs of a TPU
  systolic devices | doctor | tpus                     what there is to run on, and what is wrong with it
  systolic tfrecord VERB FILE... | arrays FILE         look at, check and write TFRecords, list weights
  fuzz TARGET [SECONDS]                                mutate what a reader reads, under sanitizers (tests/fuzz)
  bench [--peers] [--pairs 9] [ROW...]                 measure against TensorFlow, PyTorch and JAX
  lint [--all] [CHECK...]                              format, warnings in clang, layers, sizes, docs, scripts
  docs                                                 check the links of README and docs, build and run their code
  docs --site [DIR]                                    write them as a site of static pages (default: build/site)
  docs --sbom                                          print what a build links, as CycloneDX (JSON) with versions
  package [tarball | wheel | deb]... [--output DIR]    binaries for others, in build/packages (docs/install.md)
  package try [KIND...] | --against OLD                install them in clean roots | compare the library with an older one
  fetch                                                download all that a build needs, for a machine without network
  clean [--all]                                        remove build/ (--all: .deps too)

Each verb first does what is missing: packages (apt-get with root, unpacked under .deps without), oneDNN, the build in
build/release. Nothing missing costs less than a second.

environment
  CXX                    the compiler (default: the system's c++)
  SYSTOLIC_JOBS          compilers at once (default: by processors and free memory)
  SYSTOLIC_ROTATION      the share of slow tests that runs (default: by the commit; tests/rotation.txt)
  SYSTOLIC_PEERS_VENV    Python environment of the peers (default: .deps/peers)
  SYSTOLIC_MNIST_MIRRORS URLs of folders with MNIST's files, tried in turn (default: two public ones)
  SYSTOLIC_LIBTPU        the libtpu.so to compile with (default: .deps/libtpu; none: tests do without)
  SYSTOLIC_JAX_PYTHON    a Python with JAX and Flax for the plugin's tests (default: .deps/jax; none: skipped)
  SYSTOLIC_TENSORBOARD_PYTHON a Python with tensorboard 2.21 for its test (default: python3; none: skipped)
  SYSTOLIC_TOKENIZERS_PYTHON  a Python with tokenizers to compare ours with (default: .deps/tokenizers; none: skipped)
  GOMP_SPINCOUNT         how long idle OpenMP threads spin (default: 10000)

exit codes
  0  done                                  3  a download failed or was not what it should be
  1  a test, check or benchmark failed     4  the build failed
  2  wrong usage, or packages are missing (the command that installs them is printed)
  any other: that of the program run, 130 after Ctrl-C
TEXT
}
