#include "systolic/train/step/declared_input_ranges.h"

#include <utility>

namespace systolic::inline v0 {

std::optional<std::vector<InputRange>> declared_input_ranges(const Network& network,
                                                             const std::vector<ir::Type>& inputs) {
  std::vector<SymbolType> types;
  for (const ir::Type& input : inputs) types.push_back({input.dtype, input.shape});
  const std::optional<std::vector<SeenLookup>> lookups = network.lookups(types);
  if (!lookups) return std::nullopt;
  std::vector<InputRange> ranges;
  for (const SeenLookup& one : *lookups) {
    InputRange range{
        .input = one.values.input, .limit = one.limit, .cuts = one.values.cuts, .layer = one.layer};
    if (const auto& part = one.values.part) range.part = {part->start, part->limit, part->stride};
    ranges.push_back(std::move(range));
  }
  return ranges;
}

}  // namespace systolic::inline v0
