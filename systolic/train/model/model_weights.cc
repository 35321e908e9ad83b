// A model's weights in memory; those in files are in
// train/weights/weights_form.cc.
#include "systolic/base/error.h"
#include "systolic/ir/module.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {

int64_t Model::count_params() const {
  int64_t count = 0;
  for (const Variable& variable : weights()) count += variable.size();
  return count;
}

std::vector<Literal> Model::get_weights() const {
  std::vector<Literal> values;
  for (const Variable& variable : weights()) values.push_back(variable.literal());
  return values;
}

void Model::set_weights(const std::vector<Literal>& values, SourceLocation location) {
  const std::vector<Variable> variables = weights();
  if (values.size() != variables.size()) {
    raise<InvalidArgument>({.what = str("set_weights with ", values.size(), " arrays"),
                            .wanted = str(variables.size(), ", as get_weights gives them"),
                            .location = location});
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const ir::Type given{values[i].dtype(), values[i].shape()};
    const ir::Type wanted{variables[i].dtype(), variables[i].shape()};
    if (given == wanted) continue;
    raise<InvalidArgument>({.what = str("set_weights: array ", i, " for '", variables[i].name(),
                                        "' is ", to_string(given)),
                            .wanted = to_string(wanted),
                            .location = location});
  }
  for (size_t i = 0; i < values.size(); ++i) variables[i].set(values[i], location);
}

}  // namespace systolic::inline v0
