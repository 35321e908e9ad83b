// What the Arrow worker answers (wire.h), checked: it may have been taken over by the file that it
// read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/arrow/arrow_file.h"

namespace systolic::inline v0 {
namespace io {

struct ArrowSchema {
  std::vector<ArrowField> fields;
  std::optional<int64_t> rows;
  std::string huggingface_metadata;
};

// Called where an answer makes no sense; it must throw.
using Damaged = std::function<void(std::string_view what)>;

ArrowSchema parse_schema(std::string_view bytes, const Damaged& damaged);
// The arrays of a batch, in `bytes`, which lie on a multiple of 64.
ArrowBatch parse_batch(std::string_view bytes, const std::vector<ArrowField>& fields,
                       const Damaged& damaged);

}  // namespace io
}  // namespace systolic::inline v0
