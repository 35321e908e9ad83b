// In a build without cpp-httplib.
#include "systolic/monitor/web/web_server.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace monitor {

class WebServer::Implementation {};

WebServer::WebServer(const WebAddress& /*address*/, WebServerOptions /*options*/) {
  raise<Unimplemented>({.what = "this build of Systolic serves no page",
                        .hint = "install libcpp-httplib-dev and build again; `systolic monitor` "
                                "shows the run in a terminal"});
}
WebServer::~WebServer() = default;
void WebServer::publish(const RunStatus& /*status*/) {}
int WebServer::port() const { return 0; }
const std::string& WebServer::url() const {
  static const std::string none;
  return none;
}

}  // namespace monitor
}  // namespace systolic::inline v0
