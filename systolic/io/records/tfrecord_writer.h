// Writes TFRecord files: records of bytes, each with its length and two checksums
// (tensorflow.org/tutorials/load_data/tfrecord, "TFRecords format details").
//
//   io::TFRecordWriter writer("train-00000-of-00008.tfrec");
//   writer.write(Example{{"image", pixels}, {"label", label}});
//   writer.close();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace io {

struct TFRecordWriterOptions {
  Compression compression = Compression::none;  // or gzip, zlib
  int compression_level = 6;                    // 1 (fast) to 9 (small)
};

// The file gets its name when it is closed, so that a program that is killed leaves no half file
// under it.
class TFRecordWriter {
 public:
  explicit TFRecordWriter(const std::string& path, TFRecordWriterOptions options = {},
                          SourceLocation location = SourceLocation::current());
  // Closes, unless an exception is in flight: then the file is dropped. A failure is logged, since
  // a destructor cannot throw; call close() to catch it.
  ~TFRecordWriter();
  TFRecordWriter(TFRecordWriter&&) noexcept;
  TFRecordWriter& operator=(TFRecordWriter&&) noexcept;

  void write(std::string_view record);
  // As a tf.Example (see io/records/tf_example.h).
  void write(const Example& example);
  void close();
  // Gives the file up: what lay under the name stays.
  void discard();
  int64_t records() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace io
}  // namespace systolic::inline v0
