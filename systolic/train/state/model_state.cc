#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

void ModelState::invalidate_programs(StepKind kind) {
  const auto locked = lock();
  programs_.drop(kind);
}

void ModelState::forget_programs() {
  programs_.clear();
  log_reader_ = {};
}

void ModelState::change_layers(const std::function<void()>& change) {
  const auto locked = lock();
  change();
  programs_.drop(StepKind::train);
}

void ModelState::replace_network(Network other, const std::string& by,
                                 const std::function<void()>& also) {
  const auto locked = lock();
  network_ = std::move(other);
  if (compiled_.optimizer) compiled_.dropped_by = by;
  compiled_.optimizer.reset();
  input_ranges_.clear();
  forget_programs();
  also();
}

void ModelState::bring_loss(OwnLoss loss) {
  const auto locked = lock();
  own_loss_ = std::move(loss);
}

void ModelState::compile(Compiled compiled) {
  const auto locked = lock();
  compiled_ = std::move(compiled);
  forget_programs();
}

void ModelState::log_steps_of(StepKind kind) {
  const auto locked = lock();
  const bool other = compiled_.own_step(kind) != compiled_.own_step(compiled_.logged);
  compiled_.logged = kind;
  if (other) log_reader_ = {};
}

void ModelState::note_metrics_without_weights(std::vector<bool> metrics) {
  const auto locked = lock();
  compiled_.metrics_without_weights = std::move(metrics);
}

void ModelState::announce_lengths(const std::vector<int64_t>& lengths) {
  const auto locked = lock();
  announced_lengths_.insert(lengths.begin(), lengths.end());
}

void ModelState::watch_finite(std::shared_ptr<FiniteWatch> watch) {
  const auto locked = lock();
  finite_watch_ = std::move(watch);
  programs_.drop(StepKind::train);
}

std::vector<InputRange> ModelState::input_ranges(
    const std::string& rows, const std::function<std::vector<InputRange>()>& find) {
  const auto locked = lock();
  const auto known = input_ranges_.find(rows);
  if (known != input_ranges_.end()) return known->second;
  std::vector<InputRange> found = find();
  return input_ranges_[rows] = std::move(found);
}

void ModelState::note_input_ranges(const std::string& rows, std::vector<InputRange> ranges) {
  const auto locked = lock();
  input_ranges_[rows] = std::move(ranges);
}

LogReader ModelState::log_reader(size_t totals, const std::function<LogReader()>& make) {
  const auto locked = lock();
  if (!log_reader_.program || log_reader_.totals != totals) {
    log_reader_ = make();
    log_reader_.totals = totals;
  }
  return log_reader_;
}

}  // namespace systolic::inline v0
