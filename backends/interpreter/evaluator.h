// Runs one function on all cores in lockstep: each op on every active core before the next op.
#pragma once

#include <optional>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "backends/interpreter/kernels.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace interpreter {

class Evaluator {
 public:
  // `function` has no calls (ir::inline_calls).
  Evaluator(const ir::Function& function, int cores, const EvaluateLimits& limits = {});

  // [core][argument] to [core][result].
  std::vector<std::vector<Literal>> run(const std::vector<std::vector<Literal>>& arguments);

 private:
  using Cores = std::vector<int>;

  Literal& value(int core, ir::ValueId id) {
    return *values_[static_cast<size_t>(core)][static_cast<size_t>(id)];
  }
  void set(int core, ir::ValueId id, Literal literal) {
    values_[static_cast<size_t>(core)][static_cast<size_t>(id)] = std::move(literal);
  }
  std::vector<Literal> values(int core, const std::vector<ir::ValueId>& ids);
  void set_all(int core, const std::vector<ir::ValueId>& ids, std::vector<Literal> literals);

  void run_block(const ir::Block& block, const Cores& active);
  void run_op(const ir::Op& op, const Cores& active);
  void run_kernel(const ir::Op& op, Kernel kernel, int core);
  // Runs on the first of the cores, for all of them.
  void run_once(const ir::Op& op, Kernel kernel, const Cores& active);
  void run_branches(const ir::Op& op, const Cores& active);
  void run_while(const ir::Op& op, const Cores& active);
  void run_collective(const ir::Op& op, const Cores& active);

  // Which cores come to a collective: among cores that exchange values, all or none.
  std::vector<uint8_t> check_together(const ir::Op& op, const Cores& active) const;

  // A kernel call of `op` on `core`.
  Call call_on(const ir::Op& op, std::span<const Literal> operands,
               std::span<const ir::Type> results, int core);
  std::vector<ir::Type> types(const std::vector<ir::ValueId>& ids) const;

  const ir::Function& function_;
  int cores_;
  int64_t ops_left_;
  std::vector<std::vector<std::optional<Literal>>> values_;  // [core][value]
};

}  // namespace interpreter
}  // namespace systolic::inline v0
