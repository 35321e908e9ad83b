// A sink whose work is done on a thread of its own. Internal to events.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

class BackgroundSink : public EventSink {
 public:
  explicit BackgroundSink(EventSinkPtr sink);
  // Once the other has heard all.
  ~BackgroundSink() override;

  // Copies, and waits for nothing; without a thread it tells at once.
  void handle(const events::Moment& at, const Event& event) override;
  bool in_every_process() const override { return true; }

 private:
  struct Told {
    events::Moment at;
    Event event;
  };
  void run();
  void hand_over(const std::vector<Told>& told);
  void warn_of_missed(int64_t missed);

  const EventSinkPtr sink_;
  std::mutex mutex_;  // guards the next four
  std::condition_variable changed_;
  std::vector<Told> waiting_;
  int64_t missed_ = 0;  // events of steps for which there was no room
  bool urgent_ = false, ends_ = false;
  bool failed_ = false, said_missed_ = false;  // of the thread
  std::optional<std::thread> thread_;          // where the system gave one
};

}  // namespace systolic::inline v0
