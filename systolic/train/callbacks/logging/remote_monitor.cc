#include "systolic/train/callbacks/logging/remote_monitor.h"

#include <memory>

#include "systolic/monitor/web/post.h"
#include "systolic/train/callbacks/logging/sink_callback.h"
#include "systolic/train/sinks/remote_sink.h"

namespace systolic::inline v0 {

RemoteMonitor::operator EventSinkPtr() const {
  monitor::parse_post_address(root + path, location);
  return std::make_shared<RemoteSink>(RemoteSinkOptions{.root = root,
                                                        .path = path,
                                                        .field = field,
                                                        .headers = headers,
                                                        .send_as_json = send_as_json});
}

RemoteMonitor::operator CallbackPtr() const { return callback_for(EventSinkPtr(*this)); }

}  // namespace systolic::inline v0
