#include "systolic/train/sinks/event_file.h"

#include <unistd.h>

#include <atomic>
#include <chrono>

#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"
#include "systolic/io/encoding/crc32c.h"

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

EventFile::EventFile(const std::string& folder, SourceLocation location) {
  static std::atomic<int> serial{0};
  file_ = {str(folder, "/events.out.tfevents.", static_cast<int64_t>(seconds_since_1970()), ".",
               ::getpid(), ".", serial++, ".v2"),
           true, location};
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
  file_.append(records);
  begun_ = true;
}

}  // namespace systolic::inline v0
