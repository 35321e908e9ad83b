// What a running pipeline has done so far, what limits it, and what to do about it.
//
//   std::cout << to_string(iterator.report());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace data {

// What one transformation has done so far.
struct StageReport {
  std::string name;  // "map at train.cc:41"
  int64_t elements = 0;
  int64_t bytes = 0;
  double busy_seconds = 0;     // own work, on all its threads
  double waiting_seconds = 0;  // its reader waited for it
  int threads = 1;             // that share the work
  int team = 0;                // stages of the same one above 0 share their threads
  int64_t held_bytes = 0;      // made ahead of its reader, now
};

struct PipelineReport {
  std::vector<StageReport> stages;   // from the source on
  double seconds = 0;                // from the first call of next() to the end of the last
  double reader_waited_seconds = 0;  // of these, inside next()
  int64_t memory_budget_bytes = 0;
  bool ends_in_prefetch = false;  // else it works only while its reader waits

  // The stage that takes most of the work of the threads that are busiest; nullptr before the
  // first.
  const StageReport* limiting() const;
  // Which part of the time its threads were at work: 1 where nothing else could be faster.
  double limiting_share() const;
  // "map at train.cc:41 limits: at work 97 % of the time on 1 thread; ... Remedy: ...". Or it says
  // that the reader limits, where it waited for less than 5 % of the time; or that a shuffle fills
  // its buffer, where more than half of what its input made is in there; or that no stage limits,
  // where none is at work for half of the time (where nothing is read ahead: of what the reader
  // waited).
  std::string diagnosis() const;

  // The stages.
  size_t size() const { return stages.size(); }
  const StageReport& operator[](size_t i) const { return stages[i]; }
  const StageReport& front() const { return stages.front(); }
  auto begin() const { return stages.begin(); }
  auto end() const { return stages.end(); }
};

// A table with one line a transformation, and the diagnosis.
std::string to_string(const PipelineReport& report);

}  // namespace data
}  // namespace systolic::inline v0
