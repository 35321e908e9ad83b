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
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/data/dataset.h"
#include "systolic/distribute/batch.h"
#include "systolic/distribute/made_in_scope.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/train/options/compile_options.h"
#include "systolic/train/options/evaluation.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/options/history.h"
#include "systolic/train/options/model_arrays.h"
#include "systolic/train/options/save_options.h"
#include "systolic/train/options/summary_options.h"

namespace systolic::inline v0 {

class ModelState;

class Model {
 public:
  Model(Network network);  // NOLINT: what Sequential makes is a model
  Model(const Symbol& input, const Symbol& output, NetworkOptions options = {},
        SourceLocation location = SourceLocation::current());
  Model(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs,
        NetworkOptions options = {}, SourceLocation location = SourceLocation::current());
  Model(const std::vector<Symbol>& inputs, const Symbol& output, NetworkOptions options = {},
        SourceLocation location = SourceLocation::current());
  Model(const Symbol& input, const std::vector<Symbol>& outputs, NetworkOptions options = {},
        SourceLocation location = SourceLocation::current());
  // A struct with a `call` (nn/layer.h), as a subclass of keras.Model is one. Without `inputs` it
  // has one, and weights are made at the first call.
  //
  //   struct Autoencoder {
  //     Tensor call(const Tensor& x, CallContext& context) const;
  //     StepLogs train_step(const Model& model, StepCall& step) const;   // these three may be left
  //     StepLogs test_step(const Model& model, StepCall& step) const;    // out: own_step.h
  //     std::vector<Metric> metrics() const;
  //   };
  //   Model model(Autoencoder{}, {Input{.shape = {784}}});
  template <LayerSpec Spec>
  explicit Model(Spec spec, const std::vector<Input>& inputs = {},
                 SourceLocation location = SourceLocation::current())
      : Model(internal::own_steps_of(spec), Layer(std::move(spec)), inputs, location) {}
  // A handle that was moved from still holds on: moving copies.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

  // Keeps what training needs; programs are compiled when they first run. Other threads may predict
  // meanwhile, not train.
  void compile(CompileOptions options, SourceLocation location = SourceLocation::current());
  // The same in Keras's order: compile("adam", "mse", {"accuracy"}).
  void compile(Optimizer optimizer, ModelLoss loss, ModelMetrics metrics = {},
               SourceLocation location = SourceLocation::current());

  // Elements of the dataset are batches: (inputs, labels) or (inputs, labels, sample weights), see
  // batch_layout.h. Throws before the first step where shapes do not fit. A dataset that ends
  // before steps_per_epoch ends training with a warning.
  History fit(const data::Dataset& dataset, const FitOptions& options = {},
              SourceLocation location = SourceLocation::current());
  template <std::integral Epochs>
  History fit(const data::Dataset&, Epochs) = delete;  // by name: fit(dataset, {.epochs = 5})
  // Arrays whose first axis is the samples: fit(x, y), fit({ids, mask}, y), see model_arrays.h.
  History fit(const ModelArrays& x, const ModelArrays& y, const FitOptions& options = {},
              SourceLocation location = SourceLocation::current());

  Evaluation evaluate(const data::Dataset& dataset, const EvaluateOptions& options = {},
                      SourceLocation location = SourceLocation::current());
  Evaluation evaluate(const ModelArrays& x, const ModelArrays& y,
                      const EvaluateOptions& options = {},
                      SourceLocation location = SourceLocation::current());

