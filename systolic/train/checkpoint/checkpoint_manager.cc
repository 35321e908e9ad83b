#include "systolic/train/checkpoint/checkpoint_manager.h"

#include <algorithm>
#include <chrono>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/base/threads/background_task.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/files/owner_lock.h"
#include "systolic/io/tensor_bundle/checkpoint_state.h"

namespace systolic::inline v0 {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The index first: what has none is not a checkpoint.
void remove_checkpoint(const std::string& prefix, SourceLocation location) {
  io::FileSystem& files = io::file_system(prefix, location);
  const std::string five(5, '?');
  for (const std::string& pattern :
       {prefix + ".index", str(prefix, ".data-", five, "-of-", five)}) {
    for (const std::string& path : files.glob(pattern, location)) files.remove(path, location);
  }
}

}  // namespace

struct CheckpointManager::State {
  Checkpoint checkpoint;
  std::string directory;
  CheckpointManagerOptions options;
  SourceLocation location;
  io::CheckpointState known = {};
  std::optional<io::OwnerLock> lock = {};
  std::optional<int64_t> last_step = {};
  BackgroundTask writing = {};  // last: it ends before the others go

  bool is_time() {
    if (!options.step_counter || !options.checkpoint_interval) return true;
    const int64_t step = options.step_counter();
    if (last_step && step - *last_step < *options.checkpoint_interval) return false;
    last_step = step;
    return true;
  }

  void own_folder() {
    if (lock || !io::scheme_of(directory).empty()) return;
    io::make_folder(directory, location);
    lock.emplace(directory + "/owner.lock", "CheckpointManager", location);
  }

  // The state is written before anything is removed, and again without it: a run that ends between
  // finds the new checkpoint.
  void commit(const std::string& path) {
    for (size_t i = 0; i < known.all.size(); ++i) {
      if (known.all[i] != path) continue;
      known.all.erase(known.all.begin() + static_cast<int64_t>(i));
      known.timestamps.erase(known.timestamps.begin() + static_cast<int64_t>(i));
      break;
    }
    known.latest = path;
    known.all.push_back(path);
    known.timestamps.push_back(seconds_since_1970());
    io::write_checkpoint_state(directory, known, location);
    if (!options.max_to_keep || static_cast<int64_t>(known.all.size()) <= *options.max_to_keep)
      return;
    std::vector<std::string> removed;
    while (static_cast<int64_t>(known.all.size()) > *options.max_to_keep) {
      if (!is_kept_for_good(known.timestamps.front())) removed.push_back(known.all.front());
      known.all.erase(known.all.begin());
      known.timestamps.erase(known.timestamps.begin());
    }
    for (const std::string& old : removed) remove_checkpoint(old, location);
    io::write_checkpoint_state(directory, known, location);
  }

  bool is_kept_for_good(double time) {
    if (!options.keep_checkpoint_every_n_hours) return false;
    if (time - *options.keep_checkpoint_every_n_hours * 3600 < known.last_preserved) return false;
    known.last_preserved = time;
    return true;
  }
};

CheckpointManager::CheckpointManager(Checkpoint checkpoint, std::string directory,
                                     CheckpointManagerOptions options, SourceLocation location)
    : state_(new State{.checkpoint = std::move(checkpoint),
                       .directory = std::move(directory),
                       .options = std::move(options),
                       .location = location}) {
  const ErrorScope scope("CheckpointManager", location);
  const auto fail = [&](std::string what, std::string wanted) {
    raise<InvalidArgument>({.what = std::move(what), .wanted = std::move(wanted)});
  };
  State& state = *state_;
  if (state.directory.empty()) fail("a CheckpointManager without a directory", "a folder");
  if (state.options.max_to_keep && *state.options.max_to_keep < 1)
    fail(str("max_to_keep ", *state.options.max_to_keep), "1 or more, or none for all");
  if (state.options.checkpoint_interval && !state.options.step_counter)
    fail("a checkpoint_interval", "a step_counter, too");
  auto known = io::read_checkpoint_state(state.directory, location);
  if (known) state.known = std::move(*known);
  if (state.known.timestamps.empty()) {
    state.known.timestamps.assign(state.known.all.size(), seconds_since_1970());
  }
  if (state.known.last_preserved == 0) state.known.last_preserved = seconds_since_1970();
}

CheckpointManager::~CheckpointManager() {
  try {
    wait();
  } catch (const Error& error) {
    publish_warning(str("CheckpointManager: the last checkpoint was not written: ", error.what()));
  }
}

std::string CheckpointManager::save(std::optional<int64_t> checkpoint_number,
                                    SourceLocation location) {
  const ErrorScope scope("CheckpointManager", location);
  State& state = *state_;
  wait();
  if (!state.is_time()) return "";
  const int64_t number = checkpoint_number.value_or(state.checkpoint.save_counter() + 1);
  state.checkpoint.set_save_counter(state.checkpoint.save_counter() + 1);
  const std::string path = str(state.directory, "/", state.options.checkpoint_name, "-", number);
  const bool writes = place_in_run().index == 0;
  if (writes) state.own_folder();
  const auto write_to = state.checkpoint.snapshot(location);
  if (!writes) return path;
  const auto write = [&state, write_to, path] {
    write_to(path);
    state.commit(path);
  };
  if (state.options.asynchronous) {
    state.writing.start(write);
  } else {
    write();
    publish(events::CheckpointWritten{.path = path});
  }
  return path;
}

std::string CheckpointManager::restore_or_initialize(SourceLocation location) {
  const ErrorScope scope("CheckpointManager", location);
  wait();
  const std::string path = latest_checkpoint();
  if (path.empty()) {
    if (state_->options.init_fn) state_->options.init_fn();
    return "";
  }
  state_->checkpoint.restore(path, location).assert_existing_objects_matched(location);
  if (state_->options.step_counter) state_->last_step = state_->options.step_counter();
  return path;
}

std::string CheckpointManager::latest_checkpoint() const {
  state_->writing.wait();
  const std::string& latest = state_->known.latest;
  if (latest.empty() || !io::exists(latest + ".index", state_->location)) return "";
  return latest;
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  state_->writing.wait();
  return state_->known.all;
}
const std::string& CheckpointManager::directory() const { return state_->directory; }
Checkpoint& CheckpointManager::checkpoint() const { return state_->checkpoint; }

void CheckpointManager::wait() { state_->writing.wait(); }

}  // namespace systolic::inline v0
