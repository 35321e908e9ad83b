#include "systolic/monitor/web/address.h"

#include <algorithm>
#include <cstdint>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

[[noreturn]] void raise_address(std::string_view text, SourceLocation location) {
  raise<InvalidArgument>({.what = str("the monitor's address is '", text, "'"),
                          .wanted = "HOST:PORT or :PORT, such as :8080 or 127.0.0.1:8080",
                          .location = location});
}

bool is_host(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == ':';
  });
}

}  // namespace

WebAddress parse_web_address(std::string_view text, SourceLocation location) {
  const size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  std::string_view host = colon == std::string_view::npos ? "" : text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  constexpr int64_t most = 65535;
  int64_t number = 0;
  const bool digits =
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || !parse_number(port, number) || number > most) raise_address(text, location);
  WebAddress address{.port = static_cast<int>(number)};
  if (host.empty()) return address;
  const bool many_colons = host.find(':') != std::string_view::npos;
  if (!is_host(host) || many_colons != bracketed) raise_address(text, location);
  address.host = host;
  return address;
}

bool is_of_this_machine(const WebAddress& address) {
  return address.host == "127.0.0.1" || address.host == "::1" || address.host == "localhost";
}

std::string to_string(const WebAddress& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return str(ipv6 ? str("[", address.host, "]") : address.host, ":", address.port);
}

}  // namespace monitor
}  // namespace systolic::inline v0
