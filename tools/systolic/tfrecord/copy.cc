// shard and repair.
#include <deque>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/io/tfrecord_writer.h"
#include "tools/systolic/tfrecord/commands.h"
#include "tools/systolic/tfrecord/files.h"
#include "tools/systolic/tfrecord/progress.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

uint64_t bytes_of_all(const Files& files) {
  uint64_t bytes = 0;
  for (const std::string& file : files) bytes += bytes_of(file);
  return bytes;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

int shard(const ShardOptions& options, std::ostream& out) {
  const Files files = expand(options.files);
  const uint64_t bytes = bytes_of_all(files);
  const int64_t shards = options.shards > 0 ? options.shards : advised_shards(bytes, options.cores);
  std::deque<io::TFRecordWriter> writers;
  for (int64_t i = 0; i < shards; ++i) {
    writers.emplace_back(
        shard_name(options.output, i, shards, options.gzip ? ".tfrec.gz" : ".tfrec"),
        io::TFRecordWriterOptions{.compression =
                                      options.gzip ? io::Compression::gzip : io::Compression::none},
        SourceLocation{});
  }
  size_t next = 0;
  Progress progress("bytes", bytes);
  for (const std::string& file : files) {
    io::TFRecordReader reader = open_reader(file, io::OnCorrupt::stop);
    for (std::string_view record; reader.next(record); next = (next + 1) % writers.size()) {
      writers[next].write(record);
    }
    progress.add(bytes_of(file));
  }
  int64_t records = 0;
  for (io::TFRecordWriter& writer : writers) {
    records += writer.records();
    writer.close();
  }
  out << with_commas(records) << " records of " << files.size() << " files in " << shards
      << " files, " << shard_name(options.output, 0, shards, options.gzip ? ".tfrec.gz" : ".tfrec")
      << " ...\n";
  return 0;
}

int repair(const Files& patterns, const std::string& folder, std::ostream& out) {
  const Files files = expand(patterns);
  for (const std::string& file : files) {
    const std::string target = str(folder, "/", base_name(file));
    if (target == file) {
      raise<InvalidArgument>({.what = str("'", file, "' would replace itself"),
                              .wanted = "another folder as --output"});
    }
    io::TFRecordReader reader = open_reader(file, io::OnCorrupt::skip_record);
    io::TFRecordWriter writer(target, {.compression = compression_of(file)}, {});
    for (std::string_view record; reader.next(record);) writer.write(record);
    writer.close();
    out << target << ": " << with_commas(reader.counts().records) << " records, "
        << reader.counts().corrupt_records << " places left out\n";
  }
  return 0;
}

}  // namespace tool::tfrecord
