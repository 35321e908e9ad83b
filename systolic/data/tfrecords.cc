#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/interleave.h"
#include "systolic/data/node.h"
#include "systolic/data/worker_thread.h"
#include "systolic/io/file.h"
#include "systolic/io/tfrecord_reader.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Files read in turns with autotune, and records of each in one turn: fixed numbers, so that the
// order is the same on every machine.
constexpr int64_t most_files_in_turns = 8, records_in_turn = 16;

constexpr std::string_view reading = "reading of TFRecord files";

class FileStage : public Stage {
 public:
  FileStage(const Context& context, const void* key, const std::string& path,
            io::TFRecordReaderOptions options)
      : Stage(context, key, reading), reader_(path, options) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk;
    std::string_view record;
    const auto count = static_cast<size_t>(std::min(most, largest_chunk));
    chunk.reserve(count);
    try {
      // Each record is copied out of the reader's block, which would else stay whole as long as one
      // record of it waits in a shuffle buffer.
      size_t bytes = 0;
      while (chunk.size() < count && bytes < large_chunk_bytes && reader_.next(record)) {
        bytes += record.size();
        Example::Components parts;
        parts.push_back({"record", Literal::scalar(record)});
        chunk.push_back(Example(std::move(parts)));
      }
    } catch (...) {
      return fail_after(std::move(chunk));
    }
    return chunk;
  }

 private:
  io::TFRecordReader reader_;
};

class TFRecordsNode : public Node {
 public:
  TFRecordsNode(std::vector<std::string> files, TFRecordOptions options, std::string label)
      : Node(std::move(label), Options{}), files_(std::move(files)), options_(options) {}

  std::unique_ptr<Stage> make(const Context& context) const override {
    context.run->counters(&files_, reading);  // before those of this node, as the data flow
    size_t next = 0;
    OpenNext open_next = [this, context, next]() mutable -> std::unique_ptr<Stage> {
      if (next == files_.size()) return nullptr;
      const io::TFRecordReaderOptions options{.compression = options_.compression,
                                              .on_corrupt = options_.on_corrupt};
      return std::make_unique<FileStage>(context, &files_, files_[next++], options);
    };
    InterleaveOptions turns;
    if (options_.num_parallel_reads != 1) {
      const auto files = static_cast<int64_t>(files_.size());
      turns.cycle_length = options_.num_parallel_reads == autotune
                               ? std::min(files, most_files_in_turns)
                               : options_.num_parallel_reads;
      turns.block_length = records_in_turn;
      turns.num_parallel_calls = options_.num_parallel_reads;
    }
    return make_interleave(context, *this, std::move(open_next), turns);
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override { return {{"record", Shape{}, DType::string}}; }

 private:
  std::vector<std::string> files_;
  TFRecordOptions options_;
};

}  // namespace

Dataset tfrecords(std::vector<std::string> files, TFRecordOptions options,
                  SourceLocation location) {
  if (files.empty()) {
    raise<InvalidArgument>({.what = "tfrecords of no files",
                            .hint = "check the pattern given to io::glob",
                            .location = location});
  }
  if (!valid_thread_count(options.num_parallel_reads)) {
    raise<InvalidArgument>(
        {.what = str("tfrecords with num_parallel_reads = ", options.num_parallel_reads),
         .wanted = str("1 to ", most_threads, ", or data::autotune"),
         .location = location});
  }
  io::check_readable(files, location);
  return Dataset(
      std::make_shared<TFRecordsNode>(std::move(files), options, label_at("tfrecords", location)));
}

Dataset tfrecords(const std::string& file, TFRecordOptions options, SourceLocation location) {
  return tfrecords(std::vector<std::string>{file}, options, location);
}

}  // namespace data
}  // namespace systolic::inline v0
