// What is known of a run at a moment: what the sampler writes, and all that show it read. Numbers
// and texts of fixed size, so that it lies in shared memory as it is.
//
// docs/monitor.md has the formulas. NaN: not known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

namespace systolic::inline v0 {
namespace monitor {

inline constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

// A text that is cut where it does not fit.
template <size_t size>
struct FixedText {
  std::array<char, size> characters = {};

  FixedText() = default;
  FixedText(std::string_view text) { *this = text; }  // NOLINT: it is one
  FixedText& operator=(std::string_view text) {
    size_t end = std::min(text.size(), size - 1);
    // No UTF-8 character is cut in two.
    while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;
    characters = {};
    text.copy(characters.data(), end);
    return *this;
  }
  // To the first 0, or the end where there is none.
  std::string_view view() const {
    const std::string_view all(characters.data(), size);
    return all.substr(0, all.find('\0'));
  }
  bool empty() const { return view().empty(); }
};

enum class RunState : int32_t { training, validating, ended, interrupted, failed };
std::string_view state_name(RunState state);  // "training"

struct CoreStatus {
  int32_t number = 0;
  // During the last seconds.
  float mxu_percent = unknown, padded_mxu_percent = unknown;
  float busy_percent = unknown, input_wait_percent = unknown, idle_percent = unknown;
  int64_t memory_bytes = 0, peak_memory_bytes = 0, memory_limit_bytes = 0;
  float collective_bytes_per_second = unknown;
  // Since the device was opened, or its counters were reset.
  double flops = 0, matrix_flops = 0, collective_bytes = 0;
  double busy_seconds = 0, input_wait_seconds = 0, idle_seconds = 0;
};

struct NamedNumber {
  FixedText<48> name;
  double value = 0;
};

// A number that the device's own software gives, under the name that it has there.
struct DeviceMetric {
  FixedText<64> name;  // "tpu.runtime.tensorcore.dutycycle.percent"
  int32_t device = 0;  // of this machine; of a chip where the metric is one of chips
  double value = 0;
};

struct Happening {
  double time = 0;     // seconds since 1970
  FixedText<24> kind;  // event_name: "recompilation"
  FixedText<232> text;
};

inline constexpr size_t most_cores = 64, cores_with_curves = 8, most_points = 512, most_logs = 24,
                        most_happenings = 32, most_device_metrics = 64, most_epoch_points = 128;

// One point of the curves.
struct CurvePoint {
  double time = 0;  // seconds since the run began
  float loss = unknown, steps_per_second = unknown;
  std::array<float, cores_with_curves> mxu_percent = {}, idle_percent = {}, input_wait_percent = {},
                                       memory_bytes = {};
};

// What an epoch logged, by the places of RunFacts::metric_names; NaN where it has no such metric.
struct EpochPoint {
  int32_t epoch = -1;  // counted from 0
  std::array<float, most_logs> values = {};
};

// What the run says of itself.
struct RunFacts {
  int64_t run = 0;  // its number in the process, from 1
  RunState state = RunState::training;
  FixedText<64> name;  // of the model, or of the loop
  FixedText<232> failure;
  double begin_time = 0, last_step_time = 0, end_time = 0;  // 0: not yet
  int64_t epoch = -1, epochs = 0;                           // counted from 0; how many there are
  int64_t step_in_epoch = 0, steps_per_epoch = -1;          // done; -1: not known
  int64_t steps = 0, samples = 0;                           // done in the run
  int64_t validation_steps = 0;                             // done in this validation
  double step_milliseconds = 0;                             // the last
  double loss = unknown;                                    // the last known
  int64_t loss_step = -1;
  int64_t compilations = 0, recompilations = 0;
  double compile_milliseconds = 0;
  int32_t log_count = 0, happening_count = 0, metric_count = 0, epoch_point_count = 0;
  int32_t epochs_per_point = 1;
  std::array<NamedNumber, most_logs> log_list = {};            // of the last epoch
  std::array<Happening, most_happenings> happening_list = {};  // the last, oldest first
  std::array<FixedText<48>, most_logs> metric_name_list = {};  // of all epochs, as they came
  std::array<EpochPoint, most_epoch_points> epoch_point_list = {};

  std::span<const NamedNumber> logs() const { return first_of(log_list, log_count); }
  std::span<const Happening> happenings() const {
    return first_of(happening_list, happening_count);
  }
  std::span<const FixedText<48>> metric_names() const {
    return first_of(metric_name_list, metric_count);
  }
  std::span<const EpochPoint> epoch_points() const {
    return first_of(epoch_point_list, epoch_point_count);
  }
  bool is_over() const { return state >= RunState::ended; }

 protected:
  template <class List>
  static std::span<const typename List::value_type> first_of(const List& list, int32_t count) {
    return {list.data(), static_cast<size_t>(count)};
  }
};

struct RunStatus : RunFacts {
  int64_t process = 0;
  int64_t process_start = 0;  // as /proc has it, so that a number that is used again is seen
  double time = 0;            // of this status; seconds since 1970, as all times
  FixedText<64> program;
  FixedText<32> platform, device_kind;
  double steps_per_second = 0, samples_per_second = 0;  // of the last seconds
  // What this process has sent to the others for collectives; unknown where nobody counts, as in a
  // run of one process.
  double sent_bytes = unknown, sent_bytes_per_second = unknown;
  double point_seconds = 1;  // between two points
  int32_t all_cores = 0;     // of which `core_count` follow
  int32_t core_count = 0, point_count = 0, device_metric_count = 0;
  std::array<CoreStatus, most_cores> core_list = {};
  std::array<DeviceMetric, most_device_metrics> device_metric_list = {};
  std::array<CurvePoint, most_points> point_list = {};

  std::span<const CoreStatus> cores() const { return first_of(core_list, core_count); }
  std::span<const CurvePoint> points() const { return first_of(point_list, point_count); }
  std::span<const DeviceMetric> device_metrics() const {
    return first_of(device_metric_list, device_metric_count);
  }
};
static_assert(std::is_trivially_copyable_v<RunStatus>);

// Whoever writes shared memory may lie: counts are brought into their bounds, states into the
// list, and control characters of texts, which a terminal would obey, become spaces.
void make_safe(RunStatus& status);

// The mean over the cores of what is known of them; NaN where nothing is.
float mean_of_cores(const RunStatus& status, float CoreStatus::*percent);

}  // namespace monitor
}  // namespace systolic::inline v0
