// shard and repair.
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <ostream>
#include <set>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_advice.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/records/tfrecord_writer.h"
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

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether a file's name is PREFIX-00003-of-00016 and an ending: those of another number of shards
// too, which a pattern over the prefix would read as well.
bool is_shard_of(std::string_view name, std::string_view prefix) {
  constexpr size_t digits = 5;
  constexpr std::string_view of = "-of-";
  if (name.substr(0, prefix.size()) != prefix) return false;
  name.remove_prefix(prefix.size());
  return name.size() >= 1 + 2 * digits + of.size() && name[0] == '-' &&
         is_digits(name.substr(1, digits)) && name.substr(1 + digits, of.size()) == of &&
         is_digits(name.substr(1 + digits + of.size(), digits));
}

std::vector<std::string> shards_there(const std::string& prefix) {
  const size_t slash = prefix.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : prefix.substr(0, slash + 1);
  const std::string start = slash == std::string::npos ? "" : folder;
  std::vector<std::string> there;
  for (const std::string& name : io::file_system(folder, {}).list(folder, size_t{1} << 20, {})) {
    if (is_shard_of(name, base_name(prefix))) there.push_back(start + name);
  }
  return there;
}

// What an earlier run wrote under the prefix is refused, or removed with --force.
void make_room(const ShardOptions& options, const Files& inputs) {
  const std::vector<std::string> there = shards_there(options.output);
  for (const std::string& shard : there) {
    const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& file) {
      return same_file(shard, file);
    });
    if (is_input) {
      raise<InvalidArgument>({.what = str("shard '", shard, "' would replace an input"),
                              .wanted = "another prefix as --output"});
    }
    if (options.force) continue;
    raise<FailedPrecondition>({.what = str("'", shard, "' is there already"),
                               .wanted = str("no shards of the prefix '", options.output, "'"),
                               .hint = "--force replaces them"});
  }
  for (const std::string& shard : there) io::file_system(shard, {}).remove(shard, {});
}

std::vector<std::string> shards_of(const ShardOptions& options, int64_t shards) {
  std::vector<std::string> targets;
  for (int64_t i = 0; i < shards; ++i) {
    targets.push_back(shard_name(options.output, i, shards, options.gzip ? ".tfrec.gz" : ".tfrec"));
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

// Each record to the next writer in turn.
void deal_out(const Files& files, uint64_t bytes, std::deque<io::TFRecordWriter>& writers) {
  size_t next = 0;
  Progress progress("bytes", bytes);
  for (const std::string& file : files) {
    FileProgress of_file(progress, bytes_of(file));
    advising_repair(file, [&] {
      io::TFRecordReader reader = open_reader(file, io::OnCorrupt::stop);
      for (std::string_view record; reader.next(record); next = (next + 1) % writers.size()) {
        writers[next].write(record);
        of_file.record(record.size());
      }
    });
    of_file.finish();
  }
}

}  // namespace

int shard(const ShardOptions& options, std::ostream& out) {
  const Files files = expand(options.files);
  const uint64_t bytes = bytes_of_all(files);
  const int64_t shards =
      options.shards > 0 ? options.shards : io::advised_files(bytes, options.cores);
  require_open_files(shards);
  make_room(options, files);
  const std::vector<std::string> targets = shards_of(options, shards);
  std::deque<io::TFRecordWriter> writers;
  for (const std::string& target : targets) {
    writers.emplace_back(
        target,
        io::TFRecordWriterOptions{.compression =
                                      options.gzip ? io::Compression::gzip : io::Compression::none},
        SourceLocation{});
  }
  deal_out(files, bytes, writers);
  int64_t records = 0;
  for (const io::TFRecordWriter& writer : writers) records += writer.records();
  if (records < shards) {
    raise<InvalidArgument>({.what = str("--shards ", shards, " of ", counted(records, "record"),
                                        ": nothing is written"),
                            .wanted = "at least one record a file"});
  }
  for (io::TFRecordWriter& writer : writers) writer.close();
  out << counted(records, "record") << " of " << counted(static_cast<int64_t>(files.size()), "file")
      << " in " << counted(shards, "file") << ", " << targets.front()
      << (shards == 1 ? "\n" : " ...\n");
  return 0;
}

namespace {

std::string copy_whole_records(const std::string& file, const std::string& target,
                               Progress& progress) {
  FileProgress of_file(progress, bytes_of(file));
  io::TFRecordReader reader = open_reader(file, io::OnCorrupt::skip_record);
  io::TFRecordWriter writer(target, {.compression = compression_of(file)}, {});
  for (std::string_view record; reader.next(record);) {
    writer.write(record);
    of_file.record(record.size());
  }
  if (reader.counts().records == 0 && reader.counts().corrupt_records > 0) {
    writer.discard();
    raise<DataLoss>({.what = str("'", file, "' holds no whole record: nothing is written"),
                     .wanted = "a file of TFRecords"});
  }
  writer.close();
  of_file.finish();
  return str(target, ": ", counted(reader.counts().records, "record"), ", ",
             counted(reader.counts().corrupt_records, "place"), " left out\n");
}

}  // namespace

int repair(const Files& patterns, const std::string& folder, std::ostream& out) {
  const Files files = expand(patterns);
  const std::vector<std::string> targets = copies_of(files, folder);
  io::make_folder(folder, {});
  std::string copied;  // said when the line of the progress is at its end
  try {
    Progress progress("bytes", bytes_of_all(files));
    for (size_t i = 0; i < files.size(); ++i) {
      copied += copy_whole_records(files[i], targets[i], progress);
    }
  } catch (const Error&) {
    out << copied;
    throw;
  }
  out << copied;
  return 0;
}

}  // namespace tool::tfrecord
