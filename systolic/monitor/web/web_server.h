// Shows a run on a page: http://127.0.0.1:8080/. Also /events (server-sent events), /status and
// /status.raw, /metrics (for Prometheus), /timeline (profile/timeline_json.h: a fifth of a second
// from now) and /runs.
//
//   WebServer server(parse_web_address(":8080"));
//   server.publish(status);   // as often as there is something new
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "systolic/monitor/profile/profile.h"
#include "systolic/monitor/run_status.h"
#include "systolic/monitor/web/address.h"

namespace systolic::inline v0 {
namespace monitor {

struct WebServerOptions {
  // A profile of that many seconds, which the caller waits for; without it there is no timeline.
  std::function<Profile(double)> record = {};
  // JSON of the runs to compare, as the page shows them: {"runs": [{"name": "first/train",
  // "scalars": {"epoch_loss": [[0, 0.25], [1, 0.125]]}}]}; without it none are, and the answer to
  // /runs is 204.
  std::function<std::string()> runs = {};
};

class WebServer {
 public:
  // Unavailable where the address cannot be had: the port is in use, the host is none of this
  // machine's. Unimplemented in a build without cpp-httplib.
  explicit WebServer(const WebAddress& address, WebServerOptions options = {});
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  // To whoever looks; costs as much for one as for a hundred. Thread-safe.
  void publish(const RunStatus& status);

  int port() const;
  // With the token, where the address is one that other machines reach.
  const std::string& url() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
