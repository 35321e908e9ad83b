#include "examples/common/command_line.h"

#include <charconv>
#include <exception>
#include <iostream>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/standard_streams.h"
#include "systolic/events/every_run.h"
#include "systolic/monitor/monitor.h"
#include "systolic/plan/request.h"
#include "systolic/train/callbacks/logging/tensor_board.h"

namespace examples {
namespace {

using namespace systolic;

constexpr int error_code = 1, usage_code = 2;

struct Watching {
  std::string monitor, tensorboard;
};

void add_watching(CLI::App& app, Watching& watching) {
  app.add_option("--monitor", watching.monitor,
                 "show the runs on a page while they last: :8080, 127.0.0.1:8080");
  app.add_option("--tensorboard", watching.tensorboard, "write logs for TensorBoard there");
}

bool watched = false;

void begin_watching(const Watching& watching) {
  watched = !watching.monitor.empty() || !watching.tensorboard.empty();
  monitor::serve(watching.monitor, {});
  if (watching.tensorboard.empty()) return;
  add_to_every_run([folder = watching.tensorboard]() -> EventSinkPtr {
    return TensorBoard{.log_dir = folder, .histogram_freq = 1};
  });
}

}  // namespace

int run_example(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  open_standard_streams();
  app.footer(
      "A dry run before renting a TPU, by its own compiler: --plan v5e:2x4 [--batches 8,16,128]\n"
      "[--effort 0] [--plan-json FILE]");
  Watching watching;
  add_watching(app, watching);
  try {
    plan::parse_command_line(argc, argv);
    app.parse(argc, argv);
    begin_watching(watching);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_code;
  } catch (const Error& error) {
    std::cerr << error.kind() << ": " << error.what() << "\n";
    return usage_code;
  }
  try {
    return body();
  } catch (const Error& error) {
    std::cerr << error.kind() << ": " << error.what() << "\n";
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": " << error.what() << "\n";
  }
  return error_code;
}

bool is_watched() { return watched; }

CLI::Validator at_least(int64_t smallest) {
  auto check = [smallest](const std::string& text) -> std::string {
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    if (fault == std::errc() && stop == end && value >= smallest) return "";
    return str("got ", text, ", expected a whole number of at least ", smallest);
  };
  return {check, "", "at_least"};
}

}  // namespace examples
