// What the steps of a spawn cost, for met::metrics_report. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace torch_xla {

class Counters {
 public:
  struct Metric {
    int64_t samples = 0;
    double total = 0, largest = 0;
    bool is_time = false;  // in seconds; else a size in bytes
  };
  static Counters& of_process();

  void add_time(std::string_view name, double seconds) { add(name, seconds, true); }
  void add_bytes(std::string_view name, double bytes) { add(name, bytes, false); }
  void count(std::string_view name, int64_t by = 1);
  void clear();

  std::map<std::string, Metric> metrics() const;
  std::map<std::string, int64_t> counts() const;

 private:
  void add(std::string_view name, double value, bool is_time);
  mutable std::mutex mutex_;  // of the two below
  std::map<std::string, Metric> metrics_;
  std::map<std::string, int64_t> counts_;
};

}  // namespace torch_xla
}  // namespace systolic::inline v0
