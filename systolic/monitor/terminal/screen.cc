#include "systolic/monitor/terminal/screen.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "systolic/base/terminal.h"
#include "systolic/base/text.h"
#include "systolic/monitor/terminal/condition.h"
#include "systolic/monitor/terminal/curve.h"
#include "systolic/monitor/terminal/numbers.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

std::string loss_text(double loss) { return std::isnan(loss) ? "-" : fixed(loss, 4); }

std::string epoch_text(const RunStatus& status) {
  return str("epoch ", status.epoch + 1, "/", status.epochs);
}

std::string right(std::string text, int columns) {
  const int missing = columns - columns_of(text);
  return std::string(static_cast<size_t>(std::max(missing, 0)), ' ') + text;
}

std::string_view color_of(Health health) {
  switch (health) {
    case Health::well:
      return "\x1b[32m";
    case Health::over:
      return "\x1b[36m";
    case Health::doubtful:
      return "\x1b[33m";
    case Health::bad:
      break;
  }
  return "\x1b[31m";
}

std::string byte_count_text(double bytes) {
  constexpr double most = 1e18;  // beyond it, which only a file that lies says, none is converted
  if (!(std::abs(bytes) < most)) return "-";
  return bytes_text(static_cast<int64_t>(std::llround(bytes)));
}

std::string byte_rate_text(double per_second) {
  const std::string bytes = byte_count_text(per_second);
  return bytes == "-" ? bytes : str(bytes, "/s");
}

// Lines that grow until the screen is full.
class Lines {
 public:
  explicit Lines(const ScreenOptions& options) : options_(options) {}

  int left() const { return options_.rows - static_cast<int>(lines_.size()); }
  int columns() const { return options_.columns; }
  void add(std::string_view text, std::string_view style = "") {
    if (left() <= 0) return;
    std::string line = cut_to_columns(text, options_.columns);
    if (options_.color && !style.empty()) line = str(style, line, "\x1b[0m");
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  const ScreenOptions& options_;
  std::vector<std::string> lines_;
};

constexpr std::string_view bold = "\x1b[1m", dim = "\x1b[2m";

void add_head(Lines& lines, const RunStatus& status, const ScreenOptions& options) {
  lines.add(
      str(status.program.view(), " · process ", status.process, " · '", status.name.view(), "' on ",
          status.platform.view(), " ", status.device_kind.view(), ", ", status.all_cores, " cores"),
      bold);
  const Condition condition = condition_of(status, options.process, options.now);
  const double end = status.end_time > 0 ? status.end_time : options.now;
  lines.add(str(condition.text, " · ", time_text(end - status.begin_time)),
            color_of(condition.health));
}

// Parts of one line, or of more where the terminal is narrow.
void add_parts(Lines& lines, const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    const std::string longer = line.empty() ? part : str(line, "  ", part);
    if (!line.empty() && columns_of(longer) > lines.columns()) {
      lines.add(line);
      line = part;
    } else {
      line = longer;
    }
  }
  lines.add(line);
}

// "" in a run of one process.
std::string sent_text(const RunStatus& status) {
  if (std::isnan(status.sent_bytes)) return "";
  return str("sent to processes ", byte_rate_text(status.sent_bytes_per_second));
}

void add_progress(Lines& lines, const RunStatus& status) {
  const int64_t done = status.step_in_epoch, all = status.steps_per_epoch;
  const int bar_columns = lines.columns() < 60 ? 8 : 20;
  add_parts(lines,
            {str(epoch_text(status), "  ", bar_text(bar_columns, done, all > 0 ? all : done + 1),
                 "  ", done, all > 0 ? str("/", all) : ""),
             str("step ", status.steps)});
  add_parts(lines, {str(rate_text(status.steps_per_second), " steps/s"),
                    str(rate_text(status.samples_per_second), " samples/s"),
                    str("loss ", loss_text(status.loss)),
                    str(status.compilations, " compiled, ", status.recompilations, " again"),
                    sent_text(status)});
  if (status.logs().empty()) return;
  std::vector<std::string> logs;
  for (const NamedNumber& log : status.logs()) {
    logs.push_back(
        str(logs.empty() ? "last epoch: " : "- ", log.name.view(), ": ", loss_text(log.value)));
  }
  add_parts(lines, logs);
}

std::string gauge(std::string_view name, double percent) {
  constexpr int columns = 6;  // five of them fit into 100
  const double shown = std::isfinite(percent) ? std::clamp(percent, 0.0, 100.0) : 0;
  return str(name, " ", bar_text(columns, std::llround(shown), 100), " ", percent_text(percent),
             " %");
}

