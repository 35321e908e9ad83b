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

// What `layer` gives for inputs of these types. Unknown axes of the result are those that change
// with the unknown axes of the inputs. Builds the layer.
std::vector<SymbolType> infer_types(const Layer& layer, const std::vector<SymbolType>& inputs);

}  // namespace systolic::inline v0
