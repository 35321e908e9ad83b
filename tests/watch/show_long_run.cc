// Serves the page of a run whose eight hours are simulated, for page_test.py.
//
//   show_long_run
//
// It prints the page's address, shows the first second and waits for a line; then it shows one
// second after the other, 28,800 of them, says "done", and waits for the end of its input.
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "systolic/base/text.h"
#include "systolic/monitor/sampler/curves.h"
#include "systolic/monitor/web/web_server.h"

namespace {

using namespace systolic;

constexpr int64_t seconds = 8 * 60 * 60, steps_per_second = 100, seconds_per_epoch = 60;

std::unique_ptr<monitor::RunStatus> new_run() {
  auto status = std::make_unique<monitor::RunStatus>();
  status->process = 4711;
  status->run = 1;
  status->program = "mnist";
  status->name = "a long run";
  status->platform = "software_tpu";
  status->device_kind = "v3-8";
  status->begin_time = 1'790'000'000;
  status->epochs = seconds / seconds_per_epoch;
  status->steps_per_epoch = seconds_per_epoch * steps_per_second;
  status->steps_per_second = steps_per_second;
  status->samples_per_second = 32 * steps_per_second;
  status->all_cores = status->core_count = 8;
  status->happening_count = monitor::most_happenings;
  for (auto& one : status->happening_list) {
    one = {.time = status->begin_time, .kind = {"compilation"}, .text = {std::string(230, 'x')}};
  }
  return status;
}

void end_epoch(monitor::RunStatus& status, int64_t second) {
  Logs logs{{"loss", status.loss}};
  while (logs.size() < monitor::most_logs) {
    const size_t i = logs.size();
    logs.emplace_back(str(i % 2 == 0 ? "" : "val_", "metric_", i / 2),
                      1 - status.loss / static_cast<double>(i));
  }
  monitor::add_epoch_point(status, static_cast<int>(second / seconds_per_epoch) - 1, logs);
  for (size_t i = 0; i < logs.size(); ++i) {
    status.log_list[i] = {.name = {logs[i].first}, .value = logs[i].second};
  }
  status.log_count = static_cast<int32_t>(logs.size());
}

void show(monitor::WebServer& server, monitor::RunStatus& status, int64_t second) {
  status.time = status.last_step_time = status.begin_time + static_cast<double>(second);
  status.epoch = second / seconds_per_epoch;
  status.step_in_epoch = second % seconds_per_epoch * steps_per_second;
  status.steps = second * steps_per_second;
  status.loss = 2.0 / std::sqrt(1.0 + static_cast<double>(second));
  for (int32_t core = 0; core < status.core_count; ++core) {
    const auto wave = static_cast<float>(std::sin(static_cast<double>(second) / 600 + core));
    status.core_list[static_cast<size_t>(core)] = {.number = core,
                                                   .mxu_percent = 40 + 5 * wave,
                                                   .padded_mxu_percent = 50 + 5 * wave,
                                                   .busy_percent = 90 + wave,
                                                   .input_wait_percent = 5 + wave,
                                                   .idle_percent = 5 - 2 * wave,
                                                   .memory_bytes = 3LL << 30,
                                                   .peak_memory_bytes = 4LL << 30,
                                                   .memory_limit_bytes = 16LL << 30};
  }
  if (second > 0 && second % seconds_per_epoch == 0) end_epoch(status, second);
  monitor::add_point(status);
  server.publish(status);
}

int serve() {
  monitor::WebServer server({});
  const auto status = new_run();
  show(server, *status, 0);
  std::cout << server.url() << std::endl;
  std::string line;
  std::getline(std::cin, line);
  for (int64_t second = 1; second < seconds; ++second) {
    show(server, *status, second);
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // the page hears most of it
  }
  std::cout << "done" << std::endl;
  while (std::getline(std::cin, line)) show(server, *status, seconds - 1);
  return 0;
}

}  // namespace

int main() {
  try {
    return serve();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
