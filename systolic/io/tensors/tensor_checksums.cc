#include "systolic/io/tensors/tensor_checksums.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/join_some.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr const char *checksums_key = "crc32c", *format_key = "format";
// One bit that changes in either of the two entries leaves the other to tell of it.
constexpr const char* checked_format = "systolic-checked";

std::string hexadecimal(uint32_t checksum) {
  char text[9];
  std::snprintf(text, sizeof(text), "%08x", checksum);
  return text;
}

std::vector<const Example::Component*> by_name(const Example& tensors) {
  std::vector<const Example::Component*> order;
  for (const auto& one : tensors) order.push_back(&one);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return order;
}

// Each text after its length: no two headers give the same.
std::string header_checksum(const Example& tensors,
                            const std::map<std::string, std::string>& metadata) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += str(part.size(), ":", part); };
  for (const auto& [key, value] : metadata) {
    if (key == checksums_key) continue;
    add(key);
    add(value);
  }
  for (const auto* one : by_name(tensors)) {
    add(one->name);
    add(str(one->value.dtype(), one->value.shape()));
  }
  return hexadecimal(crc32c(text));
}

std::string array_checksum(const Literal& array) {
  return hexadecimal(crc32c(array.raw(), array.byte_size()));
}

[[noreturn]] void raise_changed(const std::string& path, const std::string& what,
                                SourceLocation location) {
  raise<DataLoss>({.what = str("'", path, "' is damaged: ", what),
                   .got = "other checksums than those that were written with it",
                   .hint = "take another copy of the file; the disk that held this one may fail",
                   .location = location});
}

}  // namespace

std::map<std::string, std::string> with_checksums(const Example& tensors,
                                                  std::map<std::string, std::string> metadata) {
  metadata[format_key] = checked_format;
  std::string checksums = header_checksum(tensors, metadata);
  for (const auto* one : by_name(tensors)) checksums += " " + array_checksum(one->value);
  metadata[checksums_key] = std::move(checksums);
  return metadata;
}

bool check_checksums(const std::string& path, const Safetensors& file, SourceLocation location) {
  const auto format = file.metadata.find(format_key), found = file.metadata.find(checksums_key);
  const bool has_checksums = found != file.metadata.end();
  if (!has_checksums && (format == file.metadata.end() || format->second != checked_format))
    return false;
  if (!has_checksums) raise_changed(path, "its checksums are missing", location);
  std::vector<std::string> written = split(found->second, ' ');
  const auto tensors = by_name(file.tensors);
  if (written.size() != tensors.size() + 1 ||
      written.front() != header_checksum(file.tensors, file.metadata))
    raise_changed(path, "its header", location);
  std::vector<std::string> changed;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (written[i + 1] != array_checksum(tensors[i]->value)) changed.push_back(tensors[i]->name);
  }
  if (!changed.empty()) raise_changed(path, join_some(changed, 5), location);
  return true;
}

}  // namespace io
}  // namespace systolic::inline v0
