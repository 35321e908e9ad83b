// How the values of a global program lie on its cores where nothing but the arguments and some
// constraints says so: forward through elementwise ops, loops and calls, as a partitioner would
// leave them.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/program.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

class ValueShardings {
 public:
  ValueShardings(const stablehlo::Program& program, const stablehlo::Function& function,
                 int64_t cores);
  // Of the function's i-th result; whole where nothing is known.
  stablehlo::Parts result(size_t i, const Shape& shape) const;
  // Of the operands of a call that each device makes on its parts of them, as JAX writes callbacks
  // with partitioned=True; none for other calls.
  std::vector<stablehlo::Parts> operands(const stablehlo::Operation& call) const;

 private:
  using CallParts = std::map<const stablehlo::Operation*, std::vector<stablehlo::Parts>>;
  // Of a function that another calls.
  struct Frame {
    const stablehlo::Function* function;
    std::map<stablehlo::ValueId, stablehlo::Parts> known = {};
    std::vector<stablehlo::ValueId> returned = {};
  };
  void visit_all(const std::vector<stablehlo::Operation>& ops);
  void visit(const stablehlo::Operation& op);
  void constraint(const stablehlo::Operation& op);
  void manual(const stablehlo::Operation& op);
  void elementwise(const stablehlo::Operation& op);
  void regions(const stablehlo::Operation& op);
  void call(const stablehlo::Operation& op);
  void foreign_call(const stablehlo::Operation& op);
  bool is_array(stablehlo::ValueId value) const;
  Shape shape_of(stablehlo::ValueId value) const;

  const stablehlo::Program& program_;
  int64_t cores_;
  std::map<std::string_view, const stablehlo::Function*> functions_;
  Frame frame_;
  int depth_ = 0;        // of calls
  int64_t visited_ = 0;  // ops
  CallParts call_parts_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
