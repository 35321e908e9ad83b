// Elements in a file: a TFRecord file whose records are encode_element()'s bytes.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/data/sources/file_source.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic::inline v0 {
namespace data {

class ElementReader : public RecordReader {
 public:
  explicit ElementReader(const std::string& path)
      : reader_(path, {.may_be_empty = true}, SourceLocation{}) {}
  bool next(Example& element) override {
    std::string_view record;
    if (!reader_.next(record)) return false;
    try {
      element = decode_element(record);
    } catch (const Error& error) {
      error.rethrow_within(str("'", reader_.path(), "', element ", reader_.counts().records - 1));
    }
    return true;
  }
  size_t held_bytes() const override { return reader_.held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) override {
    reader_.set_read_ahead_room(std::move(room));
  }
  // What ElementWriter wrote by write_text(); false at the end of the file.
  bool next_text(std::string_view& text) { return reader_.next(text); }

 private:
  io::TFRecordReader reader_;
};

// Writes what passes; the file gets its name when the input has ended, and else there is none.
class ElementWriter {
 public:
  explicit ElementWriter(const std::string& path,
                         SourceLocation location = SourceLocation::current())
      : writer_(path, {}, location) {}
  ~ElementWriter() { writer_.discard(); }  // nothing after finish()
  ElementWriter(const ElementWriter&) = delete;
  ElementWriter& operator=(const ElementWriter&) = delete;
  void write(const Example& element) { writer_.write(std::string_view(encode_element(element))); }
  void write_text(std::string_view text) { writer_.write(text); }
  void finish() { writer_.close(); }

 private:
  io::TFRecordWriter writer_;
};

constexpr std::string_view file_in_folder = "/elements.tfrec";

}  // namespace data
}  // namespace systolic::inline v0
