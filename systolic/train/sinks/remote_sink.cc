#include "systolic/train/sinks/remote_sink.h"

#include <variant>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/monitor/json_text.h"
#include "systolic/monitor/web/post.h"

namespace systolic::inline v0 {

// An epoch that is not taken is lost, as with Keras; the next is sent all the same.
void RemoteSink::handle(const events::Moment& /*at*/, const Event& event) {
  const auto* end = std::get_if<events::EpochEnd>(&event);
  if (end == nullptr || end->cut_short) return;
  monitor::JsonObject logs;
  logs.add("epoch", end->epoch);
  for (const auto& [name, value] : end->logs) logs.add(name, value);
  monitor::PostRequest request{.url = options_.root + options_.path,
                               .content_type = "application/json",
                               .body = logs.text(),
                               .headers = options_.headers};
  if (!options_.send_as_json) {
    request.content_type = "application/x-www-form-urlencoded";
    request.body = options_.field + "=" + monitor::form_encoded(request.body);
  }
  try {
    monitor::post(request);
  } catch (const Error& error) {
    if (!std::exchange(was_warned_, true))
      publish_warning(str("RemoteMonitor: the training goes on. ", error.what()));
  }
}

}  // namespace systolic::inline v0
