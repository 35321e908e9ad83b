// Something that will have happened: a copy, a run.
#pragma once

#include <functional>
#include <optional>

#include "backends/pjrt/api/handle.h"
#include "backends/pjrt/api/plugin_error.h"

namespace systolic::inline v0 {
namespace pjrt {

class Event {
 public:
  // An event that has happened.
  Event() = default;
  // Owns `event`; null has happened.
  Event(ApiPtr api, abi::Event* event) : handle_(std::move(api), event) {}

  // Waits; throws what went wrong.
  void await() const;
  bool ready() const;

  // Calls `callback` once, perhaps at once, perhaps on a thread of the plugin's, with the error or
  // nothing. Whatever the callback throws is lost.
  void on_ready(std::function<void(std::optional<PluginError>)> callback) const;

 private:
  EventHandle handle_;
};

}  // namespace pjrt
}  // namespace systolic::inline v0
