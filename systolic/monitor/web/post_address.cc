#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/web/post.h"

namespace systolic::inline v0 {
namespace monitor {

PostAddress parse_post_address(const std::string& url, SourceLocation location) {
  constexpr std::string_view scheme = "http://";
  PostAddress address;
  const std::string_view rest =
      url.starts_with(scheme) ? std::string_view(url).substr(scheme.size()) : std::string_view();
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  const size_t colon = authority.rfind(':');
  int64_t port = address.port;
  constexpr int64_t most_port = 65'535;
  const bool good_port =
      colon == authority.npos || (parse_number(authority.substr(colon + 1), port) && port > 0);
  address.host = authority.substr(0, colon);
  const bool plain = url.find_first_of(" \t\r\n@") == url.npos;
  if (address.host.empty() || !good_port || port > most_port || !plain) {
    raise<InvalidArgument>({.what = str("'", url, "' is no address to send logs to"),
                            .wanted = "http://HOST:PORT",
                            .hint = "what speaks TLS needs a proxy on this machine",
                            .location = location});
  }
  address.port = static_cast<int>(port);
  if (slash < rest.size()) address.path = rest.substr(slash);
  return address;
}

std::string form_encoded(std::string_view text) {
  constexpr std::string_view hexadecimal = "0123456789ABCDEF", plain = "-._~";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool alphanumeric =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (alphanumeric || plain.find(c) != plain.npos) {
      result += c;
    } else {
      result += {'%', hexadecimal[byte >> 4], hexadecimal[byte & 15]};
    }
  }
  return result;
}

}  // namespace monitor
}  // namespace systolic::inline v0