  // One step on one batch, for loops of one's own: the loss and compile's metrics of that batch,
  // which are set back before it.
  //
  //   for (const Example& batch : dataset) const Logs logs = model.train_on_batch(batch);
  //
  // The batch is arrays, or an element of a dataset with the components that fit takes. It is not
  // padded to the size of others, so that each size is a program. No callbacks are told.
  Logs train_on_batch(const ModelArrays& x, const ModelArrays& y,
                      const OnBatchOptions& options = {},
                      SourceLocation location = SourceLocation::current());
  Logs train_on_batch(const Example& batch, const OnBatchOptions& options = {},
                      SourceLocation location = SourceLocation::current());
  // The same without training.
  Logs test_on_batch(const ModelArrays& x, const ModelArrays& y, const OnBatchOptions& options = {},
                     SourceLocation location = SourceLocation::current());
  Logs test_on_batch(const Example& batch, const OnBatchOptions& options = {},
                     SourceLocation location = SourceLocation::current());
  // predict of one batch, of a model with one output; and every output under its name.
  Literal predict_on_batch(const ModelArrays& x,
                           SourceLocation location = SourceLocation::current()) const;
  Example predict_outputs_on_batch(const ModelArrays& x,
                                   SourceLocation location = SourceLocation::current()) const;

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

  Tensor operator()(const Tensor& x, CallOptions options = {},
                    SourceLocation location = SourceLocation::current()) const;
  Tensor operator()(const std::vector<Tensor>& xs, CallOptions options = {},
                    SourceLocation location = SourceLocation::current()) const;
  // By the inputs' names, in any order; those that are left out have their default values.
  //
  //   model({{"input_ids", ids}, {"attention_mask", mask}}, {.training = true})
  //
  // A name that no input has is an InvalidArgument, but not in a batch, which holds labels, too:
  //
  //   model(batch, {.training = true})       // batch: next(iterator), what strategy.run passes on
  Tensor operator()(std::initializer_list<std::pair<std::string, Tensor>> named,
                    CallOptions options = {},
                    SourceLocation location = SourceLocation::current()) const;
  Tensor operator()(const Batch& batch, CallOptions options = {},
                    SourceLocation location = SourceLocation::current()) const;
  // Every output under its name: outputs(batch)["start_logits"].
  Batch outputs(const Batch& batch, CallOptions options = {},
                SourceLocation location = SourceLocation::current()) const;
  operator Layer() const;  // NOLINT: a model can be a layer of another

  // As Keras prints it. Width 0: the terminal's, or 88.
  std::string summary_text(int width = 0) const;
  std::string summary_text(const SummaryOptions& options,
                           SourceLocation location = SourceLocation::current()) const;
  void summary() const;  // to stdout
  void summary(const SummaryOptions& options,
               SourceLocation location = SourceLocation::current()) const;

  // The layers in order, without inputs; by name, "dense_1" or "block/dense_1", or by number, where
  // a negative one counts from the end. One that there is not is a NotFound. What a layer is set
  // to, such as trainable at any depth, holds from the next step on:
  //
  //   model.get_layer("encoder/dense").set_trainable(false);
  std::vector<Layer> layers() const;
  Layer get_layer(std::string_view name, SourceLocation location = SourceLocation::current()) const;
  Layer get_layer(int64_t index, SourceLocation location = SourceLocation::current()) const;

  const Network& network() const;
  const std::string& name() const;
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  int64_t count_params() const;
  std::vector<Literal> get_weights() const;
  // As get_weights gives them; where one does not fit, nothing is assigned.
  void set_weights(const std::vector<Literal>& values,
                   SourceLocation location = SourceLocation::current());
  Model clone() const;

  Optimizer& optimizer() const;
  // The loss and metrics as they stand now (running means of the epoch).
  Logs current_logs() const;
  void reset_metrics();
  // fit ends after the current step. For callbacks.
  void stop_training();
  // Where the data of the fit that runs stands after the last step, as bytes for a file: a fit
  // with FitOptions::input_state sees precisely the samples that this one has not seen yet. For
  // callbacks with wants_input_state(); elsewhere a FailedPrecondition. Elements in shuffle buffers
  // are part of it. Weights, optimizer and metrics are not. Where each process of a run reads rows
  // of its own (docs/processes.md) it is this process's.
  //
  //   const std::string state = model().input_state();                       // in one run,
  //   model.fit(train, {.epochs = 9, .initial_epoch = 4, .input_state = state});  // in the next
  //
  // The next run has the losses of one that was not interrupted, to the bit, where weights(),
  // random_state() and optimizer().variables() (after optimizer().build) are set to the saved
  // values too.
  std::string input_state(SourceLocation location = SourceLocation::current()) const;
  // u64[2], where layers that draw at random (Dropout) stand: no weight, but what a run that is
  // taken up needs to draw on.
  Variable random_state() const;
  // What the strategy it was made under says.
  int64_t num_replicas() const;

