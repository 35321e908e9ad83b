// Sends each epoch's logs to a server: the sink of RemoteMonitor
// (train/callbacks/logging/remote_monitor.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

struct RemoteSinkOptions {
  std::string root = {}, path = {}, field = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool send_as_json = false;
};

class RemoteSink : public EventSink {
 public:
  explicit RemoteSink(RemoteSinkOptions options) : options_(std::move(options)) {}
  void handle(const events::Moment& at, const Event& event) override;

 private:
  const RemoteSinkOptions options_;
  bool was_warned_ = false;
};

}  // namespace systolic::inline v0
