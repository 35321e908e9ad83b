#include "systolic/train/checkpoint/checkpoint.h"

#include <set>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensor_bundle/checkpoint_state.h"
#include "systolic/train/checkpoint/tracked_object.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* counter_name = "save_counter";
constexpr size_t most_listed = 20;

std::string listed(const std::vector<std::string>& lines) {
  const size_t shown = std::min(lines.size(), most_listed);
  std::string text =
      join(std::vector(lines.begin(), lines.begin() + static_cast<int64_t>(shown)), "\n  ");
  if (shown < lines.size()) text += str("\n  and ", lines.size() - shown, " more");
  return text;
}

}  // namespace

RestoreStatus::RestoreStatus(std::string path, std::vector<std::string> not_in_file,
                             std::vector<std::string> not_asked_for, size_t restored)
    : path_(std::move(path)),
      not_in_file_(std::move(not_in_file)),
      not_asked_for_(std::move(not_asked_for)),
      restored_(restored) {}

RestoreStatus::~RestoreStatus() {
  if (settled_ || not_asked_for_.empty()) return;
  publish_warning(str("Checkpoint: ", path_,
                      " holds what was not restored (expect_partial() says "
                      "that it need not be):\n  ",
                      listed(not_asked_for_)));
}

RestoreStatus& RestoreStatus::assert_consumed(SourceLocation location) {
  assert_existing_objects_matched(location);
  if (not_asked_for_.empty()) return *this;
  raise<FailedPrecondition>(
      {.what = str("'", path_, "' holds what no object asked for:\n  ", listed(not_asked_for_)),
       .hint = "expect_partial() where that is as it should be",
       .location = location});
}

RestoreStatus& RestoreStatus::assert_existing_objects_matched(SourceLocation location) {
  settled_ = true;
  if (not_in_file_.empty() && !path_.empty()) return *this;
  raise<FailedPrecondition>(
      {.what = path_.empty() ? std::string("nothing was restored: there is no checkpoint")
                             : str("'", path_, "' does not hold:\n  ", listed(not_in_file_)),
       .location = location});
}

RestoreStatus& RestoreStatus::assert_nontrivial_match(SourceLocation location) {
  settled_ = true;
  if (restored_ > 0) return *this;
  raise<FailedPrecondition>(
      {.what = path_.empty() ? std::string("nothing was restored: there is no checkpoint")
                             : str("'", path_, "' holds nothing of these objects"),
       .location = location});
}

RestoreStatus& RestoreStatus::expect_partial() {
  settled_ = true;
  return *this;
}

struct Checkpoint::State {
  Objects objects;
  int64_t counter = 0;

  std::vector<Variable> trainable() const {
    std::vector<Variable> all;
    for (const auto& [name, one] : objects) {
      for (const Variable& variable : one.object()->trainable()) all.push_back(variable);
    }
    return all;
  }
  // Optimizers last: a model's own is met in the model first.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const bool late : {false, true}) {
      for (const auto& [name, one] : objects) {
        if (one.object()->comes_after_variables() == late) visit(name, *one.object());
      }
    }
  }
  std::shared_ptr<saving::CheckpointObjects> collected() const {
    auto all = std::make_shared<saving::CheckpointObjects>();
    const std::vector<Variable> variables = trainable();
    each(
        [&](const std::string& name, const TrackedObject& one) { one.add(*all, name, variables); });
    all->add_array(all->root(), counter_name, "VARIABLE_VALUE",
                   [count = counter] { return Literal::scalar(count); });
    return all;
  }
  RestoreStatus restore(const std::string& path, bool with_counter, SourceLocation location);
};

Checkpoint::Checkpoint(Objects objects, SourceLocation location)
    : state_(std::make_shared<State>()) {
  std::set<std::string> names{"", counter_name};
  for (const auto& [name, one] : objects) {
    if (names.insert(name).second) continue;
    raise<InvalidArgument>({.what = str("an object of a Checkpoint called '", name, "'"),
                            .wanted = "a name that no other has",
                            .location = location});
  }
  state_->objects = std::move(objects);
}

std::function<void(const std::string& prefix)> Checkpoint::snapshot(SourceLocation location) const {
  const ErrorScope scope("Checkpoint", location);
  const std::shared_ptr<saving::CheckpointObjects> all = state_->collected();
  all->read_all();
  return [all, location](const std::string& prefix) {
    if (place_in_run().index != 0) return;
    io::make_folder_of(prefix, location);
    all->write(prefix, location);
  };
}

std::string Checkpoint::write(const std::string& prefix, SourceLocation location) const {
  snapshot(location)(prefix);
  return prefix;
}

std::string Checkpoint::save(const std::string& prefix, SourceLocation location) {
  ++state_->counter;
  const std::string path = str(prefix, "-", state_->counter);
  write(path, location);
  if (place_in_run().index != 0) return path;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  const std::string inside = str(folder, "/", path.substr(slash + 1));
  auto known = io::read_checkpoint_state(folder, location);
  io::CheckpointState next{.latest = inside, .all = {}, .timestamps = {}};
  if (known) next.all = std::move(known->all);
  std::erase(next.all, inside);
  next.all.push_back(inside);
  io::write_checkpoint_state(folder, next, location);
  return path;
}

RestoreStatus Checkpoint::State::restore(const std::string& path, bool with_counter,
                                         SourceLocation location) {
  if (path.empty()) return RestoreStatus("", {}, {}, 0);
  const saving::StoredObjects stored(path, location);
  if (!stored.has_graph()) {
    raise<InvalidArgument>({.what = str("'", path, "' has arrays by names alone, no objects"),
                            .hint = "Model::load_weights reads such checkpoints",
                            .location = location});
  }
  Restoring restoring{stored, location, trainable()};
  each([&](const std::string& name, const TrackedObject& one) {
    const auto node = stored.child(stored.root(), name);
    node ? one.find(restoring, *node, name) : restoring.match.missing(name);
  });
  std::optional<int64_t> count;
  if (const auto node = stored.child(stored.root(), counter_name)) {
    if (const auto array = stored.array(*node))
      count = stored.reader(*array, location)().convert(DType::i64).item<int64_t>();
  }
  std::vector<Literal> values;
  for (const auto& [read, set] : restoring.values) values.push_back(read());
  restoring.match.assign(path, {.by_name = true}, location);
  for (size_t i = 0; i < values.size(); ++i) restoring.values[i].second(values[i]);
  if (count && with_counter) counter = *count;
  return RestoreStatus(path, restoring.match.lines(), stored.unread(),
                       restoring.match.count() + values.size());
}

RestoreStatus Checkpoint::restore(const std::string& path, SourceLocation location) {
  const ErrorScope scope("Checkpoint", location);
  return state_->restore(path, true, location);
}

RestoreStatus Checkpoint::read(const std::string& path, SourceLocation location) {
  const ErrorScope scope("Checkpoint", location);
  return state_->restore(path, false, location);
}

int64_t Checkpoint::save_counter() const { return state_->counter; }
void Checkpoint::set_save_counter(int64_t count) { state_->counter = count; }

}  // namespace systolic::inline v0
