#include "systolic/train/sinks/event_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {
namespace {

using protobuf::Message;

// Field numbers of tensorboard/compat/proto/event.proto and summary.proto.
namespace event_field {
constexpr uint32_t wall_time = 1, step = 2, file_version = 3, summary = 5, value = 1;
}

Message event_now(int64_t step) {
  return Message()
      .real(event_field::wall_time, seconds_since_1970())
      .integer(event_field::step, step);
}

void append_bytes(std::string& text, const void* bytes, size_t size) {
  text.append(static_cast<const char*>(bytes), size);
}

// Length, its checksum, the bytes, theirs.
void append_record(std::string& records, const std::string& bytes) {
  const uint64_t length = bytes.size();
  const uint32_t length_check = io::mask_crc(io::crc32c(&length, sizeof length));
  const uint32_t check = io::mask_crc(io::crc32c(bytes));
  append_bytes(records, &length, sizeof length);
  append_bytes(records, &length_check, sizeof length_check);
  records += bytes;
  append_bytes(records, &check, sizeof check);
}

}  // namespace

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(const std::string& folder, SourceLocation location) : location_(location) {
  static std::atomic<int> serial{0};
  path_ = str(folder, "/events.out.tfevents.", static_cast<int64_t>(seconds_since_1970()), ".",
              ::getpid(), ".", serial++, ".v2");
}

void EventFile::add(int64_t step, const std::vector<std::string>& values) {
  if (values.empty()) return;
  std::string records;
  if (!begun_) {
    append_record(records, event_now(0).bytes(event_field::file_version, "brain.Event:2").data());
  }
  Message summary;
  for (const std::string& value : values) summary.bytes(event_field::value, value);
  append_record(records, event_now(step).message(event_field::summary, summary).data());
  append(records);
  begun_ = true;
}

void EventFile::append(const std::string& records) {
  if (!io::scheme_of(path_).empty()) {
    whole_ += records;
    io::write_file(path_, whole_, location_);
    return;
  }
  if (file_ == nullptr) open_local();
  errno = 0;
  const bool written =
      std::fwrite(records.data(), 1, records.size(), file_.get()) == records.size() &&
      std::fflush(file_.get()) == 0;
  if (!written) io::raise_file_error("cannot write", path_, errno, location_);
}

void EventFile::open_local() {
  io::make_folder_of(path_, location_);
  file_.reset(std::fopen(path_.c_str(), "abe"));
  if (file_ == nullptr) io::raise_file_error("cannot open", path_, errno, location_);
}

}  // namespace systolic::inline v0
