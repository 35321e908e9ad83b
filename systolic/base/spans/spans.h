// What the threads of this process do, and when, recorded while somebody asks for it. Without that
// a span costs one look at a flag.
//
//   const spans::Span span([] { return spans::id_of({.name = "read_metrics"}); });
//
// recording.h starts and ends it; systolic/monitor/profile makes files of what it gives.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace systolic::inline v0 {
namespace spans {

enum class WorkKind : uint8_t {
  host,     // anything that the host does
  step,     // a step of training
  program,  // a program on the device
  op,       // one of its steps; the software TPU's
  member,   // one of several ops that run as one, part by part
  wait,     // a thread does nothing until another one is done
  input     // a stage of the input pipeline
};

// What a span is of. Two that are equal are one.
struct Work {
  WorkKind kind = WorkKind::host;
  std::string name = {};   // "dot_general f32[32,128]"
  std::string layer = {};  // "mnist/dense"
  std::string file = {};   // the user's line
  int line = 0;            // 0: not known
  double flops = 0;        // of each time it is done
  double bytes = 0;        // read and written each time
  int32_t member_of = 0;   // the work that a member is a part of
  friend bool operator==(const Work&, const Work&) = default;
};
using WorkId = int32_t;
inline constexpr WorkId no_work = 0;

// Its number in this process, from 1; the same for the same work. At most 2^17 are told apart:
// what comes then is one work, named "more". Thread-safe; not for a hot path.
WorkId id_of(const Work& work);

inline std::atomic<bool> recorded_now{false};
inline bool are_recorded() { return recorded_now.load(std::memory_order_relaxed); }

// The work of the innermost Span of this thread that is recorded.
WorkId current_work();

// The time in which it lives. A number says which of many it is: the step's, the core's.
class Span {
 public:
  // `work()` gives a WorkId, and is called only while spans are recorded.
  template <class GetWork>
  explicit Span(const GetWork& work, int64_t number = -1) {
    if (are_recorded()) [[unlikely]]
      begin(work(), number, false);
  }
  ~Span() {
    if (work_ != no_work) [[unlikely]]
      end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 protected:
  Span() = default;
  void begin(WorkId work, int64_t number, bool is_share);

 private:
  void end();

  WorkId work_ = no_work, outer_ = no_work;
  bool is_share_ = false;
  int64_t number_ = -1, begin_ns_ = 0;
};

// The part of a work that another thread does for the one that has the Span.
class ShareSpan : public Span {
 public:
  explicit ShareSpan(WorkId work) {
    if (work != no_work && are_recorded()) [[unlikely]]
      begin(work, -1, true);
  }
};

// How this thread is called in what is recorded: "compute 3". Threads without a name are called by
// their number.
void name_thread(std::string name);

}  // namespace spans
}  // namespace systolic::inline v0
