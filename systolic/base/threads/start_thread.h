// A thread, where the system still gives one: containers and `ulimit -u` bound how many.
//
//   if (std::optional<std::thread> thread = try_start_thread([&] { work(); })) ...
#pragma once

#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {

template <class Body>
std::optional<std::thread> try_start_thread(Body&& body) {
  try {
    return std::thread(std::forward<Body>(body));
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

// For those who go on without: "The system gives no more threads: WHAT.", once each.
inline void warn_of_missing_threads(std::string_view what) {
  log_once(LogLevel::warning, str("The system gives no more threads (ulimit -u, or the container's "
                                  "limit of processes): ",
                                  what, "."));
}

}  // namespace systolic::inline v0
