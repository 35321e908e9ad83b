// The table that TensorFlow's checkpoints keep their index in: LevelDB's format of sorted pairs of
// key and value (leveldb/doc/table_format.md), in memory.
//
// Why not LevelDB's own reader: it is a database's. It unpacks whatever a block claims to hold,
// follows handles of the index that overlap, says neither where a file is damaged nor which, and
// Debian builds it without run-time type information, so that a file of ours cannot be given to it
// without compiling that part of ours differently. The format itself is the 200 lines beside this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

struct TableEntry {
  std::string key;
  std::string_view value;  // into the table's bytes
};

// All pairs of a table, in the order of their keys. `path` is for errors: what does not fit the
// format, keys that do not rise, and a block whose checksum is wrong are a DataLoss that says at
// which byte; a block that was packed with Snappy, as no checkpoint's is, is an Unimplemented.
std::vector<TableEntry> read_sorted_table(std::string_view table, const std::string& path,
                                          SourceLocation location);

class SortedTableWriter {
 public:
  // Keys must rise.
  void add(std::string_view key, std::string_view value);
  // The table's bytes; nothing can be added afterwards.
  std::string finish();

 private:
  // Pairs whose keys leave out what they share with the key before.
  struct Block {
    std::string bytes, last_key;
    std::vector<uint32_t> restarts;
    size_t since_restart = 0;
    void add(std::string_view key, std::string_view value, size_t restart_interval);
  };
  std::string put_block(Block& block);
  void finish_data_block();
  std::string table_;
  Block data_, index_;
};

}  // namespace io
}  // namespace systolic::inline v0
