#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file_bytes.h"
#include "systolic/io/files/read_range.h"
#include "systolic/io/tensor_bundle/bundle_parts.h"
#include "systolic/io/tensor_bundle/bundle_strings.h"
#include "systolic/io/tensor_bundle/shard_path.h"
#include "systolic/io/tensor_bundle/sorted_table.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"
#include "systolic/io/tensors/stored_literal.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint64_t most_index_bytes = uint64_t{1} << 28;  // a million variables have a fifth
constexpr int64_t most_shards = 99'999;                   // what the names have room for
constexpr size_t most_axes = 254;                         // TensorFlow's

// The bytes that the numbers of an entry take; nothing where a dimension or the product is absurd.
std::optional<uint64_t> bytes_of(const std::vector<int64_t>& dims, DType dtype) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  auto bytes = static_cast<int64_t>(std::max(1, byte_width(dtype)));
  for (const int64_t size : dims) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return static_cast<uint64_t>(bytes);
}

class BundleReader : public TensorBundle {
 public:
  BundleReader(const std::string& prefix, SourceLocation location)
      : prefix_(prefix),
        path_(prefix + ".index"),
        index_(read_file_of_at_most(path_, most_index_bytes, location)) {
    std::vector<TableEntry> entries = read_sorted_table(index_, path_, location);
    if (entries.empty() || !entries.front().key.empty())
      fail("", "the table has no header", location);
    read_header(entries.front().value, location);
    for (size_t i = 1; i < entries.size(); ++i) add(std::move(entries[i]), location);
    index_.clear();
  }

