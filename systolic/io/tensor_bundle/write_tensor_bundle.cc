#include <array>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/tensor_bundle/bundle_strings.h"
#include "systolic/io/tensor_bundle/shard_path.h"
#include "systolic/io/tensor_bundle/sorted_table.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"

namespace systolic::inline v0 {
namespace io {

TensorBundleWriter::TensorBundleWriter(const std::string& prefix, SourceLocation location)
    : numbers_(shard_path(prefix, 0, 1), location), index_(prefix + ".index", location) {}

void TensorBundleWriter::put(const void* data, size_t size) {
  numbers_.write(data, size);
  offset_ += size;
}

// So that a reader can use the numbers where they lie in the file.
void TensorBundleWriter::align() {
  constexpr size_t alignment = 64;
  static constexpr std::array<char, alignment> zeros{};
  put(zeros.data(), (alignment - offset_ % alignment) % alignment);
}

void TensorBundleWriter::add(std::string_view name, const Literal& value, SourceLocation location) {
  const std::optional<uint64_t> type = tensorflow_type_of(value.dtype());
  const bool bad_name = name.empty() || name[0] == '\0';
  if (bad_name || !type || entries_.contains(name)) {
    raise<InvalidArgument>(
        {.what = str("tensor '", name, "' of type ", value.dtype(), " in the checkpoint '",
                     index_.path(), "'", entries_.contains(name) ? ", where that name is" : ""),
         .wanted = bad_name ? "a name"
                   : type   ? "another name"
                            : "numbers or strings",
         .location = location});
  }
  BundleEntry entry{.type_number = *type, .dims = value.shape().to_vector()};
  align();
  entry.offset = static_cast<int64_t>(offset_);
  if (value.dtype() == DType::string) {
    const StoredBundleStrings stored = encode_bundle_strings(value);
    put(stored.lengths.data(), stored.lengths.size());
    for (int64_t i = 0; i < value.size(); ++i)
      put(value.string_at(i).data(), value.string_at(i).size());
    entry.masked_crc = stored.masked_crc;
  } else {
    put(value.raw(), value.byte_size());
    entry.masked_crc = mask_crc(crc32c(value.raw(), value.byte_size()));
  }
  entry.size = static_cast<int64_t>(offset_) - entry.offset;
  entries_.emplace(name, std::move(entry));
}

void TensorBundleWriter::close() {
  SortedTableWriter table;
  table.add("", encode_bundle_header({.shards = 1}));
  for (const auto& [name, entry] : entries_) table.add(name, encode_bundle_entry(entry));
  index_.write(table.finish());
  numbers_.commit();
  index_.commit();
}

}  // namespace io
}  // namespace systolic::inline v0
