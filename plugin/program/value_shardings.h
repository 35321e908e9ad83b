// How the values of a global program lie on its cores where nothing but the arguments and some
// constraints says so: as a partitioner would leave them (shardings/placement.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/shardings/collective.h"
#include "systolic/stablehlo/program.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

class ValueShardings {
 public:
  ValueShardings(const stablehlo::Program& program, const stablehlo::Function& function,
                 int64_t cores);
  // How the function's i-th result is split; whole where nothing is known.
  stablehlo::Parts result(size_t i, const Shape& shape) const;
  // How the operands are split of a call that each device makes on its parts of them, as JAX writes
  // callbacks with partitioned=True; empty for other calls.
  std::vector<stablehlo::Parts> operands(const stablehlo::Operation& call) const;
  // What the cores exchange when each computes its parts.
  const std::vector<Collective>& collectives() const { return collectives_; }
  // How the arrays lie that the program asks about, with the questions' texts.
  struct Answer {
    std::string question;
    Shape shape;
    stablehlo::Parts parts;
  };
  const std::vector<Answer>& answers() const { return answers_; }

 private:
  int64_t cores_;
  std::vector<stablehlo::Parts> results_;
  std::vector<Collective> collectives_;
  std::vector<Answer> answers_;
  std::map<const stablehlo::Operation*, std::vector<stablehlo::Parts>> calls_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
