// Reads TFRecord files, checking both checksums of every record.
//
//   io::TFRecordReader reader("train-00000-of-00008.tfrec");
//   std::string_view record;
//   while (reader.next(record)) …
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/memory/host_memory.h"
#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace io {

// What to do with a record that fails its checks.
enum class OnCorrupt {
  stop,         // throw DataLoss: file, record index, byte offset, checksum wanted and got
  skip_record,  // count it and read on; after a damaged length, at the next place where a record
                // starts
  skip_file,    // count it and leave the rest of the file out
};

struct TFRecordReaderOptions {
  Compression compression = Compression::none;  // or gzip, zlib: as the file is
  OnCorrupt on_corrupt = OnCorrupt::stop;       // or leave out what is damaged
  // A longer record is taken for damage, so that a forged length cannot exhaust the memory.
  uint64_t max_record_bytes = uint64_t{1} << 31;
  size_t block_bytes = 1 << 18;  // how much is read at once
  bool may_be_empty = false;     // else a file without records is a warning in the log
  // Told of the first record that is left out; a warning in the log unless given.
  std::function<void(const DataLoss&)> on_first_left_out = {};
};

struct TFRecordCounts {
  int64_t records = 0;          // delivered
  int64_t corrupt_records = 0;  // places where a record was damaged and left out
  int64_t skipped_files = 0;    // files left before their end
};

// Records that lie in one block of memory, which lives as long as somebody holds `memory`.
struct RecordBlock {
  std::vector<std::string_view> records;
  HostMemory memory;
};

class TFRecordReader {
 public:
  explicit TFRecordReader(const std::string& path, TFRecordReaderOptions options = {},
                          SourceLocation location = SourceLocation::current());

  // The next record; the view lives until the next call. False at the end.
  bool next(std::string_view& record);
  // Up to `most` records without a copy. False, and no records, at the end.
  bool next_block(RecordBlock& block, size_t most);

  const std::string& path() const { return source_->path(); }
  const TFRecordCounts& counts() const { return counts_; }
  // What it keeps of the file between two calls, or will from the first one on.
  size_t held_bytes() const {
    return std::max(capacity_, options_.block_bytes) + source_->held_bytes();
  }
  // Asked before the file is read further ahead (io/files/file_system.h).
  void set_read_ahead_room(ReadAheadRoom room) { source_->set_read_ahead_room(std::move(room)); }

 private:
  struct Damage;
  bool read_record(std::string_view& record);
  // Steps over the record and returns true, or says what is wrong with it and stays.
  bool take_record(std::string_view& record, Damage& damage);
  bool header_is_good() const;
  uint64_t length_here() const;
  void handle(const Damage& damage);
  ErrorReport report_of(const Damage& damage) const;
  void resynchronize();
  size_t available() const { return end_ - begin_; }
  // Makes `wanted` bytes contiguous at the cursor if the file has them; returns how many there are.
  size_t ensure(size_t wanted);
  void grow(size_t wanted);
  void advance(size_t bytes);
  const char* cursor() const { return reinterpret_cast<const char*>(buffer_.data()) + begin_; }

  std::unique_ptr<ByteSource> source_;
  TFRecordReaderOptions options_;
  TFRecordCounts counts_;
  HostMemory buffer_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
  uint64_t offset_ = 0;       // of the cursor within the decompressed file
  int64_t record_index_ = 0;  // of the record at the cursor
  bool at_end_ = false;       // the source has no more bytes
  bool finished_ = false;
  ErrorReport source_fault_;  // why the source ended, where compressed data was damaged
};

}  // namespace io
}  // namespace systolic::inline v0
