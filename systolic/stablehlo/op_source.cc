#include "systolic/stablehlo/op_source.h"

#include <limits>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// The op at the byte among these and those in their regions.
const Operation* op_at(const std::vector<Operation>& ops, size_t offset) {
  for (const Operation& op : ops) {
    if (op.offset == offset) return &op;
    for (const Region& region : op.regions) {
      if (const Operation* found = op_at(region.operations, offset)) return found;
    }
  }
  return nullptr;
}

}  // namespace

OpSource source_of(std::string_view location) {
  constexpr std::string_view opening = "loc(\"", closing = ")";
  const size_t quote = location.rfind("\":");
  if (location.substr(0, opening.size()) != opening || quote == std::string_view::npos) return {};
  if (location.back() != closing[0] || quote < opening.size()) return {};
  int64_t line = 0, column = 0;
  OpSource source{.file = std::string(location.substr(opening.size(), quote - opening.size()))};
  const std::string_view place = location.substr(quote + 2, location.size() - quote - 3);
  const size_t colon = place.find(':');
  const bool numbers = colon != std::string_view::npos &&
                       parse_number(place.substr(0, colon), line) &&
                       parse_number(place.substr(colon + 1), column);
  constexpr int64_t most = std::numeric_limits<int>::max();
  if (!numbers || source.file.empty() || line > most || column > most) return {};
  source.line = static_cast<int>(line);
  source.column = static_cast<int>(column);
  return source;
}

OpSource source_at(const Program& program, size_t offset) {
  for (const Function& function : program.functions) {
    if (function.offset == offset) return source_of(function.location);
    if (const Operation* op = op_at(function.body.operations, offset)) {
      return source_of(op->location);
    }
  }
  return {};
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
