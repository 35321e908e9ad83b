// Sends each epoch's logs to a server (keras.callbacks.RemoteMonitor).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/events/event_sink.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {RemoteMonitor{.root = "http://localhost:9000", .send_as_json = true}}
//
// A POST to root + path of {"epoch": 0, "loss": 0.25, ...}: as `field` of a form, or, with
// send_as_json, as the body. Plain http. The training waits for the answer, for five seconds at
// most; a server that does not answer, or refuses, is one warning. What is not an http address is
// an InvalidArgument. A loop of your own takes it as a sink (events/training_run.h).
struct RemoteMonitor {
  std::string root = "http://localhost:9000";
  std::string path = "/publish/epoch/end/";
  std::string field = "data";
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool send_as_json = false;
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;   // NOLINT: a new callback each time
  operator EventSinkPtr() const;  // NOLINT: a new sink each time
};

}  // namespace systolic::inline v0
