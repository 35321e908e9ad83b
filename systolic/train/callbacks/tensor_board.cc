#include "systolic/train/callbacks/tensor_board.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "systolic/train/model/model.h"

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
class Events {
 public:
  Events() = default;
  Events(const std::string& folder, const std::string& name, SourceLocation location)
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

class Board : public Callback {
 public:
  explicit Board(TensorBoard options) : options_(std::move(options)) {}

  void on_train_begin() override {
    static std::atomic<int> serial{0};
    const std::string name = str("events.out.tfevents.", static_cast<int64_t>(seconds_since_1970()),
                                 ".", ::getpid(), ".", serial++, ".v2");
    train_ = Events(options_.log_dir + "/train", name, options_.location);
    validation_ = Events(options_.log_dir + "/validation", name, options_.location);
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    constexpr std::string_view prefix = "val_";
    Logs training, validation;
    for (const auto& [name, value] : logs) {
      if (name.starts_with(prefix)) {
        validation.emplace_back(name.substr(prefix.size()), value);
      } else {
        training.emplace_back(name, value);
      }
    }
    training.emplace_back("learning_rate", model().optimizer().learning_rate().item<double>());
    train_.add(epoch, training);
    validation_.add(epoch, validation);
  }

 private:
  TensorBoard options_;
  Events train_, validation_;
};

}  // namespace

TensorBoard::operator CallbackPtr() const { return std::make_shared<Board>(*this); }

}  // namespace systolic::inline v0
