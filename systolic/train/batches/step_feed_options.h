// What a StepFeed is told: by the loop that it feeds, and by the model once its first batch has
// built it. Internal to train.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/ir/module.h"
#include "systolic/nn/network/network.h"
#include "systolic/train/batches/batch_layout.h"
#include "systolic/train/batches/feed_state.h"
#include "systolic/train/state/input_range.h"

namespace systolic::inline v0 {

// Integer labels must lie in [0, classes), or be `ignored`; -1: anything goes.
struct LabelRange {
  int64_t classes = -1;
  bool probabilities = false;  // what lies beyond 0 and 1 is said
  Shape shape = {};            // of the labels, -1 for unknown axes; or with one more, of size 1
  std::optional<int64_t> ignored = {};
  bool places = false;    // any from 0 on: those that there are not do not count
  std::string hint = {};  // where a label is none of them; empty: that of any model
};

// What becomes of a batch that is shorter than others.
struct PaddingRules {
  // Why rows that only pad would change the result; empty: they are left out by the mask.
  std::string why_not = {};
  // Batches with different numbers of real rows are different programs, padded or not: what they
  // compute is cut to those rows somewhere.
  bool rows_apart = false;
};

// What the model knows once it is built.
struct StepRules {
  OutputNames outputs = {};
  // What layers look up of inputs of these types; asked for anew where shapes differ.
  std::function<std::vector<InputRange>(const std::vector<ir::Type>&)> input_ranges = {};
  std::vector<LabelRange> labels = {};
  // For inputs and labels of these types; where there is none, rows are padded.
  std::function<PaddingRules(const std::vector<ir::Type>& inputs,
                             const std::vector<ir::Type>& labels)>
      padding = {};
};

// How each batch is read.
struct BatchOptions {
  std::vector<NetworkPort> inputs = {};
  bool wants_labels = true;
  int64_t cores = 1;
  // Multiplied into the sample weights; empty: none.
  std::map<int64_t, double> class_weight = {};
  // Sees the first batch, as the dataset gives it.
  std::function<void(const Example&)> on_first_batch = {};
  // Adds to each batch the input that the model makes of labels, where it is left out.
  std::function<void(Example&)> complete = {};
  // Builds the model for inputs of these types, those of the first batch.
  std::function<StepRules(const std::vector<ir::Type>&)> build = {};
};

struct StepFeedOptions {
  std::string what = {};  // what reads, and the user's line: errors name them
  SourceLocation location = {};
  BatchOptions batches = {};
  // Steps in one execution; above 1 the arrays get a leading axis of steps.
  int64_t steps_per_execution = 1;
  // Which of the processes that each read their own rows of every batch; of 1: this one reads all.
  FeedPiece piece = {};
  // Steps after which an epoch ends; -1: at the end of the data.
  int64_t steps_per_epoch = -1;
  // Where to read on: what StepFeed::save() gave for the same dataset; empty: from the start.
  std::string state = {};
  // Keeps the batches that are read ahead, so that save() works.
  bool keeps_state = false;
};

}  // namespace systolic::inline v0
