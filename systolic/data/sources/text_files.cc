// text_lines and fixed_length_records: tf.data's TextLineDataset and FixedLengthRecordDataset.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/sources/byte_stream.h"
#include "systolic/data/sources/file_source.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class Lines : public RecordReader {
 public:
  Lines(const std::string& path, io::Compression compression) : stream_(path, compression) {}
  bool next(Example& element) override {
    std::string line;
    if (!stream_.line(line)) return false;
    element = Example{{"line", Literal::scalar(line)}};
    return true;
  }
  size_t held_bytes() const override { return stream_.held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) override {
    stream_.set_read_ahead_room(std::move(room));
  }

 private:
  ByteStream stream_;
};

class FixedLengthRecords : public RecordReader {
 public:
  FixedLengthRecords(const std::string& path, int64_t record_bytes, FixedLengthOptions options)
      : source_(io::open_source(path, options.compression, SourceLocation{})),
        record_bytes_(static_cast<size_t>(record_bytes)),
        footer_bytes_(static_cast<size_t>(options.footer_bytes)) {
    std::string header;
    if (!fill(header, static_cast<size_t>(options.header_bytes))) {
      raise<DataLoss>({.what = str("'", path, "' has ", header.size(), " bytes"),
                       .wanted = str("a header of ", options.header_bytes)});
    }
  }
  // As many bytes as the footer has are always read ahead.
  bool next(Example& element) override {
    if (fill(waiting_, record_bytes_ + footer_bytes_)) {
      element =
          Example{{"record", Literal::scalar(std::string_view(waiting_).substr(0, record_bytes_))}};
      waiting_.erase(0, record_bytes_);
      return true;
    }
    if (waiting_.size() == footer_bytes_) return false;
    raise<DataLoss>({.what = str("'", source_->path(), "' has ", waiting_.size(),
                                 " bytes after its last record"),
                     .wanted = str("a footer of ", footer_bytes_),
                     .hint = str("give the length of its records, not ", record_bytes_,
                                 ", or the header_bytes and footer_bytes that it has")});
  }
  size_t held_bytes() const override { return waiting_.capacity() + source_->held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) override {
    source_->set_read_ahead_room(std::move(room));
  }

 private:
  // Until `bytes` has `size`; false where the file ends before.
  bool fill(std::string& bytes, size_t size) {
    constexpr size_t at_once = size_t{1} << 20;
    while (bytes.size() < size) {
      const size_t before = bytes.size(), wanted = std::min(size - before, at_once);
      bytes.resize(before + wanted);
      const size_t got = source_->read(bytes.data() + before, wanted);
      bytes.resize(before + got);
      if (got == 0) return false;
    }
    return true;
  }

  std::unique_ptr<io::ByteSource> source_;
  const size_t record_bytes_, footer_bytes_;
  std::string waiting_;
};

}  // namespace

Dataset text_lines(Paths files, io::Compression compression, SourceLocation location) {
  return Dataset(make_file_source(
      {.files = files.release(),
       .open = [compression](
                   const std::string& path) { return std::make_unique<Lines>(path, compression); },
       .spec = {{"line", Shape{}, DType::string}},
       .reading = "reading of lines"},
      "text_lines", location));
}

Dataset fixed_length_records(Paths files, int64_t record_bytes, FixedLengthOptions options,
                             SourceLocation location) {
  constexpr auto most = static_cast<int64_t>(ByteStream::longest_record);
  const bool good = record_bytes >= 1 && record_bytes <= most && options.header_bytes >= 0 &&
                    options.footer_bytes >= 0 && options.header_bytes <= most &&
                    options.footer_bytes <= most;
  if (!good) {
    raise<InvalidArgument>(
        {.what = str("fixed_length_records of ", record_bytes, " bytes, header ",
                     options.header_bytes, ", footer ", options.footer_bytes),
         .wanted = str("1 to ", most, " bytes a record; header and footer not negative"),
         .location = location});
  }
  return Dataset(make_file_source({.files = files.release(),
                                   .open =
                                       [record_bytes, options](const std::string& path) {
                                         return std::make_unique<FixedLengthRecords>(
                                             path, record_bytes, options);
                                       },
                                   .spec = {{"record", Shape{}, DType::string}},
                                   .reading = "reading of records of one length"},
                                  "fixed_length_records", location));
}

}  // namespace data
}  // namespace systolic::inline v0
