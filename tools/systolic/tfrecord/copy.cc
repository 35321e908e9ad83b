// shard and repair.
#include <sys/resource.h>

#include <deque>
#include <ostream>
#include <set>

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

// Every shard is open until the last record is dealt out.
void require_open_files(int64_t shards) {
  constexpr int64_t others = 32;  // inputs, the terminal, connections
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (limit.rlim_cur >= static_cast<rlim_t>(shards + others)) return;
  raise<ResourceExhausted>(
      {.what = str(counted(shards, "shard"), " are as many open files, and this process may have ",
                   limit.rlim_cur),
       .hint = str("`ulimit -n ", shards + others, "` before it, or fewer with --shards")});
}

std::vector<std::string> shards_of(const ShardOptions& options, int64_t shards,
                                   const Files& files) {
  std::vector<std::string> targets;
  for (int64_t i = 0; i < shards; ++i) {
    targets.push_back(shard_name(options.output, i, shards, options.gzip ? ".tfrec.gz" : ".tfrec"));
    for (const std::string& file : files) {
      if (!same_file(targets.back(), file)) continue;
      raise<InvalidArgument>({.what = str("shard '", targets.back(), "' would replace an input"),
                              .wanted = "another prefix as --output"});
    }
  }
  return targets;
}

// Where the copy of each file goes: a name that no file has, nor another copy.
std::vector<std::string> copies_of(const Files& files, const std::string& folder) {
  std::vector<std::string> targets;
  std::set<std::string> taken;
  for (const std::string& file : files) {
    const bool ends = !folder.empty() && folder.back() == '/';
    const std::string target = str(folder, ends ? "" : "/", base_name(file));
    ErrorReport report{.what = "", .wanted = "another folder as --output, best an empty one"};
    if (same_file(target, file)) {
      report.what = str("'", file, "' would replace itself");
    } else if (io::exists(target)) {
      report.what = str("'", target, "' is there already");
    } else if (!taken.insert(target).second) {
      report.what = str("two files of one name would both become '", target, "'");
      report.wanted = "one of them at a time, each with its own --output";
    }
    if (!report.what.empty()) raise<InvalidArgument>(std::move(report));
    targets.push_back(target);
  }
  return targets;
}

}  // namespace

int shard(const ShardOptions& options, std::ostream& out) {
  const Files files = expand(options.files);
  const uint64_t bytes = bytes_of_all(files);
  const int64_t shards = options.shards > 0 ? options.shards : advised_shards(bytes, options.cores);
  require_open_files(shards);
  const std::vector<std::string> targets = shards_of(options, shards, files);
  std::deque<io::TFRecordWriter> writers;
  for (const std::string& target : targets) {
    writers.emplace_back(
        target,
        io::TFRecordWriterOptions{.compression =
                                      options.gzip ? io::Compression::gzip : io::Compression::none},
        SourceLocation{});
  }
  size_t next = 0;
  Progress progress("bytes", bytes);
  for (const std::string& file : files) {
    advising_repair(file, [&] {
      io::TFRecordReader reader = open_reader(file, io::OnCorrupt::stop);
      for (std::string_view record; reader.next(record); next = (next + 1) % writers.size()) {
        writers[next].write(record);
      }
    });
    progress.add(bytes_of(file));
  }
  int64_t records = 0;
  for (io::TFRecordWriter& writer : writers) {
    records += writer.records();
    writer.close();
  }
  out << counted(records, "record") << " of " << counted(static_cast<int64_t>(files.size()), "file")
      << " in " << counted(shards, "file") << ", " << targets.front()
      << (shards == 1 ? "\n" : " ...\n");
  return 0;
}

int repair(const Files& patterns, const std::string& folder, std::ostream& out) {
  const Files files = expand(patterns);
  const std::vector<std::string> targets = copies_of(files, folder);
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string &file = files[i], &target = targets[i];
    io::TFRecordReader reader = open_reader(file, io::OnCorrupt::skip_record);
    io::TFRecordWriter writer(target, {.compression = compression_of(file)}, {});
    for (std::string_view record; reader.next(record);) writer.write(record);
    writer.close();
    out << target << ": " << counted(reader.counts().records, "record") << ", "
        << counted(reader.counts().corrupt_records, "place") << " left out\n";
  }
  return 0;
}

}  // namespace tool::tfrecord
