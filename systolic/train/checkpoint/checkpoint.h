// Loops of one's own that go on where they stopped (tf.train.Checkpoint).
//
//   int64_t epoch = 0;
//   Checkpoint checkpoint({{"model", model}, {"optimizer", optimizer}, {"data", iterator},
//                          {"epoch", epoch}});
//   checkpoint.restore(latest_checkpoint("run"));
//   for (; epoch < 10; ++epoch) {
//     ...
//     checkpoint.save("run/ckpt");       // run/ckpt-1.index, run/ckpt-1.data-00000-of-00001
//   }
//
// The files are TensorFlow's: tf.train.load_checkpoint reads them, tf.train.Checkpoint restores
// what it knows (models, optimizers, variables, numbers), and theirs are restored here.
// CheckpointManager (checkpoint_manager.h) keeps the last few.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/train/checkpoint/trackable.h"

namespace systolic::inline v0 {

// What restore() found. Where the file holds what no object asked for, and nothing was asserted or
// said to be expected, a warning lists it when this ends.
class RestoreStatus {
 public:
  RestoreStatus(std::string path, std::vector<std::string> not_in_file,
                std::vector<std::string> not_asked_for, size_t restored);
  ~RestoreStatus();
  RestoreStatus(const RestoreStatus&) = delete;
  RestoreStatus& operator=(const RestoreStatus&) = delete;

  // Each raises a FailedPrecondition that lists what is not so. All that the file holds was
  // restored and everything restored was in the file:
  RestoreStatus& assert_consumed(SourceLocation location = SourceLocation::current());
  // everything was in the file:
  RestoreStatus& assert_existing_objects_matched(
      SourceLocation location = SourceLocation::current());
  // something was:
  RestoreStatus& assert_nontrivial_match(SourceLocation location = SourceLocation::current());
  // No warning.
  RestoreStatus& expect_partial();

 private:
  std::string path_;
  std::vector<std::string> not_in_file_, not_asked_for_;
  size_t restored_ = 0;
  bool settled_ = false;
};

class Checkpoint {
 public:
  using Objects = std::vector<std::pair<std::string, Trackable>>;
  // A name that is empty or given twice, and "save_counter", are an InvalidArgument.
  explicit Checkpoint(Objects objects, SourceLocation location = SourceLocation::current());

  // Writes under the prefix as it is. The numbers get their name first, the index last: a
  // checkpoint whose index is there is whole. Folders are made. In a run of several processes
  // process 0 writes.
  std::string write(const std::string& prefix,
                    SourceLocation location = SourceLocation::current()) const;
  // Counts, writes PREFIX-1, PREFIX-2, ..., and names it in the folder's file "checkpoint"; gives
  // the path. What was there before stays.
  std::string save(const std::string& prefix, SourceLocation location = SourceLocation::current());

  // Sets everything that the file has: all of it is read before the first is set. An empty path, as
  // latest_checkpoint gives where there is none, sets nothing. A model must know its shapes; an
  // optimizer without slots gets those of all trainable variables of the checkpoint (where it is to
  // update some of them alone, call its build() before). An array of another shape is an
  // InvalidArgument, a damaged file a DataLoss, the state of another pipeline a FailedPrecondition.
  RestoreStatus restore(const std::string& path,
                        SourceLocation location = SourceLocation::current());
  // The same, except the counter of save().
  RestoreStatus read(const std::string& path, SourceLocation location = SourceLocation::current());

  // How often save() was called, in this run and those before.
  int64_t save_counter() const;
  void set_save_counter(int64_t count);

  // All values as they stand now, and the function that writes them under a prefix: for writing
  // while training goes on.
  std::function<void(const std::string& prefix)> snapshot(
      SourceLocation location = SourceLocation::current()) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace systolic::inline v0
