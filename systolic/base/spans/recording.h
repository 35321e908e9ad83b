// Records the spans of all threads of the process, for a while.
//
//   spans::Recording recording;
//   train();
//   const spans::Recorded what = recording.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/spans/spans.h"

namespace systolic::inline v0 {
namespace spans {

struct RecordedSpan {
  int64_t begin_ns = 0, end_ns = 0;  // since the recording began
  WorkId work = no_work;             // index of Recorded::works
  bool is_share = false;             // ShareSpan
  int64_t number = -1;
};

// Threads take room for so many at a time.
inline constexpr size_t chunk_spans = 1024;

struct RecordedThread {
  int64_t id = 0;  // the system's
  std::string name = {};
  std::vector<RecordedSpan> spans = {};  // in the order in which they ended
};

struct Recorded {
  double begin_time = 0;  // seconds since 1970
  int64_t duration_ns = 0;
  int64_t lost = 0;              // spans for which there was no room
  std::vector<Work> works = {};  // by WorkId; the first is none
  std::vector<RecordedThread> threads = {};
};

class Recording {
 public:
  static constexpr size_t usual_spans = size_t{1} << 20;

  // One at a time in a process: FailedPrecondition where another one runs. At most about
  // `most_spans` are kept, 32 bytes each; the rest is counted.
  explicit Recording(size_t most_spans = usual_spans);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Ends it. Spans that are not over are left out. Call once.
  Recorded finish();

 private:
  void stop();

  int64_t begin_ns_ = 0;
  double begin_time_ = 0;
  bool runs_ = true;
};

}  // namespace spans
}  // namespace systolic::inline v0