// The mean of the cores, and the memory of the fullest.
void add_gauges(Lines& lines, const RunStatus& status) {
  if (status.cores().empty()) return;
  double memory = 0;
  for (const CoreStatus& core : status.cores()) {
    if (core.memory_limit_bytes <= 0) continue;
    const auto limit = static_cast<double>(core.memory_limit_bytes);
    memory = std::max(memory, 100 * static_cast<double>(core.memory_bytes) / limit);
  }
  add_parts(lines, {gauge("MXU", mean_of_cores(status, &CoreStatus::mxu_percent)),
                    gauge("busy", mean_of_cores(status, &CoreStatus::busy_percent)),
                    gauge("input", mean_of_cores(status, &CoreStatus::input_wait_percent)),
                    gauge("idle", mean_of_cores(status, &CoreStatus::idle_percent)),
                    gauge("memory", memory)});
}

// A column of the table of cores. Those of a lower rank go first where there is no room for all.
struct CoreColumn {
  const char* head;
  int width, rank;
  std::string (*text)(const CoreStatus& core);
};

constexpr CoreColumn core_columns[] = {
    {"core", 5, 10, [](const CoreStatus& core) { return str(core.number); }},
    {"MXU %", 8, 9, [](const CoreStatus& core) { return percent_text(core.mxu_percent); }},
    {"padded", 8, 4, [](const CoreStatus& core) { return percent_text(core.padded_mxu_percent); }},
    {"busy %", 8, 5, [](const CoreStatus& core) { return percent_text(core.busy_percent); }},
    {"input %", 8, 6, [](const CoreStatus& core) { return percent_text(core.input_wait_percent); }},
    {"idle %", 8, 8, [](const CoreStatus& core) { return percent_text(core.idle_percent); }},
    {"memory", 11, 7, [](const CoreStatus& core) { return bytes_text(core.memory_bytes); }},
    {"at most", 11, 3, [](const CoreStatus& core) { return bytes_text(core.peak_memory_bytes); }},
    {"of", 11, 2, [](const CoreStatus& core) { return bytes_text(core.memory_limit_bytes); }},
    {"collectives", 15, 1,
     [](const CoreStatus& core) { return byte_rate_text(core.collective_bytes_per_second); }},
};

// Those that there is room for, in their order.
std::vector<CoreColumn> core_columns_within(int columns) {
  std::vector<CoreColumn> shown(std::begin(core_columns), std::end(core_columns));
  const auto width = [&] {
    int sum = 0;
    for (const CoreColumn& column : shown) sum += column.width;
    return sum;
  };
  while (shown.size() > 1 && width() > columns) {
    shown.erase(
        std::min_element(shown.begin(), shown.end(),
                         [](const CoreColumn& a, const CoreColumn& b) { return a.rank < b.rank; }));
  }
  return shown;
}

void add_cores(Lines& lines, const RunStatus& status, int most) {
  const std::vector<CoreColumn> columns = core_columns_within(lines.columns());
  const auto add_row = [&](const auto& text_of, std::string_view style) {
    std::string row;
    for (const CoreColumn& column : columns) row += right(text_of(column), column.width);
    lines.add(row, style);
  };
  add_row([](const CoreColumn& column) { return std::string(column.head); }, dim);
  int shown = 0;
  for (const CoreStatus& core : status.cores()) {
    if (shown == most) break;
    add_row([&](const CoreColumn& column) { return column.text(core); }, "");
    ++shown;
  }
  if (status.all_cores > shown) lines.add(str("  and ", status.all_cores - shown, " more"), dim);
}

// One line for each of its names: "dutycycle.percent  0: 93.3  1: 7.50".
void add_device_metrics(Lines& lines, const RunStatus& status) {
  std::vector<std::pair<std::string_view, std::string>> rows;
  for (const DeviceMetric& metric : status.device_metrics()) {
    const std::string_view name = metric.name.view();
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const auto& known) { return known.first == name; });
    if (row == rows.end()) row = rows.insert(rows.end(), {name, ""});
    const bool bytes = name.ends_with(".bytes");
    row->second += str("  ", metric.device, ": ",
                       bytes ? byte_count_text(metric.value) : percent_text(metric.value));
  }
  for (const auto& [name, values] : rows) lines.add(str(name, values));
}

struct Curve {
  std::string name;
  std::vector<float> values;
  std::function<std::string(double)> text;
};

float mean_over_cores(const RunStatus& status,
                      const std::array<float, cores_with_curves>& of_cores) {
  const size_t count = std::min(status.cores().size(), cores_with_curves);
  float sum = 0;
  for (size_t i = 0; i < count; ++i) sum += of_cores[i];
  return count == 0 ? unknown : sum / static_cast<float>(count);
}

