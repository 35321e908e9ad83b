#include "systolic/monitor/web/post.h"

#include <httplib.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {

void post(const PostRequest& request) {
  const PostAddress address = parse_post_address(request.url);
  httplib::Client client(address.host, address.port);
  const auto seconds = static_cast<time_t>(std::ceil(request.patience_seconds));
  client.set_connection_timeout(seconds);
  client.set_read_timeout(seconds);
  client.set_write_timeout(seconds);
  httplib::Headers headers;
  for (const auto& [name, value] : request.headers) headers.emplace(name, value);
  const httplib::Result answer =
      client.Post(address.path.c_str(), headers, request.body, request.content_type.c_str());
  constexpr int good = 200, not_good = 300;
  if (answer && answer->status >= good && answer->status < not_good) return;
  raise<Unavailable>({.what = str("'", request.url, "' did not take the logs"),
                      .got = answer ? str("status ", answer->status)
                                    : str("no answer (", httplib::to_string(answer.error()), ")")});
}

}  // namespace monitor
}  // namespace systolic::inline v0
