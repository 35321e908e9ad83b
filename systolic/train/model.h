// A network with what it takes to train it (keras.Model).
//
//   Model model = Sequential({Input{.shape = {784}}, Dense{.units = 10}});
//   model.compile({.optimizer = Adam{}, .loss = SparseCategoricalCrossentropy{.from_logits = true},
//                  .metrics = {"sparse_categorical_accuracy"}});
//   model.fit(train, {.epochs = 5, .validation_data = test});
//   model.save_weights("mnist.safetensors");
//
// A Model is a handle: copies are the same model, clone() makes another. Made inside
// strategy.scope, it trains on all cores of that strategy: fit traces one program over the global
// batch, and the number of cores changes no result but by rounding.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/data/dataset.h"
#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/network.h"
#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/nn/sequential.h"
#include "systolic/train/callbacks/callback.h"
#include "systolic/train/history.h"
#include "systolic/train/interrupt.h"
#include "systolic/train/jit_compile.h"
#include "systolic/train/model_arrays.h"

namespace systolic::inline v0 {

// What stands behind `.loss =`: one loss for all outputs, one for each output, or none, where
// layers give the loss themselves by add_loss.
//
//   .loss = "mse"      .loss = {"mse", Huber{.delta = 0.5}}
class ModelLoss {
 public:
  ModelLoss() = default;
  template <size_t n>
  consteval ModelLoss(const char (&name)[n]) : single_(name), count_(1) {}  // NOLINT
  template <class Loss>
  requires(std::constructible_from<LossFunction, Loss> &&
           !std::is_array_v<std::remove_cvref_t<Loss>>) ModelLoss(Loss loss)
      : single_(std::move(loss)), count_(1) {}  // NOLINT
  ModelLoss(std::initializer_list<LossFunction> losses)
      : count_(losses.size()),
        several_(std::make_shared<const std::vector<LossFunction>>(losses)) {}

  std::vector<LossFunction> get() const {
    return several_ ? *several_ : std::vector<LossFunction>(count_, single_);
  }

 private:
  LossFunction single_ = "mse";
  size_t count_ = 0;
  std::shared_ptr<const std::vector<LossFunction>> several_;
};

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  ModelLoss loss = {};
  std::vector<Metric> metrics = {};  // of the first output; each gives one value
  // Training steps that one execution on the device makes. Metrics, callbacks and Ctrl-C come
  // between executions.
  int64_t steps_per_execution = 1;
  // One for each output: the model's loss is the weighted sum. All 1 by default.
  std::vector<double> loss_weights = {};
  // For each output its metrics, named after it in logs: "score_mae".
  std::vector<std::vector<Metric>> output_metrics = {};
  // As metrics, but each sample counts by its sample weight; in `metrics` all count alike.
  std::vector<Metric> weighted_metrics = {};
  // Runs the layers, losses, optimizer and metrics op by op on one core, as plain C++: their code
  // is called at every step, may read values (x.item<float>()), branch on them, print, and stop at
  // breakpoints. For finding faults; slow. Takes one step at a time. Results are those of the
  // compiled step, to rounding.
  bool run_eagerly = false;
  // A step is one compiled program whatever stands here, as it is on every TPU; `false` is answered
  // by a line that names run_eagerly.
  JitCompile jit_compile = "auto";
  // A batch of other shapes or types than an earlier one of fit (or of evaluate, or of predict) is
  // a FailedPrecondition that names the input, and not another compilation with a line that says
  // so. set_strict_shapes(true) is that for all models and functions.
  bool strict_shapes = false;
};

// Names and meaning as in keras.Model.fit. What goes with arrays only is an InvalidArgument with a
// Dataset: there it is part of the dataset.
struct FitOptions {
  int epochs = 1;                          // the number of the last one
  std::optional<int64_t> batch_size = {};  // of arrays; 32
  // -1: until the data ends. Arrays start again where they end; a Dataset needs repeat().
  int64_t steps_per_epoch = -1;
  ValidationData validation_data = {};                // a Dataset, {x, y} or {x, y, sample_weight}
  int64_t validation_steps = -1;                      // -1: all of it
  std::optional<int64_t> validation_batch_size = {};  // of arrays; batch_size
  int validation_freq = 1;                            // every so many epochs
  // Of arrays: this share is held back to validate with, from the end, before they are shuffled.
  // validation_data takes precedence.
  double validation_split = 0;
  bool shuffle = true;  // arrays, before every epoch; a Dataset has shuffle()
  // The weight in the loss of each class, 1 for those that are not named. Labels are class numbers,
  // [batch] or [batch, 1], or one-hot; of a loss of class numbers they may have more axes. Models
  // with one output; training only. Multiplied by sample_weight (as in tf.keras 2; Keras 3 refuses
  // the two together).
  std::map<int64_t, double> class_weight = {};
  // With arrays: [samples], or [samples, time] for losses of that shape. Weighs all outputs' losses
  // and compile's weighted_metrics, in training only. In a Dataset it is the component after the
  // labels, or that named "sample_weight".
  std::optional<Literal> sample_weight = {};
  std::vector<CallbackPtr> callbacks = {};
  int initial_epoch = 0;  // the first, counted from 0, to go on where a fit has ended
  // What Model::input_state() gave: reads on from there, with the same dataset (or arrays),
  // steps_per_epoch, and initial_epoch for the epoch that was under way. Damaged bytes are a
  // DataLoss, those of another dataset a FailedPrecondition.
  std::string input_state = {};
  int verbose = 1;  // 0 silent, 1 progress bar, 2 a line an epoch
  OnInterrupt on_interrupt = OnInterrupt::exit;
};

struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};     // of arrays; 32
  std::optional<Literal> sample_weight = {};  // with arrays
  int64_t steps = -1;
  std::vector<CallbackPtr> callbacks = {};
  int verbose = 1;
};

struct PredictOptions {
  std::optional<int64_t> batch_size = {};  // of arrays; 32
  int64_t steps = -1;
  std::vector<CallbackPtr> callbacks = {};
};

// Logs of evaluate, with the number of samples that were seen: all of the dataset's, each once.
struct Evaluation {
  Logs logs;
  int64_t samples = 0;
  double operator[](std::string_view name) const;
};

struct ModelState;

class Model {
 public:
  Model(Network network);  // NOLINT: what Sequential makes is a model
  Model(const Symbol& input, const Symbol& output, NetworkOptions options = {},
        SourceLocation location = SourceLocation::current());
  Model(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs,
        NetworkOptions options = {}, SourceLocation location = SourceLocation::current());
  // A handle that was moved from still holds on: moving copies.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

  // Keeps what training needs; programs are compiled when they first run. Other threads may predict
  // meanwhile, not train.
  void compile(CompileOptions options, SourceLocation location = SourceLocation::current());

  // Elements of the dataset are batches: (inputs, labels) or (inputs, labels, sample weights), see
  // batch_layout.h. Throws before the first step where shapes do not fit. A dataset that ends
  // before steps_per_epoch ends training with a warning.
  History fit(const data::Dataset& dataset, const FitOptions& options = {},
              SourceLocation location = SourceLocation::current());
  // Arrays whose first axis is the samples: fit(x, y), fit({ids, mask}, y), see model_arrays.h.
  History fit(const ModelArrays& x, const ModelArrays& y, const FitOptions& options = {},
              SourceLocation location = SourceLocation::current());

  Evaluation evaluate(const data::Dataset& dataset, const EvaluateOptions& options = {},
                      SourceLocation location = SourceLocation::current());
  Evaluation evaluate(const ModelArrays& x, const ModelArrays& y,
                      const EvaluateOptions& options = {},
                      SourceLocation location = SourceLocation::current());

  // The output for every sample, of a model with one output. Safe to call from several threads.
  Literal predict(const data::Dataset& dataset, const PredictOptions& options = {},
                  SourceLocation location = SourceLocation::current()) const;
  Literal predict(const ModelArrays& x, const PredictOptions& options = {},
                  SourceLocation location = SourceLocation::current()) const;
  // Every output under its name.
  Example predict_outputs(const data::Dataset& dataset, const PredictOptions& options = {},
                          SourceLocation location = SourceLocation::current()) const;
  Example predict_outputs(const ModelArrays& x, const PredictOptions& options = {},
                          SourceLocation location = SourceLocation::current()) const;

  Tensor operator()(const Tensor& x, CallOptions options = {}) const;
  Tensor operator()(const std::vector<Tensor>& xs, CallOptions options = {}) const;
  operator Layer() const;  // NOLINT: a model can be a layer of another

  // As Keras prints it. Width 0: the terminal's, or 88.
  std::string summary_text(int width = 0) const;
  void summary() const;  // to stdout

  const Network& network() const;
  const std::string& name() const;
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  int64_t count_params() const;
  std::vector<Literal> get_weights() const;
  // As get_weights gives them; where one does not fit, nothing is assigned.
  void set_weights(const std::vector<Literal>& values);
  Model clone() const;

  Optimizer& optimizer() const;
  // The loss and metrics as they stand now (running means of the epoch).
  Logs current_logs() const;
  void reset_metrics();
  // fit ends after the current step. For callbacks.
  void stop_training();
  // Where the data of the fit that runs stands behind the last step, as bytes for a file: a fit
  // with FitOptions::input_state sees precisely the samples that this one has still to see. For
  // callbacks with wants_input_state(); elsewhere a FailedPrecondition. Elements in shuffle buffers
  // are part of it. Weights, optimizer and metrics are not.
  //
  //   const std::string state = model().input_state();                       // in one run,
  //   model.fit(train, {.epochs = 9, .initial_epoch = 4, .input_state = state});  // in the next
  std::string input_state(SourceLocation location = SourceLocation::current()) const;
  // What the strategy it was made under says.
  int64_t num_replicas() const;

  // safetensors, by the names of the layers ("conv2d/kernel"). Written to a temporary file first,
  // then renamed.
  void save_weights(const std::string& path) const;
  // What is missing, unexpected or of another shape is one error that lists it all; nothing is
  // assigned then.
  void load_weights(const std::string& path);

  const std::shared_ptr<ModelState>& state() const { return state_; }
  friend auto trace_key(const Model& model) { return model.state_; }

 private:
  explicit Model(std::shared_ptr<ModelState> state) : state_(std::move(state)) {}
  std::shared_ptr<ModelState> state_;
};

// The learning rate for a larger batch: rate * batch / base_batch, as the TPU guides advise.
double scale_learning_rate(double rate, int64_t base_batch, int64_t batch);

}  // namespace systolic::inline v0