// Those of the first metrics by epochs, once there is a line to draw.
void add_metric_curves(std::vector<Curve>& curves, const RunStatus& status) {
  constexpr size_t most = 6;
  if (status.epoch_points().size() < 2) return;
  for (size_t i = 0; i < std::min(most, status.metric_names().size()); ++i) {
    curves.push_back({str("epochs ", status.metric_names()[i].view()), {}, loss_text});
    for (const EpochPoint& point : status.epoch_points()) {
      curves.back().values.push_back(point.values[i]);
    }
  }
}

std::vector<Curve> curves_of(const RunStatus& status) {
  std::vector<Curve> curves{{"loss", {}, loss_text},
                            {"steps/s", {}, rate_text},
                            {"MXU %", {}, percent_text},
                            {"input %", {}, percent_text},
                            {"idle %", {}, percent_text}};
  for (const CurvePoint& point : status.points()) {
    curves[0].values.push_back(point.loss);
    curves[1].values.push_back(point.steps_per_second);
    curves[2].values.push_back(mean_over_cores(status, point.mxu_percent));
    curves[3].values.push_back(mean_over_cores(status, point.input_wait_percent));
    curves[4].values.push_back(mean_over_cores(status, point.idle_percent));
  }
  add_metric_curves(curves, status);
  return curves;
}

void add_curve(Lines& lines, const Curve& shown, int rows, int name_columns) {
  float low = INFINITY, high = -INFINITY;
  for (const float value : shown.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) return;
  constexpr int bound_columns = 10;
  const int columns = std::max(1, lines.columns() - name_columns - bound_columns);
  const auto drawn = curve(shown.values, columns, rows, low, high);
  for (int row = 0; row < rows; ++row) {
    std::string label = row == 0 ? cut_to_columns(shown.name, name_columns) : "";
    label += std::string(static_cast<size_t>(name_columns - columns_of(label)), ' ');
    const bool top = row == 0, bottom = row == rows - 1;
    const std::string bound = top ? shown.text(high) : bottom ? shown.text(low) : "";
    lines.add(str(label, right(bound, 9), " ", drawn[static_cast<size_t>(row)]));
  }
}

void add_happenings(Lines& lines, const RunStatus& status) {
  const auto all = status.happenings();
  const auto shown = std::min(all.size(), static_cast<size_t>(std::max(lines.left(), 0)));
  for (const Happening& one : all.last(shown)) {
    lines.add(str(clock_text(one.time), " ", one.kind.view(), ": ", one.text.view()));
  }
}

}  // namespace

std::vector<std::string> screen(const RunStatus& status, const ScreenOptions& options) {
  Lines lines(options);
  add_head(lines, status, options);
  add_progress(lines, status);
  constexpr int rows_for_gauges = 20;
  if (options.rows >= rows_for_gauges) add_gauges(lines, status);
  constexpr int rows_kept = 8;  // for curves and events
  add_cores(lines, status, std::clamp(lines.left() - rows_kept, 1, 16));
  add_device_metrics(lines, status);
  const std::vector<Curve> curves = curves_of(status);
  const int events = std::min(4, static_cast<int>(status.happenings().size()));
  const int rows = std::clamp((lines.left() - events) / static_cast<int>(curves.size()), 1, 4);
  constexpr int least_name = 8, most_name = 20;
  int names = least_name;
  for (const Curve& one : curves) names = std::max(names, columns_of(one.name));
  names = std::min({names, most_name, std::max(least_name, lines.columns() / 4)});
  for (const Curve& one : curves) {
    if (lines.left() - events >= rows) add_curve(lines, one, rows, names);
  }
  add_happenings(lines, status);
  return lines.take();
}

std::string status_line(const RunStatus& status, ProcessState process, double now) {
  int64_t memory = 0, most = 0;
  for (const CoreStatus& core : status.cores()) {
    memory = std::max(memory, core.memory_bytes);
    most = std::max(most, core.peak_memory_bytes);
  }
  const auto mean = [&](float CoreStatus::*percent) {
    return percent_text(mean_of_cores(status, percent));
  };
  return str(clock_text(now), " process ", status.process, " '", status.name.view(), "' ",
             condition_of(status, process, now).text, ": ", epoch_text(status), ", step ",
             status.steps, ", ", rate_text(status.steps_per_second), " steps/s, loss ",
             loss_text(status.loss), ", MXU ", mean(&CoreStatus::mxu_percent), " %, busy ",
             mean(&CoreStatus::busy_percent), " %, input ", mean(&CoreStatus::input_wait_percent),
             " %, idle ", mean(&CoreStatus::idle_percent), " %, memory ", bytes_text(memory),
             ", at most ", bytes_text(most));
}

}  // namespace monitor
}  // namespace systolic::inline v0
