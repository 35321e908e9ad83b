// Batches as a step takes them: inputs that are left out have their defaults, what each component
// is for is known, and all is checked. The first batch builds the model. Internal to train.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/train/batches/batch_layout.h"
#include "systolic/train/batches/step_feed_options.h"

namespace systolic::inline v0 {

class BatchReader {
 public:
  // `full_rows` are those of a full batch where an earlier run saw one, perhaps on other cores,
  // else 0.
  BatchReader(BatchOptions options, int64_t full_rows);

  // The next of the data's batches, as the step takes it. What the model cannot take is an
  // InvalidArgument.
  Example prepared(Example batch);
  // Whether two batches can be steps of one execution: they have one shape, but for rows that are
  // padded.
  bool go_together(const Example& first, const Example& batch) const;
  // After the first batch.
  const BatchLayout& layout() const { return *layout_; }
  // Rows of the largest batch so far, without those that pad it.
  int64_t full_rows() const { return full_rows_; }
  // Whether rows that only pad change no result, wherever they stand, and no program.
  bool pads_freely() const { return padding_.why_not.empty() && !padding_.rows_apart; }
  // Rows that a step of this batch has.
  int64_t padded_rows(const Example& batch) const;

 private:
  // With full_rows_ those that pad them, to divide over the cores.
  int64_t batch_size() const;
  void check(const Example& batch);
  void check_divides(const Example& batch) const;
  void learn(const Example& batch);
  void learn_lookups(const Example& batch);
  void learn_class_weights(size_t components);
  void weigh_classes(Example& batch) const;
  std::vector<ir::Type> types_of(const Example& batch, const std::vector<size_t>& components) const;

  BatchOptions options_;
  std::vector<std::string> input_names_;
  int64_t full_rows_ = 0;
  StepRules rules_;
  std::vector<InputRange> lookups_;  // of layers, where rows have these shapes
  std::vector<Shape> looked_up_rows_;
  PaddingRules padding_;
  std::optional<BatchLayout> layout_;
  int64_t batches_seen_ = 0;
};

}  // namespace systolic::inline v0
