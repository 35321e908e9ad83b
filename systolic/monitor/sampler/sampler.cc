#include "systolic/monitor/sampler/sampler.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/monitor/sampler/curves.h"
#include "systolic/monitor/sampler/process_start.h"
#include "systolic/runtime/sends_to_processes.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t speed_readings = 10;
// Short runs one after the other are not looked at more often than this.
constexpr auto least_interval = std::chrono::milliseconds(100);

double time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Sampler::Sampler(SamplerOptions options) : options_(std::move(options)) {
  status_->process = getpid();
  status_->process_start = process_start(getpid());
  status_->program = program_invocation_short_name;
}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

EventSinkPtr Sampler::watch_run() {
  const std::lock_guard lock(mutex_);
  watch_ = std::make_shared<RunWatch>([this] { changed(); });
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  return watch_;
}

void Sampler::changed() {
  {
    const std::lock_guard lock(mutex_);
    changed_ = true;
  }
  wake_.notify_all();
}

void Sampler::publish_to(Publish publish) {
  const std::lock_guard lock(look_mutex_);
  publishers_.push_back({std::move(publish)});
  if (status_->run > 0) publishers_.back().publish(*status_);
}

// Until something changed, or the interval is over while a run lasts. False at the end.
bool Sampler::wait_for_turn() {
  std::unique_lock lock(mutex_);
  const auto woken = [this] { return changed_ || ends_; };
  if (watch_->facts().is_over()) {
    wake_.wait(lock, woken);
  } else {
    wake_.wait_for(lock, options_.interval, woken);
  }
  const bool looks = changed_ || !ends_;
  changed_ = false;
  return looks;
}

void Sampler::run() {
  while (wait_for_turn()) {
    look_and_publish();
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, least_interval, [this] { return ends_; });
  }
}

void Sampler::look_and_publish() {
  const RunStatus& status = look();
  const std::lock_guard lock(look_mutex_);
  for (Publisher& publisher : publishers_) {
    if (publisher.failed) continue;
    try {
      publisher.publish(status);
    } catch (const std::exception& error) {
      publisher.failed = true;
      log_once(LogLevel::warning, str("The run goes on, and is shown no more: ", error.what()));
    }
  }
}

const RunStatus& Sampler::look() {
  const std::shared_ptr<RunWatch> watch = [this] {
    const std::lock_guard lock(mutex_);
    return watch_;
  }();
  const std::lock_guard lock(look_mutex_);
  if (watch != nullptr) read_run(*watch);
  try {
    read_device();
  } catch (const std::exception& error) {
    log_once(LogLevel::warning, str("The device does not tell what it does: ", error.what()));
  }
  read_device_metrics();
  if (watch != nullptr) set_speed();
  if (watch != nullptr && !status_->is_over()) add_point(*status_);
  return *status_;
}

void Sampler::read_run(const RunWatch& watch) {
  const RunFacts facts = watch.facts();
  if (facts.run != status_->run) {
    status_->point_count = 0;
    status_->point_seconds = static_cast<double>(options_.interval.count()) / 1000;
    progress_.clear();
  }
  static_cast<RunFacts&>(*status_) = facts;
  status_->time = time_now();
}

void Sampler::set_speed() {
  RunStatus& status = *status_;
  if (status.is_over()) return;  // as it was
  progress_.push_back({status.time, status.steps, status.samples, status.sent_bytes});
  if (progress_.size() > speed_readings + 1) progress_.pop_front();
  const Progress& before = progress_.front();
  const double seconds = status.time - before.time;
  if (!(seconds > 0)) return;
  status.steps_per_second = static_cast<double>(status.steps - before.steps) / seconds;
  status.samples_per_second = static_cast<double>(status.samples - before.samples) / seconds;
  const double sent = status.sent_bytes - before.sent_bytes;
  status.sent_bytes_per_second = sent >= 0 ? sent / seconds : unknown;  // not after a reset
}

void Sampler::read_device_metrics() {
  if (!options_.device_metrics) return;
  try {
    const std::vector<DeviceMetric> metrics = options_.device_metrics();
    const size_t count = std::min(metrics.size(), most_device_metrics);
    std::copy_n(metrics.begin(), count, status_->device_metric_list.begin());
    status_->device_metric_count = static_cast<int32_t>(count);
  } catch (const std::exception& error) {
    log_once(LogLevel::warning, str("The device's own software does not tell: ", error.what()));
  }
}

void Sampler::read_device() {
  const runtime::ClientPtr device = options_.device ? options_.device() : nullptr;
  if (device == nullptr) return;
  RunStatus& status = *status_;
  const TpuGeneration& generation = device->kind().generation;
  status.platform = device->platform();
  status.device_kind = device->kind().name;
  status.all_cores = device->cores();
  const auto* sender = dynamic_cast<const runtime::SendsToProcesses*>(device.get());
  const int64_t sent = sender == nullptr ? -1 : sender->sent_bytes();
  status.sent_bytes = sent < 0 ? double{unknown} : static_cast<double>(sent);
  const std::vector<int>& numbers = device->topology().addressable_cores();
  const size_t count = std::min(numbers.size(), most_cores);
  std::vector<runtime::CoreCounters> counters(count);
  status.core_count = static_cast<int32_t>(count);
  for (size_t i = 0; i < count; ++i) {
    counters[i] = device->counters(numbers[i]);
    status.core_list[i] = {.number = numbers[i],
                           .memory_bytes = device->memory_in_use(numbers[i]),
                           .memory_limit_bytes = generation.memory_bytes_per_core};
  }
  readings_.add(std::move(counters));
  readings_.set_rates({status.core_list.data(), count}, generation.peak_bf16_flops_per_core);
}

}  // namespace monitor
}  // namespace systolic::inline v0
