#include "systolic/io/tensor_bundle/sorted_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint64_t table_magic = 0xdb4775248b80fb57u;
constexpr size_t footer_bytes = 48, trailer_bytes = 5;  // of a block: its packing and its checksum
constexpr size_t data_block_bytes = size_t{1} << 14, data_restart_interval = 16;
enum class Packing : uint8_t { none = 0, snappy = 1 };

// Where a block lies, without its trailer.
struct BlockHandle {
  uint64_t offset = 0, size = 0;
};

bool read_handle(protobuf::WireReader& reader, BlockHandle& handle) {
  return reader.read_varint(handle.offset) && reader.read_varint(handle.size);
}

std::string encode_handle(const BlockHandle& handle) {
  std::string bytes;
  protobuf::append_varint(handle.offset, bytes);
  protobuf::append_varint(handle.size, bytes);
  return bytes;
}

class TableReader {
 public:
  TableReader(std::string_view table, const std::string& path, SourceLocation location)
      : table_(table), path_(path), location_(location) {}

  std::vector<TableEntry> entries() {
    for (const TableEntry& pointer : block_entries(index_handle())) {
      protobuf::WireReader reader(pointer.value);
      BlockHandle handle;
      if (!read_handle(reader, handle)) fail("a damaged pointer to a block", pointer.value.data());
      add_block(handle);
    }
    return std::move(entries_);
  }

 private:
  [[noreturn]] void fail(std::string_view what, const char* at) const {
    raise<DataLoss>({.what = str("'", path_, "': ", what, " at byte ", at - table_.data(), " of ",
                                 table_.size()),
                     .wanted = "the index of a TensorFlow checkpoint",
                     .location = location_});
  }

  BlockHandle index_handle() const {
    if (table_.size() < footer_bytes) fail("the file ends", table_.data() + table_.size());
    const char* footer = table_.data() + table_.size() - footer_bytes;
    uint64_t magic = 0;
    std::memcpy(&magic, footer + footer_bytes - sizeof(magic), sizeof(magic));
    if (magic != table_magic) fail("another end than that of a table", footer);
    protobuf::WireReader reader({footer, footer_bytes - sizeof(magic)});
    BlockHandle metaindex, index;
    if (!read_handle(reader, metaindex) || !read_handle(reader, index))
      fail("a damaged footer", footer);
    block(metaindex);  // which says nothing of interest, but may be damaged
    return index;
  }

  // A block's bytes, its checksum verified.
  std::string_view block(const BlockHandle& handle) const {
    const uint64_t end = table_.size() - footer_bytes;
    if (handle.offset > end || end - handle.offset < trailer_bytes ||
        handle.size > end - handle.offset - trailer_bytes) {
      fail(str("a block of ", handle.size, " bytes at ", handle.offset, ", beyond the end,"),
           table_.data() + std::min(handle.offset, end));
    }
    const std::string_view bytes = table_.substr(handle.offset, handle.size);
    const char* trailer = bytes.data() + bytes.size();
    uint32_t stored = 0;
    std::memcpy(&stored, trailer + 1, sizeof(stored));
    if (crc32c(bytes.data(), bytes.size() + 1) != unmask_crc(stored))
      fail("a block with a wrong checksum", bytes.data());
    if (static_cast<Packing>(*trailer) == Packing::none) return bytes;
    if (static_cast<Packing>(*trailer) != Packing::snappy)
      fail("a block of unknown packing", trailer);
    raise<Unimplemented>({.what = str("'", path_, "' is packed with Snappy"),
                          .wanted = "an index as TensorFlow's checkpoints of version 2 have it",
                          .hint = "restore it in TensorFlow and save it again",
                          .location = location_});
  }

  // The part of a block before the list of its restarts.
  std::string_view block_pairs(std::string_view bytes) const {
    uint32_t restarts = 0;
    if (bytes.size() < sizeof(restarts)) fail("a block without an end", bytes.data());
    std::memcpy(&restarts, bytes.data() + bytes.size() - sizeof(restarts), sizeof(restarts));
    const uint64_t list = (uint64_t{restarts} + 1) * sizeof(restarts);
    if (list > bytes.size()) fail(str("a block with ", restarts, " restarts"), bytes.data());
    return bytes.substr(0, bytes.size() - list);
  }

