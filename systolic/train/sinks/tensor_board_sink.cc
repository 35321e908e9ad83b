#include "systolic/train/sinks/tensor_board_sink.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic::inline v0 {
namespace {

// Field numbers of tensorboard/compat/proto: event.proto and summary.proto.
namespace event_field {
constexpr uint32_t wall_time = 1, step = 2, file_version = 3, summary = 5;
}
namespace summary_field {
constexpr uint32_t value = 1, tag = 1, simple_value = 2;
}

using protobuf::Message;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// An event at this moment.
Message event(int64_t step) {
  return Message()
      .real(event_field::wall_time, seconds_since_1970())
      .integer(event_field::step, step);
}

Message scalars(int64_t step, const Logs& logs) {
  Message summary;
  for (const auto& [name, number] : logs) {
    summary.message(summary_field::value,
                    Message()
                        .bytes(summary_field::tag, "epoch_" + name)
                        .real(summary_field::simple_value, static_cast<float>(number)));
  }
  return event(step).message(event_field::summary, summary);
}

// One of the folders.
class EventFile {
 public:
  EventFile() = default;
  EventFile(const std::string& folder, const std::string& name, SourceLocation location)
      : path_(str(folder, "/", name)), location_(location) {
    records_.push_back(event(0).bytes(event_field::file_version, "brain.Event:2").data());
  }
  void add(int64_t epoch, const Logs& logs) {
    if (logs.empty()) return;
    records_.push_back(scalars(epoch, logs).data());
    io::make_folder_of(path_, location_);
    io::TFRecordWriter writer(path_, {}, location_);
    for (const std::string& record : records_) writer.write(record);
    writer.close();
  }

 private:
  std::string path_;
  SourceLocation location_;
  std::vector<std::string> records_;
};

class Board : public EventSink {
 public:
  Board(std::string log_dir, SourceLocation location)
      : log_dir_(std::move(log_dir)), location_(location) {}

  void handle(const events::Moment& /*at*/, const Event& event) override {
    if (const auto* run = std::get_if<events::RunBegin>(&event)) begin(*run);
    const auto* end = std::get_if<events::EpochEnd>(&event);
    if (end != nullptr && !end->cut_short) add(end->epoch, end->logs);
  }

 private:
  void begin(const events::RunBegin& run) {
    read_learning_rate_ = run.read_learning_rate;
    static std::atomic<int> serial{0};
    const std::string name = str("events.out.tfevents.", static_cast<int64_t>(seconds_since_1970()),
                                 ".", ::getpid(), ".", serial++, ".v2");
    train_ = EventFile(log_dir_ + "/train", name, location_);
    validation_ = EventFile(log_dir_ + "/validation", name, location_);
  }

  void add(int epoch, const Logs& logs) {
    constexpr std::string_view prefix = "val_";
    Logs training, validation;
    for (const auto& [name, value] : logs) {
      if (name.starts_with(prefix)) {
        validation.emplace_back(name.substr(prefix.size()), value);
      } else {
        training.emplace_back(name, value);
      }
    }
    if (read_learning_rate_) training.emplace_back("learning_rate", read_learning_rate_());
    train_.add(epoch, training);
    validation_.add(epoch, validation);
  }

  std::string log_dir_;
  SourceLocation location_;
  std::function<double()> read_learning_rate_;
  EventFile train_, validation_;
};

}  // namespace

EventSinkPtr tensor_board_sink(std::string log_dir, SourceLocation location) {
  return std::make_shared<Board>(std::move(log_dir), location);
}

}  // namespace systolic::inline v0
