// Something that will have happened at some time: a copy, a run.
#pragma once

#include <functional>
#include <optional>

#include "backends/pjrt/api/handle.h"
#include "backends/pjrt/api/plugin_error.h"

namespace systolic::inline v0 {
namespace pjrt {

class Event {
 public:
  // An event that has already happened.
  Event() = default;
  // Owns `event`; null has already happened.
  Event(ApiPtr api, abi::Event* event) : handle_(std::move(api), event) {}

  // Waits; throws what went wrong.
  void await() const;
  bool ready() const;

  // Calls `callback` once, perhaps immediately, perhaps on one of the plugin's threads, with the
  // error or nothing. Exceptions of the callback are lost.
  void on_ready(std::function<void(std::optional<PluginError>)> callback) const;

 private:
  EventHandle handle_;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
