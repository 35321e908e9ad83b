#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/interleave/interleave.h"
#include "systolic/data/sources/file_source.h"
#include "systolic/data/workers/worker_thread.h"
#include "systolic/io/records/tfrecord_reader.h"

namespace systolic::inline v0 {
namespace data {
namespace {

constexpr int64_t records_in_turn = 16;

class TFRecords : public RecordReader {
 public:
  TFRecords(const std::string& path, io::TFRecordReaderOptions options)
      : reader_(path, options, SourceLocation{}) {}
  // Each record is copied out of the reader's block, which would else stay whole as long as one
  // record of it waits in a shuffle buffer.
  bool next(Example& element) override {
    std::string_view record;
    if (!reader_.next(record)) return false;
    Example::Components parts;
    parts.push_back({"record", Literal::scalar(record)});
    element = Example(std::move(parts));
    return true;
  }
  size_t held_bytes() const override { return reader_.held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) override {
    reader_.set_read_ahead_room(std::move(room));
  }

 private:
  io::TFRecordReader reader_;
};

InterleaveOptions turns_of(const TFRecordOptions& options, int64_t files) {
  if (options.num_parallel_reads == 1) return {.cycle_length = 1};
  const int64_t turns = turns_for(options.num_parallel_reads);
  return {.cycle_length =
              options.num_parallel_reads == autotune ? std::clamp<int64_t>(files, 1, turns) : turns,
          .block_length = records_in_turn,
          .num_parallel_calls = options.num_parallel_reads};
}

}  // namespace

Dataset tfrecords(Paths files, TFRecordOptions options, SourceLocation location) {
  if (!valid_thread_count(options.num_parallel_reads)) {
    raise<InvalidArgument>(
        {.what = str("tfrecords with num_parallel_reads = ", options.num_parallel_reads),
         .wanted = str("1 to ", most_threads, ", or data::autotune"),
         .location = location});
  }
  const auto open = [options](const std::string& path) {
    return std::make_unique<TFRecords>(path,
                                       io::TFRecordReaderOptions{.compression = options.compression,
                                                                 .on_corrupt = options.on_corrupt});
  };
  FileSource source{.files = files.release(),
                    .open = open,
                    .spec = {{"record", Shape{}, DType::string}},
                    .of_records = true,
                    .reading = "reading of TFRecord files"};
  source.turns = turns_of(options, static_cast<int64_t>(source.files.size()));
  return Dataset(make_file_source(std::move(source), "tfrecords", location));
}

}  // namespace data
}  // namespace systolic::inline v0
