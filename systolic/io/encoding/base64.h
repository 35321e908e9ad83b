// Bytes as text (RFC 4648, 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace io {

std::string base64(std::string_view bytes);
// Nothing where the text is not base64; padding may be left out.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace io
}  // namespace systolic::inline v0