  // The whole model as one file, in the form that the path's ending names: layers, weights, and, of
  // a model that is compiled, optimizer with its state, loss and metrics. `load_model` reads it
  // (systolic/saving/load_model.h).
  //
  //   model.save("mnist.keras")     // Keras 3's, which Keras opens
  //   model.save("mnist.h5")        // the older one, which Keras opens, too
  //
  // Written to a temporary file first, then renamed. What no file can hold (a layer, loss or metric
  // that is the program's own code) is an Unimplemented that lists all of it; nothing is written
  // then, and save_weights can still save the weights.
  void save(const std::string& path, const SaveOptions& options = {},
            SourceLocation location = SourceLocation::current()) const;
  // The layers as Keras 3's JSON, without weights and compile's options, and the same as a value;
  // `model_from_json` reads it. Errors as in save.
  std::string to_json(SourceLocation location = SourceLocation::current()) const;
  Config get_config(SourceLocation location = SourceLocation::current()) const;
  // Weights alone. The form follows the path's ending:
  //
  //   .weights.h5    Keras 3's, with the state of the optimizer where the model is compiled
  //   .weights.json  the same in several files, each of at most max_shard_size GiB, next to this
  //                  one, which says where each layer's arrays lie
  //   .h5            Keras 1's and 2's, by the names of the layers
  //   .npz           NumPy's, an array for each by its name, "conv2d/kernel"; bf16 as f32
  //   .ckpt          TensorFlow's checkpoint, as tf_keras writes it, with the optimizer's state:
  //                  PREFIX.ckpt.index, a file of numbers, and "checkpoint", which names the last
  //   any other      safetensors, by the same names
  //
  // Written to a temporary file first, then renamed.
  //
  //   model.save_weights("large.weights.json", {.max_shard_size = 0.5})
  void save_weights(const std::string& path, const SaveWeightsOptions& options = {},
                    SourceLocation location = SourceLocation::current()) const;
  // Reads the same forms; a checkpoint by its prefix, whatever its ending, its folder, or that of a
  // SavedModel: of tf_keras and Keras 3 layer by layer, of others by the variables' names (the
  // graph of a SavedModel is never run). What is missing, unexpected or of another shape is one
  // error that lists it all; nothing is assigned then. Other types of numbers are converted. Where
  // the file holds it, as .weights.h5, .weights.json, .ckpt and the files of BackupAndRestore and
  // ModelCheckpoint do, and the model is compiled, the optimizer's state is set too, and in the
  // latter two random_state(); that of another optimizer is left with a warning.
  //
  //   model.load_weights("imagenet.h5", {.by_name = true, .skip_mismatch = true});
  void load_weights(const std::string& path, const LoadWeightsOptions& options = {},
                    SourceLocation location = SourceLocation::current());

  friend std::shared_ptr<const void> trace_key(const Model& model) { return model.state_; }

 private:
  // What other folders may see and do (train/model/model_access.h).
  friend struct ModelAccess;

  explicit Model(std::shared_ptr<ModelState> state) : state_(std::move(state)) {}
  Model(OwnSteps steps, const Layer& layer, const std::vector<Input>& inputs,
        SourceLocation location);
  std::shared_ptr<ModelState> state_;
};

// strategy.scope([] { return Sequential({...}); }) gives a Model of that strategy.
template <>
struct MadeInScope<Network> {
  using type = Model;
};

}  // namespace systolic::inline v0
