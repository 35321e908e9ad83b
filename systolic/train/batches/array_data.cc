#include "systolic/train/batches/array_data.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/train/state/model_view.h"

namespace systolic::inline v0 {
namespace {

// Batches that are made while the device computes.
constexpr int64_t batches_ahead = 2;

// The names under which the model knows its inputs or outputs.
struct Ports {
  std::string what;  // "input"
  std::vector<std::string> names;
  std::vector<std::string> optional = {};     // of these, those that may be left out
  std::vector<std::string> label_names = {};  // of outputs: see OwnLoss

  // Where the array of port i stands among these names; after the last where it does not.
  size_t find(size_t i, const std::vector<std::string>& given) const {
    const auto named = std::find(given.begin(), given.end(), names[i]);
    if (named != given.end() || i >= label_names.size())
      return static_cast<size_t>(named - given.begin());
    return static_cast<size_t>(std::find(given.begin(), given.end(), label_names[i]) -
                               given.begin());
  }
  bool may_lack(const std::string& name) const {
    return std::find(optional.begin(), optional.end(), name) != optional.end();
  }
};

Ports inputs_of(const ModelState& model) {
  const ModelView view(model);
  Ports ports{"input", {}};
  for (const NetworkPort& port : view.network().input_ports()) {
    ports.names.push_back(port.name);
    const auto& made = view.own_loss().input_of_labels;
    if (port.rules.default_value || (made && made->input == port.name))
      ports.optional.push_back(port.name);
  }
  return ports;
}

// A network that is not built is a chain of layers: it has one output. Those that take no labels
// may be left out; arrays without names are then of the others.
Ports outputs_of(const ModelState& model, const ModelArrays& arrays) {
  const ModelView view(model);
  Ports ports{"output", {}};
  if (!view.network().built()) return {"output", {"y"}};
  const std::vector<NetworkPort> outputs = view.network().output_ports();
  std::vector<std::string> labelled;
  for (size_t i = 0; i < outputs.size(); ++i) {
    ports.names.push_back(outputs[i].name);
    (view.compiled().takes_labels(i) ? labelled : ports.optional).push_back(outputs[i].name);
  }
  if (arrays.names().empty() && arrays.arrays().size() == labelled.size()) ports.names = labelled;
  ports.label_names = view.own_loss().label_names;
  return ports;
}

// As a tokenizer's batch is given to a model with one input.
std::string hint_for(const ModelArrays& arrays, const Ports& ports) {
  if (ports.names.size() != 1 || arrays.names().size() < 2)
    return "give them in this order, {a, b}, or by name, {{\"name\", a}, {\"other\", b}}";
  return str("give one of them alone, x[\"", arrays.names()[0],
             "\"]; or, to have it picked, name the ", ports.what, " after it");
}

[[noreturn]] void raise_misfit(const std::string& what, const ModelArrays& arrays,
                               const Ports& ports, SourceLocation location) {
  const bool named = !arrays.names().empty();
  const size_t count = arrays.arrays().size();
  std::vector<std::string> wanted = ports.names;
  for (std::string& name : wanted) {
    if (ports.may_lack(name)) name += " (may be left out)";
  }
  raise<InvalidArgument>(
      {.what = named
                   ? str(what, " was given arrays for the ", ports.what, "s ", join(arrays.names()))
                   : str(what, " was given ", count, count == 1 ? " array" : " arrays", " for the ",
                         ports.what, "s"),
       .wanted = str("one for each ", ports.what, " of the model: ", join(wanted),
                     ports.label_names.empty() ? "" : ", or as labels ", join(ports.label_names)),
       .hint = hint_for(arrays, ports),
       .location = location});
}

// In the order of the ports, under their names.
std::vector<Example::Component> in_order(const std::string& what, const ModelArrays& arrays,
                                         const Ports& ports, SourceLocation location) {
  const std::vector<std::string>& names = arrays.names();
  const bool picks = arrays.may_be_more();
  const bool in_turn = !picks && (names.empty() || ports.names.size() == 1);
  std::vector<Example::Component> result;
  for (size_t i = 0; i < ports.names.size(); ++i) {
    const size_t at = in_turn ? i : ports.find(i, names);
    if (at < arrays.arrays().size()) {
      const bool as_label = !in_turn && names[at] != ports.names[i];
      result.push_back({as_label ? names[at] : ports.names[i], arrays.arrays()[at]});
    } else if (!ports.may_lack(ports.names[i])) {
      raise_misfit(what, arrays, ports, location);
    }
  }
  if (!picks && result.size() != arrays.arrays().size())
    raise_misfit(what, arrays, ports, location);
  return result;
}

// The arrays that have one of these names, or those that have none.
ModelArrays named_as(const ModelArrays& arrays, const std::vector<std::string>& names,
                     bool wanted) {
  Example chosen;
  for (size_t i = 0; i < arrays.names().size(); ++i) {
    const std::string& name = arrays.names()[i];
    const bool is_one = std::find(names.begin(), names.end(), name) != names.end();
    if (is_one == wanted) chosen.set(name, arrays.arrays()[i]);
  }
  return chosen;
}

}  // namespace

// Labels may stand among the inputs, as they do in a dataset, under the model's names for them.
ArrayData::ArrayData(std::string what, ModelState& model, const ModelArrays& x,
                     const ModelArrays& y, const ModelArrays& sample_weight,
                     SourceLocation location)
    : what_(std::move(what)), location_(location) {
  const std::vector<std::string>& labels = model.own_loss().label_names;
  if (y.empty() && !labels.empty() && !named_as(x, labels, true).empty()) {
    *this = ArrayData(std::move(what_), model, named_as(x, labels, false),
                      named_as(x, labels, true), sample_weight, location);
    return;
  }
  const Ports inputs = inputs_of(model);
  for (const auto& [name, array] : in_order(what_, x, inputs, location)) {
    add(inputs.names.size() == 1 ? "x" : name, array);
  }
  if (!y.empty()) {
    const Ports outputs = outputs_of(model, y);
    size_t i = 0;
    for (const auto& [name, array] : in_order(what_, y, outputs, location)) {
      // An input that is an output as well lends its name once.
      const std::string free = components_.contains(name) ? str("y_", i) : name;
      add(outputs.names.size() == 1 ? "y" : free, array);
      ++i;
    }
  }
  if (sample_weight.empty()) return;
  if (sample_weight.arrays().size() == 1 && sample_weight.names().empty()) {
    add("sample_weight", sample_weight.arrays().front());
    return;
  }
  Ports outputs = outputs_of(model, sample_weight);
  outputs.what = "sample weights of the output";
  for (const auto& [name, array] : in_order(what_, sample_weight, outputs, location))
    add(outputs.names.size() == 1 ? "sample_weight" : str("sample_weight/", name), array);
}

ArrayData::ArrayData(const ArrayData& whole, int64_t begin, int64_t end)
    : what_(whole.what_), location_(whole.location_), samples_(end - begin) {
  for (const auto& [name, array] : whole.components_) components_.set(name, array.rows(begin, end));
}

void ArrayData::add(const std::string& name, const Literal& array) {
  const int64_t rows = array.rank() == 0 ? -1 : array.shape()[0];
  if (samples_ < 0) samples_ = rows;
  if (rows < 1 || rows != samples_) {
    raise<InvalidArgument>(
        {.what = str(what_, " was given '", name, "' of shape ", array.shape(),
                     components_.empty() ? std::string()
                                         : str(" beside '", components_.name(0), "' of shape ",
                                               components_.value(0).shape())),
         .wanted = "arrays whose first axis is the samples, with equally many and at least one",
         .location = location_});
  }
  components_.set(name, array);
}

std::pair<ArrayData, ArrayData> ArrayData::split(double share) const {
  if (!(share > 0 && share < 1)) {
    raise<InvalidArgument>({.what = str("validation_split = ", share),
                            .wanted = "a share in [0, 1)",
                            .location = location_});
  }
  const auto kept = static_cast<int64_t>(std::floor(static_cast<double>(samples_) * (1 - share)));
  if (kept == 0 || kept == samples_) {
    raise<InvalidArgument>({.what = str("validation_split = ", share, " of ", samples_,
                                        samples_ == 1 ? " sample" : " samples", " leaves ",
                                        kept == 0 ? "none to train with" : "none to validate with"),
                            .hint = "give more samples, or another share",
                            .location = location_});
  }
  return {ArrayData(*this, 0, kept), ArrayData(*this, kept, samples_)};
}

data::Dataset ArrayData::batches(int64_t batch_size, bool shuffle) const {
  if (batch_size < 1) {
    raise<InvalidArgument>({.what = str(what_, ": batch_size = ", batch_size),
                            .wanted = "1 or more",
                            .location = location_});
  }
  data::Dataset samples = data::from_tensor_slices(components_, location_);
  if (shuffle) samples = samples.shuffle(samples_, {}, location_);
  return samples.batch(batch_size, {}, location_).prefetch(batches_ahead, location_);
}

data::Dataset validation_batches(ModelState& model, const ValidationData& data, int64_t batch_size,
                                 SourceLocation location) {
  if (data.dataset()) return *data.dataset();
  return ArrayData("validation", model, data.x(), data.y(), data.sample_weight(), location)
      .batches(batch_size);
}

}  // namespace systolic::inline v0
