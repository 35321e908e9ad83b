#include "tests/fuzz/targets.h"

#include <array>

namespace fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 24> all = {{{"text", text},
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
                                                  {"parquet", parquet},
                                                  {"tokenizer", tokenizer},
                                                  {"encode", encode},
                                                  {"template", chat_template},
                                                  {"config", config},
                                                  {"h5", h5},
                                                  {"bundle", bundle},
                                                  {"keras", keras},
                                                  {"saved_model", saved_model},
                                                  {"checkpoint", checkpoint},
                                                  {"rpc", rpc}}};
  return all;
}

}  // namespace fuzz
