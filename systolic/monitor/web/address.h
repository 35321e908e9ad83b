// Where a page is served.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace monitor {

struct WebAddress {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
};

// ":8080" and "8080", which are of this machine alone; "127.0.0.1:8080", "0.0.0.0:8080",
// "[::1]:8080", "localhost:8080". Others are an InvalidArgument.
WebAddress parse_web_address(std::string_view text,
                             SourceLocation location = SourceLocation::current());

// Whether nobody but this machine reaches it.
bool is_of_this_machine(const WebAddress& address);

std::string to_string(const WebAddress& address);  // "127.0.0.1:8080", "[::1]:8080"

}  // namespace monitor
}  // namespace systolic::inline v0
