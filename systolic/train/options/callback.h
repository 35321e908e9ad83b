// Hooks into training (keras.callbacks.Callback). Derive, override what is wanted, pass with
// FitOptions::callbacks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "systolic/core/example.h"
#include "systolic/events/logs.h"

namespace systolic::inline v0 {

class Model;
struct FitOptions;

// What fit, evaluate and predict tell their callbacks at the start.
struct FitParameters {
  int epochs = 1;
  int64_t steps = -1;  // an epoch; -1: not known before the first has ended
  // Global, of the first batch; 0 in evaluate and predict, and in a fit without an epoch to run.
  int64_t batch_size = 0;
  int verbose = 1;
  // How many processes the run has (docs/processes.md), and which of them this is.
  int num_processes = 1;
  int process_index = 0;
};

class Callback {
 public:
  virtual ~Callback() = default;
  // Before fit looks at its options: what it finds it may change in them and in the model, as a run
  // that is taken up does.
  virtual void before_fit(Model& /*model*/, FitOptions& /*options*/) {}
  // When fit is over, whatever ended it, an exception included: to let go of what before_fit took.
  virtual void after_fit() noexcept {}
  virtual void on_train_begin() {}
  virtual void on_train_end(const Logs&) {}
  virtual void on_epoch_begin(int /*epoch*/) {}
  // The logs hold loss, metrics and, where there is validation, their val_ twins.
  virtual void on_epoch_end(int /*epoch*/, const Logs&) {}
  // With steps_per_execution = K these are called once for K steps: `step` is the first of them at
  // the beginning, the last at the end, counted from 0 in the epoch.
  virtual void on_train_batch_begin(int64_t /*step*/) {}
  virtual void on_train_batch_end(int64_t /*step*/, const Logs&) {}
  // Evaluate, and the validation inside fit.
  virtual void on_test_begin() {}
  virtual void on_test_end(const Logs&) {}
  virtual void on_test_batch_begin(int64_t /*step*/) {}
  virtual void on_test_batch_end(int64_t /*step*/, const Logs&) {}
  virtual void on_predict_begin() {}
  virtual void on_predict_end() {}
  virtual void on_predict_batch_begin(int64_t /*step*/) {}
  virtual void on_predict_batch_end(int64_t /*step*/) {}

  // True if on_train_batch_end and on_test_batch_end need the logs of every step, which are empty
  // otherwise: reading them makes the host wait for the device.
  virtual bool wants_batch_logs() const { return false; }
  // True if it asks for model().input_state(): fit then keeps the batches that it has read ahead.
  virtual bool wants_input_state() const { return false; }

  // True if it looks at what others do in the same event, as one does that saves the run: it is
  // told each event after all others, wherever it stands among them; of the end of training before
  // them, as they may change the model then.
  virtual bool comes_last() const { return false; }

  // True if all it does of its own is to write or to print, as all processes of a run would alike:
  // what happens is told to it in process 0 alone. before_fit, after_fit and load_state are called
  // in every process. One that changes the model or stops the training answers false, so that all
  // processes do it.
  virtual bool only_writes() const { return false; }

  // What it knows that a run which is taken up must know again, as arrays with names: the best
  // value so far, epochs waited. BackupAndRestore keeps it with the model.
  //   Example save_state() const override { return {{"best", best_}, {"waited", waited_}}; }
  //   void load_state(const Example& state) override {
  //     best_ = state["best"].item<double>();
  //     waited_ = state["waited"].item<int64_t>();
  //   }
  virtual Example save_state() const { return {}; }
  // What save_state gave in an earlier process; after on_train_begin.
  virtual void load_state(const Example& /*state*/) {}
  // The name under which the state is kept: the class's, unless it says otherwise. With several
  // callbacks of one name, the first gets the first one's state.
  virtual std::string state_name() const;

  // Called by fit, evaluate and predict before all others but before_fit, which comes before fit
  // reads the first batch.
  void attach(const Model& model, const FitParameters& parameters);

 protected:
  // The model it is attached to: between fit, evaluate or predict and the next.
  Model& model() const;
  const FitParameters& parameters() const { return parameters_; }

 private:
  std::shared_ptr<Model> model_;  // a handle of its own
  FitParameters parameters_;
};
// A callback as fit keeps it; a spec such as EarlyStopping{} converts to it.
using CallbackPtr = std::shared_ptr<Callback>;

}  // namespace systolic::inline v0
