#include "systolic/datasets/tables/joined_rows.h"

#include <cstring>
#include <memory>

namespace systolic::inline v0 {
namespace datasets {
namespace {

// Views into the parts, which stay as they are.
Literal joined_texts(const std::vector<Literal>& parts, const Shape& shape) {
  const auto owners = std::make_shared<std::vector<Literal>>(parts);
  Literal all = Literal::string_views(shape, Literal(), owners);
  const std::span<std::string_view> views = all.mutable_strings();
  size_t at = 0;
  for (const Literal& part : *owners) {
    for (int64_t i = 0; i < part.size(); ++i) views[at++] = part.string_at(i);
  }
  return all;
}

}  // namespace

Literal joined_rows(const std::vector<Literal>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<int64_t> sizes = parts[0].shape().to_vector();
  sizes[0] = 0;
  for (const Literal& part : parts) sizes[0] += part.shape()[0];
  if (parts[0].dtype() == DType::string) return joined_texts(parts, Shape(sizes));
  Literal all(parts[0].dtype(), Shape(sizes));
  if (all.byte_size() == 0) return all;
  std::byte* to = all.mutable_raw();
  for (const Literal& part : parts) {
    if (part.byte_size() == 0) continue;
    std::memcpy(to, part.raw(), part.byte_size());
    to += part.byte_size();
  }
  return all;
}

}  // namespace datasets
}  // namespace systolic::inline v0
