// The spans of one thread: it alone appends, and whoever collects reads what was published.
// Internal to spans.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "systolic/base/spans/recording.h"

namespace systolic::inline v0 {
namespace spans {

class ThreadSpans {
 public:
  explicit ThreadSpans(std::string name);

  // In the recording of that number; times are those of the steady clock.
  void append(int64_t recording, const RecordedSpan& span);

  // The recording is over, and no other has begun. The chunks are kept for the next.
  std::vector<RecordedSpan> collect(int64_t recording) const;
  int64_t lost(int64_t recording) const;

  void set_name(std::string name);
  std::string name() const;
  int64_t id() const { return id_; }

 private:
  static constexpr size_t most_chunks = 4096;
  using Chunk = std::array<RecordedSpan, chunk_spans>;

  void begin(int64_t recording);

  const int64_t id_;
  mutable std::mutex mutex_;  // guards the name
  std::string name_;
  std::atomic<int64_t> recording_{0};
  std::atomic<size_t> count_{0};
  std::atomic<int64_t> lost_{0};
  std::array<std::unique_ptr<Chunk>, most_chunks> chunks_;
};

// Chunks that threads may still fill in this recording, and its number.
inline std::atomic<int64_t> chunks_left{0};
inline std::atomic<int64_t> recording_number{0};

int64_t steady_ns();

}  // namespace spans
}  // namespace systolic::inline v0
