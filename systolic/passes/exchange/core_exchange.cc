#include "systolic/passes/exchange/core_exchange.h"

#include <algorithm>
#include <utility>

#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace passes {

using ir::OpCode;
using ir::Value;

ir::CollectiveAttributes CoreExchange::attributes() const {
  if (next_channel_ == nullptr) return {};
  return {.replica_groups = {}, .channel_id = (*next_channel_)++, .use_global_device_ids = true};
}

Value CoreExchange::swapped(Value x) const {
  return all_to_all(x, {.split_dimension = 0,
                        .concat_dimension = 0,
                        .split_count = count_,
                        .collective = attributes()});
}

Value with_sharding(Value x, const char* call, std::string sharding, const ir::Type& type) {
  ir::Axes layout = axes_from(0, x.rank());
  std::reverse(layout.begin(), layout.end());
  return x.builder().append_one(
      OpCode::custom_call, {x},
      ir::CustomCallAttributes{.call_target_name = call,
                               .options = {{"mhlo.sharding", std::move(sharding)}},
                               .operand_layouts = {layout},
                               .result_layouts = {layout}},
      {}, {type});
}

Value CoreExchange::own(Value x) const {
  return next_channel_ == nullptr ? x : with_sharding(x, sharding_call, "{manual}", x.type());
}

Value CoreExchange::least(Value x) const { return all_reduce(x, OpCode::minimum, attributes()); }
Value CoreExchange::most(Value x) const { return all_reduce(x, OpCode::maximum, attributes()); }

}  // namespace passes
}  // namespace systolic::inline v0
