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
  FileStage(const Context& context, const Node& node, const std::string& path,
            io::TFRecordReaderOptions options)
      : Stage(context, &node, node.label()), reader_(path, options) {}

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
  // Compressed files cannot be entered in the middle, and checks of the records before the place
  // find a file that has changed.
  void transfer_members(StateArchive& archive) override {
    int64_t records = reader_.counts().records;
    archive.integer(records, 0, INT64_MAX);
    std::string_view record;
    while (!archive.saving() && reader_.counts().records < records) {
      check_cancelled();
      if (reader_.next(record)) continue;
      raise<FailedPrecondition>(
          {.what = str("'", reader_.path(), "' ended after ", reader_.counts().records, " records"),
           .wanted = str(records, ", as many as the saved iterator had read"),
           .hint = "restore with the same files"});
    }
  }

 private:
  io::TFRecordReader reader_;
};

class FileNode : public Node {
 public:
  FileNode(std::string path, io::TFRecordReaderOptions options)
      : Node(std::string(reading), Options{}), path_(std::move(path)), options_(options) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<FileStage>(context, *this, path_, options_);
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override { return {{"record", Shape{}, DType::string}}; }

 private:
  std::string path_;
  io::TFRecordReaderOptions options_;
};

// The files of a list, by their numbers.
class InputsOfFiles : public Inputs {
 public:
  InputsOfFiles(const Context& context, const Node& maker, const std::vector<std::string>& files,
                TFRecordOptions options)
      : Inputs(context, maker),
        files_(files),
        options_{.compression = options.compression, .on_corrupt = options.on_corrupt} {
    // Before those of the maker, as the data flow.
    context.run->counters(inner_context().made_by, reading);
  }

 protected:
  Chunk next_origin() override {
    if (next_ == static_cast<int64_t>(files_.size())) return {};
    return {Example{{"file", Literal::scalar(files_[static_cast<size_t>(next_++)])}}};
  }
  NodePointer dataset_of(const Chunk& origin) override {
    const Literal& path = origin.front().only();
    const bool known = path.dtype() == DType::string && path.size() == 1 &&
                       std::find(files_.begin(), files_.end(), path.bytes()) != files_.end();
    if (!known) {
      raise<FailedPrecondition>({.what = str("the saved iterator reads ", path),
                                 .wanted = str("one of the ", files_.size(), " files"),
                                 .hint = "restore with the same list of files"});
    }
    return std::make_shared<FileNode>(std::string(path.bytes()), options_);
  }
  void transfer_origins(StateArchive& archive) override {
    archive.expect("files", static_cast<int64_t>(files_.size()));
    archive.integer(next_, 0, static_cast<int64_t>(files_.size()));
  }

 private:
  const std::vector<std::string>& files_;
  const io::TFRecordReaderOptions options_;
  int64_t next_ = 0;
};

class TFRecordsNode : public Node {
 public:
  TFRecordsNode(std::vector<std::string> files, TFRecordOptions options, std::string label)
      : Node(std::move(label), Options{}), files_(std::move(files)), options_(options) {}

  std::unique_ptr<Stage> make(const Context& context) const override {
    InterleaveOptions turns;
    if (options_.num_parallel_reads != 1) {
      const auto files = static_cast<int64_t>(files_.size());
      turns.cycle_length = options_.num_parallel_reads == autotune
                               ? std::min(files, most_files_in_turns)
                               : options_.num_parallel_reads;
      turns.block_length = records_in_turn;
      turns.num_parallel_calls = options_.num_parallel_reads;
    }
    return make_interleave(
        context, *this, std::make_unique<InputsOfFiles>(context, *this, files_, options_), turns);
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
