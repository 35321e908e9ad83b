#include "systolic/train/batches/batch_reader.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/runtime/device_literal.h"
#include "systolic/train/batches/class_weights.h"
#include "systolic/train/batches/input_checks.h"

namespace systolic::inline v0 {
namespace {

int64_t rounded_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::vector<std::string> names_of(const std::vector<NetworkPort>& ports) {
  std::vector<std::string> names;
  for (const NetworkPort& port : ports) names.push_back(port.name);
  return names;
}

void check_rows(const Example& batch, const std::vector<size_t>& components) {
  const int64_t rows = rows_of(batch);
  for (const size_t i : components) {
    const Literal& value = batch.value(i);
    if (value.rank() == 0) {
      raise<InvalidArgument>(
          {.what = str("the dataset's elements are ", to_string(batch), ", where '", batch.name(i),
                       "' is that of one sample"),
           .wanted = "batches: arrays with a first axis, the batch axis, of one size",
           .hint = "batch() the dataset: dataset.batch(32)"});
    }
    if (value.shape()[0] != rows || rows == 0) {
      raise<InvalidArgument>(
          {.what = str("component '", batch.name(i), "' of a batch has shape ", value.shape()),
           .wanted = str("a batch axis of ", rows == 0 ? "at least one row" : str(rows)),
           .hint = "batch() the dataset"});
    }
  }
}

void check_batch_axis(const Example& batch) {
  if (!batch.empty() && batch.value(0).rank() > 0) return;
  raise<InvalidArgument>({.what = str("the dataset's elements are ", to_string(batch)),
                          .wanted = "arrays with a batch axis",
                          .hint = "batch() the dataset"});
}

}  // namespace

BatchReader::BatchReader(BatchOptions options, int64_t full_rows)
    : options_(std::move(options)),
      input_names_(names_of(options_.inputs)),
      full_rows_(full_rows) {}

int64_t BatchReader::batch_size() const { return rounded_up(full_rows_, options_.cores); }

Example BatchReader::prepared(Example batch) {
  if (options_.complete) options_.complete(batch);
  add_defaults(batch, options_.inputs);
  if (!layout_) learn(batch);
  if (!options_.class_weight.empty()) weigh_classes(batch);
  check(batch);
  return batch;
}

bool BatchReader::go_together(const Example& first, const Example& batch) const {
  if (!pads_freely() && rows_of(first) != rows_of(batch)) return false;
  const std::vector<size_t> components = layout_->order();
  return std::all_of(components.begin(), components.end(), [&](size_t i) {
    const Literal &a = first.value(i), &b = batch.value(i);
    return a.dtype() == b.dtype() && a.shape().without(0) == b.shape().without(0);
  });
}

int64_t BatchReader::padded_rows(const Example& batch) const {
  return padding_.why_not.empty() ? batch_size() : rows_of(batch);
}

void BatchReader::check(const Example& batch) {
  check_rows(batch, layout_->order());
  full_rows_ = std::max(full_rows_, rows_of(batch));
  check_divides(batch);
  for (size_t i = 0; i < layout_->inputs.size(); ++i) {
    const InputRules& rules = options_.inputs[i].rules;
    if (batches_seen_ == 0) warn_of_bytes(batch, layout_->inputs[i], rules);
    check_range(batch, layout_->inputs[i], rules, batches_seen_);
  }
  learn_lookups(batch);
  for (const InputRange& range : lookups_) {
    check_lookup(batch, layout_->inputs.at(range.input), range,
                 options_.inputs[range.input].rules.default_value, batches_seen_);
  }
  for (size_t i = 0; i < layout_->labels.size() && i < rules_.labels.size(); ++i) {
    LabelRange& range = rules_.labels[i];
    check_labels(batch, layout_->labels[i], range, batches_seen_);
    const bool said =
        range.probabilities && warn_of_no_probabilities(batch, layout_->labels[i], range.hint);
    if (said) range.probabilities = false;
  }
  ++batches_seen_;
}

void BatchReader::check_divides(const Example& batch) const {
  const int64_t rows = rows_of(batch);
  if (!padding_.why_not.empty() && rows % options_.cores != 0) {
    raise<InvalidArgument>(
        {.what = str("a batch of ", rows, " rows over ", options_.cores,
                     " cores needs rows that only pad, but ", padding_.why_not),
         .wanted = str("a multiple of ", options_.cores, " rows"),
         .hint = "give one loss for each sample, or drop the last batch: "
                 "batch(n, {.drop_remainder = true}), or prepare_dataset's .drop_remainder"});
  }
}

void BatchReader::learn(const Example& batch) {
  check_batch_axis(batch);
  if (options_.on_first_batch) options_.on_first_batch(batch);
  full_rows_ = std::max(full_rows_, rows_of(batch));
  const std::vector<size_t> inputs = BatchLayout::of_inputs(batch, input_names_).inputs;
  std::vector<size_t> used = inputs;
  for (size_t i = 0; i < batch.size() && options_.wants_labels; ++i) used.push_back(i);
  check_rows(batch, used);
  rules_ = options_.build(types_of(batch, inputs));
  layout_ = BatchLayout::of(batch, input_names_, rules_.outputs, options_.wants_labels);
  learn_class_weights(batch.size());
  if (!rules_.padding) return;
  padding_ = rules_.padding(types_of(batch, layout_->inputs), types_of(batch, layout_->labels));
}

// Which part of an input is looked up may depend on how long its rows are.
void BatchReader::learn_lookups(const Example& batch) {
  std::vector<Shape> rows;
  for (const size_t i : layout_->inputs) rows.push_back(batch.value(i).shape().without(0));
  const bool depends = std::any_of(lookups_.begin(), lookups_.end(),
                                   [](const InputRange& range) { return range.part.has_value(); });
  if (rows == looked_up_rows_ || (!looked_up_rows_.empty() && !depends)) return;
  looked_up_rows_ = std::move(rows);
  lookups_ = rules_.input_ranges(types_of(batch, layout_->inputs));
  std::erase_if(lookups_, [&](const InputRange& range) {  // what the input itself asks for
    const std::optional<int64_t>& below = options_.inputs.at(range.input).rules.values_below;
    return below && *below <= range.limit;
  });
}

void BatchReader::learn_class_weights(size_t components) {
  if (options_.class_weight.empty()) return;
  if (layout_->labels.empty()) {
    raise<InvalidArgument>(
        {.what = "class_weight for a model without labels: compile gave it no loss"});
  }
  check_class_weights(options_.class_weight, rules_.labels.front(), rules_.outputs.outputs.size());
  if (layout_->sample_weights.empty()) layout_->sample_weights = {components};
}

// The classes' weights as a component after the others, or times the sample weights.
void BatchReader::weigh_classes(Example& batch) const {
  const size_t label = layout_->labels.front(), place = layout_->sample_weights.front();
  Literal weights = weights_of_classes(batch.value(label), batch.name(label), options_.class_weight,
                                       rules_.labels.front());
  const bool given = place < batch.size();
  if (given) weights = multiply_weights(batch.value(place), weights);
  batch.set(given ? batch.name(place) : "sample_weight", std::move(weights));
}

// On the device, with the rows of a full batch.
std::vector<ir::Type> BatchReader::types_of(const Example& batch,
                                            const std::vector<size_t>& components) const {
  std::vector<ir::Type> types;
  for (const size_t i : components) {
    const Literal value = runtime::device_literal(batch.value(i), batch.name(i));
    Shape shape = value.shape();
    if (shape.rank() > 0) shape.set(0, batch_size());
    types.push_back({value.dtype(), shape});
  }
  return types;
}

}  // namespace systolic::inline v0
