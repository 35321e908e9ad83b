// What a Symbol points to: one call of one layer, or an input. Internal to nn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/symbol.h"

namespace systolic::inline v0 {

struct SymbolNode {
  uint64_t number = 0;         // in the order of making: inputs come before their users
  std::optional<Layer> layer;  // none: an input of the network
  std::string input_name;
  InputRules rules;
  std::vector<Symbol> inputs;
  std::vector<SymbolType> outputs;
  SourceLocation location;
};

std::shared_ptr<SymbolNode> make_symbol_node(SymbolNode node);

}  // namespace systolic::inline v0
