#include "tests/fuzz/targets.h"

#include <array>

namespace fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 7> all = {{{"text", text},
                                                 {"bytecode", bytecode},
                                                 {"program", program},
                                                 {"example", example},
                                                 {"tfrecord", tfrecord},
                                                 {"numpy", numpy},
                                                 {"safetensors", safetensors}}};
  return all;
}

}  // namespace fuzz
