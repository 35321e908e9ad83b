#include "systolic/io/records/tfrecord_writer.h"

#include <zlib.h>

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tf_example.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr size_t buffer_bytes = 1 << 18;

class Deflater {
 public:
  Deflater(Compression compression, int level) {
    constexpr int largest_window = 15, with_gzip_header = 16, memory_level = 8;
    const int window = largest_window + (compression == Compression::gzip ? with_gzip_header : 0);
    if (::deflateInit2(&stream_, level, Z_DEFLATED, window, memory_level, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      raise<InvalidArgument>({.what = str("compression level ", level), .wanted = "1 to 9"});
    }
  }
  ~Deflater() { ::deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(std::string_view bytes, bool last, AtomicFile& file) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      ::deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      file.write(out_.data(), out_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  std::vector<Bytef> out_ = std::vector<Bytef>(1 << 16);
};

}  // namespace

struct TFRecordWriter::State {
  AtomicFile file;
  std::unique_ptr<Deflater> deflater;
  std::string buffer;
  std::string encoded;
  int64_t records = 0;
  bool open = true;
  int exceptions_at_start = std::uncaught_exceptions();

  void flush(bool last) {
    if (deflater != nullptr) {
      deflater->add(buffer, last, file);
    } else {
      file.write(buffer);
    }
    buffer.clear();
  }
};

TFRecordWriter::TFRecordWriter(const std::string& path, TFRecordWriterOptions options,
                               SourceLocation location)
    : state_(new State{
          .file = AtomicFile(path, location), .deflater = {}, .buffer = {}, .encoded = {}}) {
  if (options.compression != Compression::none) {
    state_->deflater = std::make_unique<Deflater>(options.compression, options.compression_level);
  }
  state_->buffer.reserve(buffer_bytes + (1 << 12));
}

TFRecordWriter::TFRecordWriter(TFRecordWriter&&) noexcept = default;
TFRecordWriter& TFRecordWriter::operator=(TFRecordWriter&&) noexcept = default;

TFRecordWriter::~TFRecordWriter() {
  if (state_ == nullptr || !state_->open) return;
  if (std::uncaught_exceptions() > state_->exceptions_at_start) return;
  try {
    close();
  } catch (const std::exception& error) {
    log(LogLevel::error, str("TFRecord file not written: ", error.what()));
  }
}

void TFRecordWriter::write(std::string_view record) {
  if (!state_->open) {
    raise<FailedPrecondition>(
        {.what = str("TFRecord file '", state_->file.path(), "' is closed already")});
  }
  char header[12];
  const uint64_t length = record.size();
  std::memcpy(header, &length, 8);
  const uint32_t length_crc = mask_crc(crc32c(header, 8));
  std::memcpy(header + 8, &length_crc, 4);
  const uint32_t data_crc = mask_crc(crc32c(record));
  std::string& buffer = state_->buffer;
  buffer.append(header, sizeof(header)).append(record);
  buffer.append(reinterpret_cast<const char*>(&data_crc), 4);
  ++state_->records;
  if (buffer.size() >= buffer_bytes) state_->flush(false);
}

void TFRecordWriter::write(const Example& example) {
  state_->encoded.clear();
  encode_example(example, state_->encoded);
  write(state_->encoded);
}

void TFRecordWriter::close() {
  if (!state_->open) return;
  state_->open = false;
  state_->flush(true);
  state_->file.commit();
}

void TFRecordWriter::discard() { state_->open = false; }

int64_t TFRecordWriter::records() const { return state_->records; }

}  // namespace io
}  // namespace systolic::inline v0
