#include "tests/fuzz/targets.h"

#include <array>

namespace fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 16> all = {{{"text", text},
                                                  {"bytecode", bytecode},
                                                  {"program", program},
                                                  {"example", example},
                                                  {"tfrecord", tfrecord},
                                                  {"numpy", numpy},
                                                  {"safetensors", safetensors},
                                                  {"pickle", pickle},
                                                  {"image", image},
                                                  {"path", path},
                                                  {"answer", answer},
                                                  {"state", state},
                                                  {"table", table},
                                                  {"tokenizer", tokenizer},
                                                  {"encode", encode},
                                                  {"config", config}}};
  return all;
}

}  // namespace fuzz
