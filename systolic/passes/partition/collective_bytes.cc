#include "systolic/passes/partition/collective_bytes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/op_code.h"
#include "systolic/passes/partition/partition.h"
#include "systolic/passes/trip_count.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

class Counter {
 public:
  explicit Counter(const ir::Function& function)
      : function_(function), definitions_(function.types.size(), nullptr) {
    ir::for_each_op(function.body, [&](const ir::Op& op) {
      for (const ir::ValueId result : op.results) definitions_[static_cast<size_t>(result)] = &op;
    });
  }

  CollectiveBytes count() {
    const auto is_loop = [](const ir::Op& op) { return op.code == ir::OpCode::while_; };
    const auto& ops = function_.body.ops;
    const bool one_loop = std::count_if(ops.begin(), ops.end(), is_loop) == 1;
    CollectiveBytes bytes;
    for (const ir::Op& op : ops) {
      if (one_loop && is_loop(op)) {
        bytes.each_round = bytes_of_regions(op);
      } else {
        bytes.once += bytes_of(op);
      }
    }
    return bytes;
  }

  double count_all_rounds() const { return bytes_of(function_.body); }

 private:
  std::optional<int64_t> rounds_of(const ir::Op& loop) const {
    return trip_count([&](ir::ValueId value) { return definitions_[static_cast<size_t>(value)]; },
                      loop);
  }

  double bytes_of_regions(const ir::Op& op) const {
    double bytes = 0;
    for (const ir::Block& region : op.regions) bytes += bytes_of(region);
    return bytes;
  }

  double bytes_of(const ir::Block& block) const {
    double bytes = 0;
    for (const ir::Op& op : block.ops) bytes += bytes_of(op);
    return bytes;
  }

  double bytes_of(const ir::Op& op) const {
    if (ir::info(op.code).family == ir::OpFamily::collective) {
      double bytes = 0;
      for (const ir::ValueId operand : op.operands) {
        bytes += static_cast<double>(function_.type(operand).bytes());
      }
      return bytes;
    }
    if (op.code == ir::OpCode::while_) {
      const double bytes = bytes_of_regions(op);
      const std::optional<int64_t> rounds = rounds_of(op);
      if (bytes == 0) return 0;
      return rounds ? static_cast<double>(*rounds) * bytes : unknown;
    }
    double most = 0;
    for (const ir::Block& region : op.regions) {
      const double bytes = bytes_of(region);
      if (std::isnan(bytes) || bytes > most) most = bytes;
    }
    return most;
  }

  const ir::Function& function_;
  std::vector<const ir::Op*> definitions_;  // by value
};

CollectiveBytes count_in(const ir::Module& module) {
  const ir::Module flat = ir::inline_calls(module);
  return Counter(flat.main()).count();
}

// As a compiler of several cores would cut it.
ir::Module cut_for_cores(const ir::Module& module) {
  std::vector<int> cuts;
  for (const ir::Parameter& argument : module.main().arguments) {
    cuts.push_back(argument.sharding ? cut_of(*argument.sharding, module.num_partitions) : no_cut);
  }
  return partition(module, module.num_partitions, cuts).module;
}

}  // namespace

CollectiveBytes collective_bytes(const ir::Module& module) {
  if (module.num_replicas > 1) return count_in(module);
  if (module.num_partitions == 1) return {};
  try {
    return count_in(cut_for_cores(module));
  } catch (const Error&) {
    return {unknown, unknown};
  }
}

double collective_bytes_of_all_rounds(const ir::Module& module) {
  const ir::Module flat = ir::inline_calls(module);
  return Counter(flat.main()).count_all_rounds();
}

}  // namespace passes
}  // namespace systolic::inline v0
