// A program whose loop the host must count, cut into pieces: what comes before the loop, its body,
// what comes after it. Internal to trace.
//
// Each piece is a trace of its own. A piece may take values of the straight pieces before it; a
// body's values end with it, so a loop passes on what it computes in Variables.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class Trace;

struct TraceSegment {
  std::shared_ptr<Trace> trace;
  std::shared_ptr<Trace> before = {};  // the straight piece before this one
  bool loop = false;
  // For a loop: how many rounds, or the input that holds the count; the input that takes the round.
  int64_t constant_rounds = -1;
  size_t count_input = 0;
  size_t round_input = 0;
};

// The pieces of the program while it is being traced.
class TraceSegments {
 public:
  explicit TraceSegments(const std::shared_ptr<Trace>& first);
  ~TraceSegments();
  TraceSegments(const TraceSegments&) = delete;
  TraceSegments& operator=(const TraceSegments&) = delete;

  std::vector<TraceSegment>& all() { return all_; }
  // Appends a piece after the last straight one, and makes it the thread's current trace.
  TraceSegment& begin(bool loop);
  const TraceSegment& of(const Trace& trace) const;
  size_t index_of(const Trace& trace) const;
  // Whether `to` may take values of `from`.
  bool reaches(const Trace& to, const Trace& from) const;

 private:
  std::vector<TraceSegment> all_;
};

// Makes the open program's next piece a loop of `count` rounds, traces `body` as one round of it,
// and continues in a piece after it.
void loop_on_host(const Tensor& count, const std::function<void(const Tensor& i)>& body,
                  SourceLocation location);

}  // namespace systolic::inline v0
