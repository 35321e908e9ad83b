// Shows a run on a page: http://127.0.0.1:8080/. Also /events (server-sent events), /status (JSON)
// and /metrics (for Prometheus).
//
//   WebServer server(parse_web_address(":8080"));
//   server.publish(status);   // as often as there is something new
#pragma once

#include <memory>
#include <string>

#include "systolic/monitor/run_status.h"
#include "systolic/monitor/web/address.h"

namespace systolic::inline v0 {
namespace monitor {

class WebServer {
 public:
  // Unavailable where the address cannot be had: the port is in use, the host is none of this
  // machine's. Unimplemented in a build without cpp-httplib.
  explicit WebServer(const WebAddress& address);
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
