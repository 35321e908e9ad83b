#include "tests/fuzz/targets.h"

#include <array>

namespace fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 8> all = {{{"text", text},
                                                 {"bytecode", bytecode},
                                                 {"program", program},
                                                 {"example", example},
                                                 {"tfrecord", tfrecord},
                                                 {"numpy", numpy},
                                                 {"safetensors", safetensors},
                                                 {"pickle", pickle}}};
  return all;
}

}  // namespace fuzz
