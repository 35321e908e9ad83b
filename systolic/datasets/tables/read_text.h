// Texts as rows: the "text" of load_dataset.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace datasets {

// What becomes a row: each line, what stands between empty lines, or the whole file.
enum class SampleBy : uint8_t { line, paragraph, document };

// Strings [rows]. Line ends are "\n", "\r\n" and "\r"; lines keep none, and others "\n".
Literal read_text(std::string_view text, SampleBy sample_by);

}  // namespace datasets
}  // namespace systolic::inline v0
