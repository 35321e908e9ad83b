// For tests: what a test tells the fake plugin, and what the plugin has seen. The library exports
// FakePluginControl besides GetPjrtApi.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace systolic::fake {

// A result of every program: an argument of the same device plus a number (for f32).
struct Result {
  size_t argument = 0;
  float plus = 0;
};

struct Control {
  // The table.
  size_t functions = 200;  // slots that it has; the fake fills those that it knows
  int32_t major = 0;
  int32_t minor = 90;
  // What it does.
  std::string hangs_in;  // a function of the table, or GetPjrtApi, that waits for `released`
  std::atomic<bool> released = false;
  int devices = 2;
  int processes = 1, process = 0;  // pairs of devices take turns; `process` opens its own
  std::string kind = "TPU v3";
  std::string platform_version = "";  // "": a null text with a length
  std::vector<Result> results = {{0, 1}};
  std::vector<int64_t> donates = {};  // arguments that results take the memory of
  // The call with this number (from 0, errors' own functions not counted) fails.
  int64_t fail_at = -1;
  int32_t fail_code = 13;
  const char* fail_message = "made to fail";  // null: the error has no message
  // What it has seen.
  int64_t calls = 0;
  std::string failed;                  // the call that failed
  std::atomic<const char*> last = "";  // the call that ended last
  int64_t live = 0;                    // objects that nobody has destroyed yet
  std::string program;                 // the last one compiled
  std::vector<int64_t> device_ids;     // those it was compiled for, in order
};

}  // namespace systolic::fake

extern "C" systolic::fake::Control* FakePluginControl();
