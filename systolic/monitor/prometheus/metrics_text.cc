#include "systolic/monitor/prometheus/metrics_text.h"

#include <cmath>
#include <functional>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// A label's value: backslashes, quotes and ends of lines are escaped.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

enum class Kind { counter, gauge };

class MetricsText {
 public:
  // Before its values.
  void begin(std::string_view name, Kind kind, std::string_view help) {
    name_ = str("systolic_", name);
    text_ += str("# HELP ", name_, " ", help, "\n# TYPE ", name_, " ",
                 kind == Kind::counter ? "counter" : "gauge", "\n");
  }
  void add(double value, const std::string& labels = "") {
    if (std::isnan(value)) return;
    text_ += str(name_, labels.empty() ? "" : str("{", labels, "}"), " ", number(value), "\n");
  }
  void add_one(std::string_view name, Kind kind, std::string_view help, double value) {
    if (std::isnan(value)) return;
    begin(name, kind, help);
    add(value);
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string number(double value) {
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return str(value);
  }

  std::string text_, name_;
};

void add_run(MetricsText& text, const RunStatus& status) {
  text.begin("run_info", Kind::gauge, "The run, as labels.");
  text.add(1, str("name=", quoted(status.name.view()), ",program=", quoted(status.program.view()),
                  ",platform=", quoted(status.platform.view()),
                  ",kind=", quoted(status.device_kind.view())));
  text.add_one("run_active", Kind::gauge, "1 while the run lasts.", status.is_over() ? 0 : 1);
  text.add_one("step_total", Kind::counter, "Steps done.", static_cast<double>(status.steps));
  text.add_one("samples_total", Kind::counter, "Samples trained on.",
               static_cast<double>(status.samples));
  text.add_one("epoch", Kind::gauge, "The epoch, counted from 0.",
               static_cast<double>(status.epoch));
  text.add_one("steps_per_second", Kind::gauge, "Of the last 10 s.", status.steps_per_second);
  text.add_one("samples_per_second", Kind::gauge, "Of the last 10 s.", status.samples_per_second);
  text.add_one("sent_bytes_total", Kind::counter,
               "Bytes of arrays sent to other processes for collectives.", status.sent_bytes);
  text.add_one("loss", Kind::gauge, "The last known loss of a step.", status.loss);
  text.add_one("compilations_total", Kind::counter, "Programs compiled.",
               static_cast<double>(status.compilations));
  text.add_one("recompilations_total", Kind::counter,
               "Programs made again, as an input's shape changed.",
               static_cast<double>(status.recompilations));
  text.add_one("compile_seconds_total", Kind::counter, "Time spent compiling.",
               status.compile_milliseconds / 1000);
}

void add_logs(MetricsText& text, const RunStatus& status) {
  if (status.logs().empty()) return;
  text.begin("epoch_metric", Kind::gauge, "The loss and the metrics of the last epoch.");
  for (const NamedNumber& log : status.logs()) {
    text.add(log.value, str("name=", quoted(log.name.view())));
  }
}

struct CoreMetric {
  const char* name;
  Kind kind;
  const char* help;
  std::function<double(const CoreStatus&)> value;
};

void add_cores(MetricsText& text, const RunStatus& status) {
  using Core = CoreStatus;
  static const CoreMetric metrics[] = {
      {"mxu_percent", Kind::gauge, "Work of the matrix unit over its peak while busy, last 10 s.",
       [](const Core& c) { return c.mxu_percent; }},
      {"padded_mxu_percent", Kind::gauge, "The same with the work on padding.",
       [](const Core& c) { return c.padded_mxu_percent; }},
      {"busy_percent", Kind::gauge, "Time in which programs ran, last 10 s.",
       [](const Core& c) { return c.busy_percent; }},
      {"input_wait_percent", Kind::gauge, "Time spent waiting for input, last 10 s.",
       [](const Core& c) { return c.input_wait_percent; }},
      {"idle_percent", Kind::gauge, "Time spent waiting for the host otherwise, last 10 s.",
       [](const Core& c) { return c.idle_percent; }},
      {"hbm_bytes", Kind::gauge, "Memory that arrays hold.",
       [](const Core& c) { return static_cast<double>(c.memory_bytes); }},
      {"hbm_peak_bytes", Kind::gauge, "The most memory that was needed.",
       [](const Core& c) { return static_cast<double>(c.peak_memory_bytes); }},
      {"hbm_limit_bytes", Kind::gauge, "Memory of the core.",
       [](const Core& c) { return static_cast<double>(c.memory_limit_bytes); }},
      {"flops_total", Kind::counter, "Floating-point operations done.",
       [](const Core& c) { return c.flops; }},
      {"matrix_flops_total", Kind::counter, "Of these, those of products and convolutions.",
       [](const Core& c) { return c.matrix_flops; }},
      {"collective_bytes_total", Kind::counter, "Bytes handed to collectives between cores.",
       [](const Core& c) { return c.collective_bytes; }},
      {"busy_seconds_total", Kind::counter, "Time in which programs ran.",
       [](const Core& c) { return c.busy_seconds; }},
      {"input_wait_seconds_total", Kind::counter, "Time spent waiting for input.",
       [](const Core& c) { return c.input_wait_seconds; }},
      {"idle_seconds_total", Kind::counter, "Time spent waiting for the host otherwise.",
       [](const Core& c) { return c.idle_seconds; }},
  };
  if (status.cores().empty()) return;
  for (const CoreMetric& metric : metrics) {
    text.begin(metric.name, metric.kind, metric.help);
    for (const Core& core : status.cores()) {
      text.add(metric.value(core), str("core=\"", core.number, "\""));
    }
  }
}

// What the device's own software says, under its own names.
void add_device_metrics(MetricsText& text, const RunStatus& status) {
  if (status.device_metrics().empty()) return;
  text.begin("device_metric", Kind::gauge, "What the device's own software says, by its names.");
  for (const DeviceMetric& metric : status.device_metrics()) {
    text.add(metric.value,
             str("name=", quoted(metric.name.view()), ",device=\"", metric.device, "\""));
  }
}

}  // namespace

std::string metrics_text(const RunStatus& status) {
  MetricsText text;
  add_run(text, status);
  add_logs(text, status);
  add_cores(text, status);
  add_device_metrics(text, status);
  return text.take();
}

}  // namespace monitor
}  // namespace systolic::inline v0
