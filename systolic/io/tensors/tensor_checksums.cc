#include "systolic/io/tensors/tensor_checksums.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
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

template <class Arrays>
auto by_name(const Arrays& arrays) {
  std::vector<decltype(&*arrays.begin())> order;
  for (const auto& one : arrays) order.push_back(&one);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return order;
}

std::string type_text(const Example::Component& one) {
  return str(one.value.dtype(), one.value.shape());
}
std::string type_text(const TensorInfo& one) { return str(one.dtype, one.shape); }

// Each text after its length: no two headers give the same.
template <class Arrays>
std::string header_checksum(const Arrays& tensors,
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
    add(type_text(*one));
  }
  return hexadecimal(crc32c(text));
}

std::string array_checksum(const TensorFile& file, size_t i, SourceLocation location) {
  uint32_t checksum = 0;
  file.each_piece(
      i, [&](const std::byte* data, size_t size) { checksum = crc32c(data, size, checksum); },
      location);
  return hexadecimal(checksum);
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

// Those of the arrays by the order of their names; none where the file was written without. Checks
// that of the header.
template <class Arrays>
std::vector<std::string> checksums_of(const std::string& path, const Arrays& arrays,
                                      const std::map<std::string, std::string>& metadata,
                                      SourceLocation location) {
  const auto format = metadata.find(format_key), found = metadata.find(checksums_key);
  const bool has_checksums = found != metadata.end();
  if (!has_checksums && (format == metadata.end() || format->second != checked_format)) return {};
  if (!has_checksums) raise_changed(path, "its checksums are missing", location);
  std::vector<std::string> written = split(found->second, ' ');
  if (written.size() != static_cast<size_t>(std::distance(arrays.begin(), arrays.end())) + 1 ||
      written.front() != header_checksum(arrays, metadata))
    raise_changed(path, "its header", location);
  written.erase(written.begin());
  return written;
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
  const std::vector<std::string> written =
      checksums_of(path, file.tensors, file.metadata, location);
  if (written.empty()) return false;
  const auto tensors = by_name(file.tensors);
  std::vector<std::string> changed;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (written[i] != array_checksum(tensors[i]->value)) changed.push_back(tensors[i]->name);
  }
  if (!changed.empty()) raise_changed(path, join_some(changed, 5), location);
  return true;
}

TensorChecksums::TensorChecksums(const TensorFile& file, SourceLocation location)
    : path_(file.path()) {
  const std::vector<std::string> written =
      checksums_of(path_, file.tensors(), file.metadata(), location);
  if (written.empty()) return;
  const auto order = by_name(file.tensors());
  arrays_.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto place = static_cast<size_t>(order[i] - file.tensors().data());
    arrays_[place] = {order[i]->name, written[i]};
  }
}

void TensorChecksums::compare(size_t i, const std::string& checksum,
                              SourceLocation location) const {
  const auto& [name, written] = arrays_.at(i);
  if (checksum != written) raise_changed(path_, name, location);
}

void TensorChecksums::check(size_t i, const Literal& array, SourceLocation location) const {
  if (!arrays_.empty()) compare(i, array_checksum(array), location);
}

void TensorChecksums::check(size_t i, const TensorFile& file, SourceLocation location) const {
  if (!arrays_.empty()) compare(i, array_checksum(file, i, location), location);
}

}  // namespace io
}  // namespace systolic::inline v0
