// Writes what TensorBoard shows (keras.callbacks.TensorBoard).
#pragma once

#include <cstdint>
#include <string>

#include "systolic/events/event_sink.h"
#include "systolic/train/options/callback.h"
#include "systolic/train/sinks/summary_value.h"

namespace systolic::inline v0 {

class Network;

// The network as Keras's JSON, "" where that has no word for a layer. Defined in saving.
std::string keras_json(const Network& network);

//   .callbacks = {TensorBoard{.histogram_freq = 1}}  // then: tensorboard --logdir logs
//
// Under log_dir, as Keras has it, train/ and validation/ with a file events.out.tfevents.* for each
// fit:
//
//   epoch_loss, ...                      logs of an epoch, and epoch_learning_rate, at the epoch;
//                                        in validation/ the val_ twins
//   batch_loss, ...                      logs as they stand, at the step, by update_freq
//   evaluation_loss_vs_iterations, ...   an evaluation within fit, at the step, in validation/
//   small/dense/kernel/histogram, ...    weights, at the epoch, by histogram_freq, under their
//                                        paths in Keras: of a Sequential with its name in front
//   keras                                the graph of the model
//   NAME                                 what summary::scalar, histogram, image and text are given
//                                        (sinks/summary.h), at the step
//
// and the hparams, which the tab of that name compares between runs.
// Epochs count from 0, steps are those done. Each is there for TensorBoard at once; reading logs
// makes the host wait for the device, so that an update_freq of 1 costs time.
// A file that cannot be written ends no training: one warning says so, and nothing more is written.
// A loop of your own takes it as a sink (events/training_run.h); so do event_sinks, which are told
// on another thread and get neither histograms nor the graph.
struct TensorBoard {
  std::string log_dir = "logs";
  int64_t update_freq = 0;              // steps between writes; 1 is Keras's "batch", 0 its "epoch"
  int histogram_freq = 0;               // epochs between writes; 0: no histograms
  bool write_graph = true;              // of models that Keras has words for
  bool write_steps_per_second = false;  // of each epoch, and by update_freq
  HyperParameters hparams = {};         // {{"learning_rate", 0.01}, {"optimizer", "adam"}}
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const { return callback(keras_json); }  // NOLINT: a new one each time
  operator EventSinkPtr() const { return sink(keras_json); }     // NOLINT: a new one each time

  // Inline above, so that only programs with a TensorBoard need what writes JSON.
  CallbackPtr callback(std::string (*json)(const Network&)) const;
  EventSinkPtr sink(std::string (*json)(const Network&)) const;
};

}  // namespace systolic::inline v0
