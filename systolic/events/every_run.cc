#include "systolic/events/every_run.h"

#include <exception>
#include <mutex>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

struct Makers {
  std::mutex mutex;
  std::vector<std::function<EventSinkPtr()>> list;
};

Makers& makers() {
  static Makers instance;
  return instance;
}

EventSinkPtr sink_of(const std::function<EventSinkPtr()>& make) {
  try {
    return make();
  } catch (const std::exception& error) {
    log_once(LogLevel::warning, str("The run goes unwatched: ", error.what()));
    return nullptr;
  }
}

}  // namespace

void add_to_every_run(std::function<EventSinkPtr()> make) {
  const std::lock_guard lock(makers().mutex);
  makers().list.push_back(std::move(make));
}

std::vector<EventSinkPtr> sinks_of_every_run() {
  const std::lock_guard lock(makers().mutex);
  std::vector<EventSinkPtr> sinks;
  for (const auto& make : makers().list) {
    if (EventSinkPtr sink = sink_of(make)) sinks.push_back(std::move(sink));
  }
  return sinks;
}

}  // namespace systolic::inline v0
