#include "systolic/io/records/tfrecord_reader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "systolic/base/log.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr size_t header_bytes = 12;  // length and its checksum
constexpr size_t footer_bytes = 4;   // checksum of the data

uint32_t load32(const char* bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", value);
  return text;
}

std::string end_inside_record(uint64_t length, uint64_t bytes_after_header) {
  const std::string where = bytes_after_header >= length ? "inside the checksum after them"
                            : bytes_after_header == 0
                                ? "before the first of them"
                                : str("after ", bytes_after_header, " of them");
  return str("the record's length is ", length, " bytes, and the file ends ", where);
}

// Whether one record has more bytes already than a compressed file of this size may hold.
bool is_bomb(const ByteSource& source, uint64_t bytes) {
  if (source.total_bytes()) return false;
  const auto status = file_system(source.path()).status(source.path());
  return status && status->bytes > 0 && unpacks_to_too_much(bytes, status->bytes);
}

}  // namespace

// What is wrong with the record at the cursor, and how many bytes to step over to the next one (0:
// unknown).
struct TFRecordReader::Damage {
  std::string what, got = {}, wanted = {};
  uint64_t record_bytes = 0;
  bool truncated = false;
};

TFRecordReader::TFRecordReader(const std::string& path, TFRecordReaderOptions options,
                               SourceLocation location)
    : source_(open_source(path, options.compression, location)), options_(options) {
  options_.block_bytes = std::max<size_t>(options_.block_bytes, header_bytes);
}

bool TFRecordReader::next(std::string_view& record) { return read_record(record); }

bool TFRecordReader::next_block(RecordBlock& block, size_t most) {
  block.records.clear();
  block.memory = {};
  std::string_view record;
  if (most == 0 || !read_record(record)) return false;
  block.records.push_back(record);
  while (block.records.size() < most && available() >= header_bytes && header_is_good()) {
    const uint64_t length = length_here();
    if (length > available() || available() - length < header_bytes + footer_bytes) break;
    Damage damage;
    if (!take_record(record, damage)) break;
    block.records.push_back(record);
  }
  block.memory = buffer_;
  return true;
}

bool TFRecordReader::read_record(std::string_view& record) {
  while (!finished_) {
    if (ensure(header_bytes) == 0 && source_fault_.what.empty()) {
      finished_ = true;
      if (offset_ == 0 && !options_.may_be_empty)
        log_warning(str("'", path(), "' is empty: it holds no records"));
      break;
    }
    Damage damage;
    if (take_record(record, damage)) return true;
    handle(damage);
  }
  return false;
}

bool TFRecordReader::header_is_good() const {
  return mask_crc(crc32c(cursor(), 8)) == load32(cursor() + 8);
}

uint64_t TFRecordReader::length_here() const {
  uint64_t length = 0;
  std::memcpy(&length, cursor(), sizeof(length));
  return length;
}

bool TFRecordReader::take_record(std::string_view& record, Damage& damage) {
  if (ensure(header_bytes) < header_bytes) {
    damage = {.what = "the file ends inside the record's header",
              .got = str(available(), " bytes"),
              .wanted = str(header_bytes),
              .truncated = true};
    return false;
  }
  if (!header_is_good()) {
    damage = {.what = "the checksum of the record's length is wrong",
              .got = hex(unmask_crc(load32(cursor() + 8))),
              .wanted = hex(crc32c(cursor(), 8))};
    return false;
  }
  const uint64_t length = length_here();
  const auto total = source_->total_bytes();
  const uint64_t around = header_bytes + footer_bytes;
  const uint64_t remaining = total ? *total - std::min(offset_, *total) : UINT64_MAX;
  if (length > options_.max_record_bytes || length > remaining || remaining - length < around) {
    const bool too_long = length > options_.max_record_bytes;
    damage = {
        .what = too_long ? str("the record's length is ", length, " bytes")
                         : end_inside_record(length, remaining - header_bytes),
        .wanted = too_long ? str("at most max_record_bytes = ", options_.max_record_bytes) : "",
        .truncated = !too_long};
    return false;
  }
  const uint64_t record_bytes = length + around;
  if (ensure(record_bytes) < record_bytes) {
    damage = {.what = end_inside_record(length, available() - header_bytes), .truncated = true};
    return false;
  }
  const char* data = cursor() + header_bytes;
  const uint32_t stored = load32(data + length);
  const uint32_t computed = crc32c(data, length);
  if (stored != mask_crc(computed)) {
    damage = {.what = "the checksum of the record's data is wrong",
              .got = hex(unmask_crc(stored)),
              .wanted = hex(computed),
              .record_bytes = record_bytes};
    return false;
  }
  record = {data, length};
  advance(record_bytes);
  ++record_index_;
  ++counts_.records;
  return true;
}

