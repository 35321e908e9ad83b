// Processes of a run as threads, over loopback. Only for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/processes/process_groups.h"
#include "plugin/processes/test_keys.h"
#include "systolic/base/test_errors.h"

namespace systolic {

// One of them.
struct TestProcess {
  std::string kind = "v3-8";  // of its devices; "": it never comes
  int devices = 2;
};
using ProcessBody = std::function<void(int process, std::shared_ptr<plugin::ProcessGroups>)>;

// Runs `body` in each; the errors, by process.
inline std::vector<std::string> in_processes(const std::vector<TestProcess>& processes,
                                             const ProcessBody& body, double wait = 20) {
  plugin::TestKeys keys;
  const int count = static_cast<int>(processes.size());
  std::vector<std::string> errors(processes.size());
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const TestProcess& own = processes[static_cast<size_t>(i)];
      errors[static_cast<size_t>(i)] = error_of([&] {
        if (own.kind.empty()) return;
        body(i, std::make_shared<plugin::ProcessGroups>(
                    plugin::KeyValues(keys.arguments()),
                    plugin::ProcessGroups::Own{
                        {count, i}, own.kind, own.devices, "127.0.0.1:1", wait}));
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace systolic