  const std::string& path() const override { return path_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  const std::vector<std::string>& left_out() const override { return left_out_; }

  Literal read(size_t i, SourceLocation location) const override {
    const TensorInfo& tensor = tensors_.at(i);
    if (entries_[i].slices.empty()) return read_stored(tensor, entries_[i], location);
    return read_parts(tensor, entries_[i], location);
  }

 private:
  [[noreturn]] void fail(std::string_view name, std::string_view what,
                         SourceLocation location) const {
    const std::string place = name.empty() ? std::string() : str("tensor '", name, "': ");
    raise<DataLoss>({.what = str("'", path_, "': ", place, what), .location = location});
  }

  void read_header(std::string_view message, SourceLocation location) {
    const std::optional<BundleHeader> header = parse_bundle_header(message);
    if (!header) fail("", "a damaged header", location);
    if (header->shards < 1 || header->shards > most_shards)
      fail("", str(header->shards, " files of numbers"), location);
    if (header->big_endian || header->min_consumer > 1) {
      raise<Unimplemented>(
          {.what = str("'", path_, "' ",
                       header->big_endian ? "has big-endian numbers" : "is of a later version"),
           .hint = "restore it in TensorFlow on an x86-64 machine and save it "
                   "again",
           .location = location});
    }
    shards_.resize(static_cast<size_t>(header->shards));
  }

  void add(TableEntry stored, SourceLocation location) {
    const bool part = stored.key[0] == '\0';
    const std::string_view shown = part ? "a part" : std::string_view(stored.key);
    std::optional<BundleEntry> entry = parse_bundle_entry(stored.value);
    if (!entry) fail(shown, "a damaged entry", location);
    const std::optional<DType> dtype = dtype_of_tensorflow(entry->type_number);
    if (!dtype || entry->unknown_rank) {
      if (!part) left_out_.push_back(std::move(stored.key));
      return;
    }
    check_entry(shown, *entry, *dtype, location);
    if (part) {
      parts_.emplace(std::move(stored.key), std::move(*entry));
      return;
    }
    tensors_.push_back({std::move(stored.key), *dtype, Shape(entry->dims)});
    entries_.push_back(std::move(*entry));
  }

  void check_entry(std::string_view name, const BundleEntry& entry, DType dtype,
                   SourceLocation location) const {
    const std::optional<uint64_t> bytes = bytes_of(entry.dims, dtype);
    if (!bytes || entry.dims.size() > most_axes)
      fail(name, str("a shape of dimensions (", join(entry.dims), ")"), location);
    if (!entry.slices.empty()) return;  // it has no bytes of its own
    if (entry.shard < 0 || static_cast<size_t>(entry.shard) >= shards_.size())
      fail(name, str("file ", entry.shard, " of ", shards_.size()), location);
    if (entry.offset < 0 || entry.size < 0)
      fail(name, str(entry.size, " bytes at ", entry.offset), location);
    if (dtype != DType::string && static_cast<uint64_t>(entry.size) != *bytes) {
      fail(name, str(entry.size, " bytes for ", dtype, Shape(entry.dims), ", which has ", *bytes),
           location);
    }
  }

  const FileBytes& shard(int64_t number, SourceLocation location) const {
    const std::lock_guard lock(opening_);
    std::unique_ptr<const FileBytes>& file = shards_[static_cast<size_t>(number)];
    if (!file) {
      file = std::make_unique<const FileBytes>(
          shard_path(prefix_, static_cast<size_t>(number), shards_.size()), location);
    }
    return *file;
  }

  FileBytes::Piece bytes_of_entry(std::string_view name, const BundleEntry& entry,
                                  SourceLocation location) const {
    const FileBytes& file = shard(entry.shard, location);
    const auto offset = static_cast<uint64_t>(entry.offset);
    const auto size = static_cast<uint64_t>(entry.size);
    if (offset <= file.size() && size <= file.size() - offset) {
      FileBytes::Piece piece = file.read(offset, size);
      if (piece.size == size) return piece;
    }
    fail(name,
         str(size, " bytes at ", offset, " of file ", entry.shard, ", which has ", file.size()),
         location);
  }

  Literal read_stored(const TensorInfo& tensor, const BundleEntry& entry,
                      SourceLocation location) const {
    const FileBytes::Piece piece = bytes_of_entry(tensor.name, entry, location);
    if (tensor.dtype == DType::string) {
      return parse_bundle_strings(
          {reinterpret_cast<const char*>(piece.data), piece.size}, tensor.shape, entry.masked_crc,
          piece.owner, [&](std::string_view what) { fail(tensor.name, what, location); });
    }
    if (crc32c(piece.data, piece.size) != unmask_crc(entry.masked_crc))
      fail(tensor.name, "a wrong checksum", location);
    return stored_literal(tensor, piece.data, piece.owner);
  }

  Literal read_parts(const TensorInfo& whole, const BundleEntry& entry,
                     SourceLocation location) const {
    auto fail_here = [&](std::string_view what) { fail(whole.name, what, location); };
    if (whole.dtype == DType::string) {
      raise<Unimplemented>({.what = str("'", path_, "': tensor '", whole.name,
                                        "' of strings that was saved in parts"),
                            .location = location});
    }
    const std::vector<BundlePart> places = places_of_parts(entry.slices, whole.shape, fail_here);
    std::vector<const BundleEntry*> parts;
    for (size_t i = 0; i < places.size(); ++i) {
      const auto found = parts_.find(slice_key(whole.name, entry.slices[i]));
      if (found == parts_.end()) fail_here("a part that is not there");
      parts.push_back(&found->second);
      if (found->second.type_number != entry.type_number || found->second.dims != places[i].size)
        fail_here("a part of another type or shape than its place");
    }
    check_parts_fill(whole, parts, location);
    Literal result(whole.dtype, whole.shape);
    for (size_t i = 0; i < places.size(); ++i) {
      const TensorInfo part{whole.name, whole.dtype, Shape(places[i].size)};
      copy_part(read_stored(part, *parts[i], location), places[i], result);
    }
    return result;
  }

  // Parts that lie upon each other in a file would fill the memory from a small one.
  void check_parts_fill(const TensorInfo& whole, const std::vector<const BundleEntry*>& parts,
                        SourceLocation location) const {
    std::map<int64_t, uint64_t> files;
    for (const BundleEntry* part : parts) files[part->shard] = shard(part->shard, location).size();
    uint64_t held = 0;
    for (const auto& [number, size] : files) held += size;
    if (whole.byte_size() > held)
      fail(whole.name, str(whole.byte_size(), " bytes in files of ", held), location);
  }

  std::string prefix_, path_, index_;
  std::vector<TensorInfo> tensors_;
  std::vector<BundleEntry> entries_;          // of the same place
  std::map<std::string, BundleEntry> parts_;  // by their keys
  std::vector<std::string> left_out_;
  std::map<std::string, std::string> metadata_;
  mutable std::mutex opening_;
  mutable std::vector<std::unique_ptr<const FileBytes>> shards_;
};

}  // namespace

std::shared_ptr<const TensorBundle> open_tensor_bundle(const std::string& prefix,
                                                       SourceLocation location) {
  constexpr std::string_view ending = ".index";
  const bool index = prefix.size() > ending.size() && prefix.ends_with(ending);
  return std::make_shared<const BundleReader>(
      index ? prefix.substr(0, prefix.size() - ending.size()) : prefix, location);
}

}  // namespace io
}  // namespace systolic::inline v0
