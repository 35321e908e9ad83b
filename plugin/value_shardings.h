// How the values of a global program lie on its cores where nothing but the arguments and some
// constraints says so: forward through elementwise ops, as a partitioner would leave them.
#pragma once

#include <map>

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

 private:
  void visit(const stablehlo::Operation& op);
  void constraint(const stablehlo::Operation& op);
  void manual(const stablehlo::Operation& op);
  void elementwise(const stablehlo::Operation& op);
  Shape shape_of(stablehlo::ValueId value) const;

  const stablehlo::Program& program_;
  const stablehlo::Function& function_;
  int64_t cores_;
  std::map<stablehlo::ValueId, stablehlo::Parts> known_;
  std::vector<stablehlo::ValueId> returned_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