  std::vector<TableEntry> block_entries(const BlockHandle& handle) {
    protobuf::WireReader reader(block_pairs(block(handle)));
    std::vector<TableEntry> entries;
    std::string key;
    while (!reader.at_end()) {
      const char* at = reader.position();
      uint64_t shared = 0, rest = 0, size = 0;
      std::string_view key_end, value;
      if (!reader.read_varint(shared) || !reader.read_varint(rest) || !reader.read_varint(size) ||
          shared > key.size() || !reader.take(rest, key_end) || !reader.take(size, value)) {
        fail("a damaged entry", at);
      }
      std::string next = key.substr(0, shared).append(key_end);
      if (!entries.empty() && next <= key)
        fail("a key that does not sort after the one before", at);
      key = next;
      count_key(key.size(), at);
      entries.push_back({std::move(next), value});
    }
    return entries;
  }

  // Keys that share their beginnings may be many times as long as what is stored of them.
  void count_key(size_t size, const char* at) {
    key_bytes_ += size;
    if (unpacks_to_too_much(key_bytes_, table_.size()))
      fail("names that fill the memory: more than a hundred times the file's size", at);
  }

  void add_block(const BlockHandle& handle) {
    std::vector<TableEntry> block = block_entries(handle);
    if (block.empty()) return;
    if (!entries_.empty() && block.front().key <= entries_.back().key)
      fail("a block whose keys do not sort after those before", table_.data() + handle.offset);
    std::move(block.begin(), block.end(), std::back_inserter(entries_));
  }

  std::string_view table_;
  const std::string& path_;
  SourceLocation location_;
  uint64_t key_bytes_ = 0;
  std::vector<TableEntry> entries_;
};

}  // namespace

std::vector<TableEntry> read_sorted_table(std::string_view table, const std::string& path,
                                          SourceLocation location) {
  return TableReader(table, path, location).entries();
}

void SortedTableWriter::Block::add(std::string_view key, std::string_view value,
                                   size_t restart_interval) {
  size_t shared = 0;
  if (restarts.empty() || since_restart == restart_interval) {
    restarts.push_back(static_cast<uint32_t>(bytes.size()));
    since_restart = 0;
  } else {
    const auto differ =
        std::mismatch(key.begin(), key.end(), last_key.begin(), last_key.end()).first;
    shared = static_cast<size_t>(differ - key.begin());
  }
  protobuf::append_varint(shared, bytes);
  protobuf::append_varint(key.size() - shared, bytes);
  protobuf::append_varint(value.size(), bytes);
  bytes.append(key.substr(shared)).append(value);
  last_key = key;
  ++since_restart;
}

// Appends a block to the table and empties it. What points to it.
std::string SortedTableWriter::put_block(Block& block) {
  if (block.restarts.empty()) block.restarts.push_back(0);
  auto append = [](std::string& bytes, uint32_t number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (const uint32_t restart : block.restarts) append(block.bytes, restart);
  append(block.bytes, static_cast<uint32_t>(block.restarts.size()));
  const BlockHandle handle{table_.size(), block.bytes.size()};
  block.bytes += static_cast<char>(Packing::none);
  append(block.bytes, mask_crc(crc32c(block.bytes)));
  table_ += block.bytes;
  block = {};
  return encode_handle(handle);
}

void SortedTableWriter::finish_data_block() {
  if (data_.bytes.empty()) return;
  const std::string last_key = data_.last_key;
  index_.add(last_key, put_block(data_), 1);
}

void SortedTableWriter::add(std::string_view key, std::string_view value) {
  data_.add(key, value, data_restart_interval);
  if (data_.bytes.size() >= data_block_bytes) finish_data_block();
}

std::string SortedTableWriter::finish() {
  finish_data_block();
  Block metaindex;
  std::string footer = put_block(metaindex);
  footer += put_block(index_);
  footer.resize(footer_bytes - sizeof(table_magic));
  footer.append(reinterpret_cast<const char*>(&table_magic), sizeof(table_magic));
  return std::move(table_) + footer;
}

}  // namespace io
}  // namespace systolic::inline v0
