// What one command fine-tunes for. The loop is one for all (fine_tune.h); a task says which head
// learns, how its files become batches, and what is measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/transformers/pretrained_model.h"
#include "tools/systolic/fine_tune/report.h"
#include "tools/systolic/fine_tune/settings.h"

namespace tool::fine_tune {

// Batches of one epoch.
struct TrainingRows {
  systolic::data::Dataset batches;
  int64_t samples = 0;
};

// What was measured on one file. The names stand without "eval_".
struct Evaluated {
  Measures measures = {};
  int64_t samples = 0;
  std::string suffix = {};  // of the names: "_mm" for the mismatched part of MNLI
};

class FineTuneTask {
 public:
  virtual ~FineTuneTask() = default;

  virtual systolic::Task head() const = 0;
  // The labels that the head distinguishes.
  virtual systolic::PretrainedOptions model_options() const { return {}; }
  virtual bool trains() const = 0;
  virtual TrainingRows training(const systolic::PretrainedModel& model) = 0;
  // One for each file to evaluate on.
  virtual std::vector<Evaluated> evaluate(const systolic::PretrainedModel& model) = 0;
  // Answers for the file that has no labels, written to settings' output_dir.
  virtual void predict(const systolic::PretrainedModel& /*model*/) {}
  // What belongs to the model besides its weights: a tokenizer, an image processor.
  virtual void save(const std::string& folder) const = 0;
};

}  // namespace tool::fine_tune
