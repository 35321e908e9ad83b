// The bytes of a file one by one, for formats of text.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace data {

class ByteStream {
 public:
  static constexpr int end = -1;
  // Longer lines and records are taken for files of another kind.
  static constexpr size_t longest_record = size_t{1} << 28;

  ByteStream(const std::string& path, io::Compression compression)
      : source_(io::open_source(path, compression, SourceLocation{})),
        buffer_(size_t{1} << 16, '\0') {}

  // The next byte without taking it; `end` after the last.
  int peek() {
    if (at_ == filled_) {
      filled_ = source_->read(buffer_.data(), buffer_.size());
      at_ = 0;
      if (filled_ == 0) return end;
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }
  int get() {
    const int byte = peek();
    if (byte != end) ++at_;
    return byte;
  }
  // Adds the next line without its "\n" or "\r\n"; false at the end.
  bool line(std::string& text) {
    text.clear();
    if (peek() == end) return false;
    while (peek() != end) {
      const size_t newline = buffer_.find('\n', at_);
      const size_t stop = newline < filled_ ? newline : filled_;
      text.append(buffer_, at_, stop - at_);
      at_ = stop;
      if (at_ < filled_) {
        ++at_;
        break;
      }
      check_length(text.size());
    }
    if (!text.empty() && text.back() == '\r') text.pop_back();
    return true;
  }
  void check_length(size_t size) const {
    if (size <= longest_record) return;
    raise<ResourceExhausted>({.what = str("'", path(), "' has a line of more than ",
                                          bytes_text(static_cast<int64_t>(longest_record))),
                              .hint = "is it a file of text?"});
  }
  const std::string& path() const { return source_->path(); }
  size_t held_bytes() const { return buffer_.size() + source_->held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) {
    source_->set_read_ahead_room(std::move(room));
  }

 private:
  std::unique_ptr<io::ByteSource> source_;
  std::string buffer_;
  size_t at_ = 0, filled_ = 0;
};

}  // namespace data
}  // namespace systolic::inline v0
