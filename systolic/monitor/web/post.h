// Sends text to a server, as RemoteMonitor does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace monitor {

struct PostRequest {
  std::string url = {};  // "http://localhost:9000/publish/epoch/end/"
  std::string content_type = {}, body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  double patience_seconds = 5;  // to connect, to send, and for the answer
};

// Unavailable where the server does not answer, or says that it did not take it (a status other
// than 2xx); Unimplemented in a build without cpp-httplib. Redirections are not followed.
void post(const PostRequest& request);

// The parts of "http://HOST[:PORT][/PATH]"; anything else is an InvalidArgument.
struct PostAddress {
  std::string host;
  int port = 80;
  std::string path = "/";
};
PostAddress parse_post_address(const std::string& url,
                               SourceLocation location = SourceLocation::current());

// "a%20b%26c": a text within a form's field.
std::string form_encoded(std::string_view text);

}  // namespace monitor
}  // namespace systolic::inline v0