ErrorReport TFRecordReader::report_of(const Damage& damage) const {
  const std::string_view kind =
      record_index_ == 0 ? recognize({cursor(), std::min(available(), header_bytes)}) : "";
  const std::string place =
      str("'", path(), "', record ", record_index_, " at byte ", offset_, ": ");
  ErrorReport report{
      .what = place + damage.what,
      .got = damage.got,
      .wanted = damage.wanted,
      .hint = options_.on_corrupt == OnCorrupt::stop
                  ? "pass {.on_corrupt = io::OnCorrupt::skip_record} to skip damaged records"
                  : ""};
  if (damage.truncated && !source_fault_.what.empty()) {
    return {.what = str(place, source_fault_.what), .hint = source_fault_.hint};
  }
  if (kind == "GZIP" || kind == "ZLIB") {
    report.what += str(" (it looks like ", kind, ", opened as not compressed)");
    report.hint =
        str("pass {.compression = io::Compression::", kind == "GZIP" ? "gzip" : "zlib", "}");
  } else if (!kind.empty()) {
    report.what += str(" (it looks like ", kind, ", not like a TFRecord file)");
    report.hint = "";
  }
  return report;
}

void TFRecordReader::handle(const Damage& damage) {
  if (options_.on_corrupt == OnCorrupt::stop) {
    finished_ = true;
    raise<DataLoss>(report_of(damage));
  }
  if (counts_.corrupt_records++ == 0) {
    const DataLoss error(report_of(damage));
    if (options_.on_first_left_out) {
      options_.on_first_left_out(error);
    } else {
      log_warning(str("left out: ", error.what()));
    }
  }
  if (options_.on_corrupt == OnCorrupt::skip_file || damage.truncated) {
    finished_ = true;
    if (options_.on_corrupt == OnCorrupt::skip_file) ++counts_.skipped_files;
    return;
  }
  ++record_index_;
  if (damage.record_bytes > 0) {
    advance(damage.record_bytes);
  } else {
    resynchronize();
  }
}

// Looks, byte by byte, for the next place where a length matches its checksum.
void TFRecordReader::resynchronize() {
  do {
    advance(1);
    if (ensure(header_bytes) < header_bytes) {
      advance(available());
      finished_ = true;
      return;
    }
  } while (!header_is_good());
}

size_t TFRecordReader::ensure(size_t wanted) {
  while (available() < wanted && !at_end_) {
    if (unpacks_to_too_much(available(), 0) && is_bomb(*source_, available())) {
      source_fault_ = {.what = "it unpacks to more than a hundred times its size"};
      at_end_ = true;
      break;
    }
    grow(wanted);
  }
  return available();
}

// Reads more after what is there. The buffer at most doubles at a time, so that a forged length
// costs no more memory than the bytes that really come.
void TFRecordReader::grow(size_t wanted) {
  const size_t kept = available();
  const size_t needed =
      std::max(options_.block_bytes, std::min(wanted, 2 * std::max(kept, options_.block_bytes)));
  if (capacity_ < needed || !buffer_.unique()) {
    HostMemory larger(needed);
    if (kept > 0) std::memcpy(larger.data(), cursor(), kept);
    buffer_ = std::move(larger);
    capacity_ = needed;
  } else if (begin_ > 0) {
    std::memmove(buffer_.data(), cursor(), kept);
  }
  begin_ = 0;
  end_ = kept;
  try {
    const size_t count = source_->read(buffer_.data() + end_, capacity_ - end_);
    at_end_ = count == 0;
    end_ += count;
  } catch (const DataLoss& error) {
    source_fault_ = error.report();
    at_end_ = true;
  }
}

void TFRecordReader::advance(size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

}  // namespace io
}  // namespace systolic::inline v0
