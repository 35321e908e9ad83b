// info and verify.
#include <algorithm>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/io/files/file_advice.h"
#include "systolic/io/records/tf_example.h"
#include "tools/systolic/tfrecord/commands.h"
#include "tools/systolic/tfrecord/files.h"
#include "tools/systolic/tfrecord/progress.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

struct FileInfo {
  io::TFRecordCounts counts;
  io::Compression compression = io::Compression::none;
  uint64_t file_bytes = 0;
  uint64_t smallest = UINT64_MAX, largest = 0;
  std::string first, damage;
};

std::string content_of(std::string_view record) {
  try {
    return to_string(io::decode_example(record));
  } catch (const DataLoss&) {
    return str(record.size(), " bytes that are no tf.Example");
  }
}

// The reader's words, without its advice to a programmer.
std::string damage_text(const DataLoss& error) {
  const ErrorReport& report = error.report();
  std::string text = report.what;
  if (!report.got.empty()) text += str(", got ", report.got);
  if (!report.wanted.empty()) text += str(", expected ", report.wanted);
  return text;
}

FileInfo inspect(const std::string& file, Progress& progress) {
  FileInfo result;
  result.file_bytes = bytes_of(file);
  result.compression = compression_of(file);
  FileProgress of_file(progress, result.file_bytes);
  io::TFRecordReader reader =
      open_reader(file, io::OnCorrupt::skip_record,
                  [&](const DataLoss& error) { result.damage = damage_text(error); });
  for (std::string_view record; reader.next(record);) {
    of_file.record(record.size());
    if (result.first.empty()) result.first = content_of(record);
    result.smallest = std::min<uint64_t>(result.smallest, record.size());
    result.largest = std::max<uint64_t>(result.largest, record.size());
  }
  result.counts = reader.counts();
  of_file.finish();
  return result;
}

std::vector<FileInfo> inspect_all(const Files& files) {
  uint64_t bytes = 0;
  for (const std::string& file : files) bytes += bytes_of(file);
  std::vector<FileInfo> infos(files.size());
  Progress progress("bytes", bytes);
  parallel(static_cast<int64_t>(files.size()), processors(), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    infos[at] = inspect(files[at], progress);
  });
  return infos;
}

std::string sizes_of(const FileInfo& info) {
  if (info.counts.records == 0) return "";
  const auto text = [](uint64_t bytes) { return bytes_text(static_cast<int64_t>(bytes)); };
  return str(", records of ", text(info.smallest), " to ", text(info.largest));
}

}  // namespace

int info(const Files& patterns, int64_t cores, std::ostream& out) {
  const Files files = expand(patterns);
  const std::vector<FileInfo> infos = inspect_all(files);
  int64_t records = 0;
  uint64_t bytes = 0;
  std::string features;
  bool damaged = false;
  for (size_t i = 0; i < files.size(); ++i) {
    const FileInfo& info = infos[i];
    out << files[i] << ": " << counted(info.counts.records, "record") << ", "
        << bytes_text(static_cast<int64_t>(info.file_bytes));
    if (info.compression != io::Compression::none) out << " " << to_string(info.compression);
    out << sizes_of(info);
    if (info.counts.corrupt_records > 0) out << ", " << info.counts.corrupt_records << " damaged";
    if (!info.damage.empty()) out << ": " << info.damage;
    out << "\n";
    records += info.counts.records;
    bytes += info.file_bytes;
    damaged = damaged || !info.damage.empty();
    if (features.empty()) features = info.first;
  }
  out << counted(static_cast<int64_t>(files.size()), "file") << ", " << counted(records, "record")
      << ", " << bytes_text(static_cast<int64_t>(bytes)) << "\n";
  if (!features.empty()) out << "the first record: " << features << "\n";
  if (records == 0) out << "warning: there are no records\n";
  const std::string warning = io::advice_on_files(files.size(), bytes, cores);
  if (!warning.empty()) out << "warning: " << warning << "\n";
  return damaged ? 1 : 0;
}

int verify(const Files& patterns, std::ostream& out) {
  const Files files = expand(patterns);
  const std::vector<FileInfo> infos = inspect_all(files);
  int64_t damaged_files = 0, empty_files = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const FileInfo& info = infos[i];
    const int64_t records = info.counts.records;
    out << files[i] << ": ";
    if (!info.damage.empty()) {
      ++damaged_files;
      out << counted(records, "record") << (records == 1 ? " is" : " are") << " whole, "
          << info.counts.corrupt_records << " damaged: " << info.damage << "\n";
    } else if (records == 0) {
      ++empty_files;
      out << "no records\n";
    } else {
      out << counted(records, "record") << ", both checksums of each are right\n";
    }
  }
  if (damaged_files > 0) {
    out << damaged_files << " of " << counted(static_cast<int64_t>(files.size()), "file")
        << (damaged_files == 1 ? " is" : " are")
        << " damaged; systolic tfrecord repair keeps what is whole\n";
  }
  return damaged_files + empty_files > 0 ? 1 : 0;
}

}  // namespace tool::tfrecord
