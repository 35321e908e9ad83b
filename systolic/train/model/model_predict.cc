// Model::predict in its forms.
#include <utility>

#include "systolic/base/error.h"
#include "systolic/train/batches/array_data.h"
#include "systolic/train/loops/predict_loop.h"
#include "systolic/train/model/model.h"
#include "systolic/train/model/predicted_outputs.h"
#include "systolic/train/options/array_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

Literal only_output(const ModelState& state, std::vector<Literal> outputs,
                    SourceLocation location) {
  if (outputs.size() == 1) return std::move(outputs.front());
  raise<InvalidArgument>({.what = str("predict of model '", state.network().name(), "' with ",
                                      outputs.size(), " outputs"),
                          .wanted = "one output",
                          .hint = "predict_outputs gives all under their names",
                          .location = location});
}

Example named_outputs(const ModelState& state, std::vector<Literal> outputs) {
  const std::vector<NetworkPort> ports = state.network().output_ports();
  Example result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool taken = result.contains(ports[i].name);  // one layer may give several
    result.set(taken ? str(ports[i].name, "_", i) : ports[i].name, std::move(outputs[i]));
  }
  return result;
}

namespace {

data::Dataset batches_to_predict(ModelState& state, const ModelArrays& x,
                                 const PredictOptions& options, SourceLocation location) {
  return ArrayData("predict", state, x, {}, {}, location)
      .batches(options.batch_size.value_or(default_batch_size));
}

}  // namespace

Literal Model::predict(const data::Dataset& dataset, const PredictOptions& options,
                       SourceLocation location) const {
  check_no_array_options("predict", options, location);
  return only_output(*state_, run_predict(*this, *state_, dataset, options, location), location);
}

Literal Model::predict(const ModelArrays& x, const PredictOptions& options,
                       SourceLocation location) const {
  return only_output(*state_,
                     run_predict(*this, *state_, batches_to_predict(*state_, x, options, location),
                                 options, location),
                     location);
}

Example Model::predict_outputs(const data::Dataset& dataset, const PredictOptions& options,
                               SourceLocation location) const {
  check_no_array_options("predict_outputs", options, location);
  return named_outputs(*state_, run_predict(*this, *state_, dataset, options, location));
}

Example Model::predict_outputs(const ModelArrays& x, const PredictOptions& options,
                               SourceLocation location) const {
  return named_outputs(
      *state_, run_predict(*this, *state_, batches_to_predict(*state_, x, options, location),
                           options, location));
}

}  // namespace systolic::inline v0
