// How a text file's characters are written.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace datasets {

// The text without a byte order mark. DataLoss, naming the line, for what is not UTF-8: files in
// Latin-1, UTF-16 or UTF-32 would be misread.
std::string_view utf8_text(const std::string& path, std::string_view text,
                           SourceLocation location = {});

}  // namespace datasets
}  // namespace systolic::inline v0
