#include "systolic/train/callbacks/tensor_board.h"

#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/io/encoding/protobuf_wire.h"
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

template <class Bits>
void append_fixed(uint32_t field, io::WireType type, Bits bits, std::string& out) {
  io::append_tag(field, type, out);
  for (size_t i = 0; i < sizeof bits; ++i) out += static_cast<char>(bits >> (8 * i) & 0xff);
}

void append_text(uint32_t field, const std::string& text, std::string& out) {
  io::append_bytes_header(field, text.size(), out);
  out += text;
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// An event at this moment.
std::string event(int64_t step) {
  std::string out;
  append_fixed(event_field::wall_time, io::WireType::fixed64,
               std::bit_cast<uint64_t>(seconds_since_1970()), out);
  io::append_tag(event_field::step, io::WireType::varint, out);
  io::append_varint(static_cast<uint64_t>(step), out);
  return out;
}

std::string scalars(int64_t step, const Logs& logs) {
  std::string summary;
  for (const auto& [name, number] : logs) {
    std::string value;
    append_text(summary_field::tag, "epoch_" + name, value);
    append_fixed(summary_field::simple_value, io::WireType::fixed32,
                 std::bit_cast<uint32_t>(static_cast<float>(number)), value);
    append_text(summary_field::value, value, summary);
  }
  std::string out = event(step);
  append_text(event_field::summary, summary, out);
  return out;
}

// One of the folders.
class Events {
 public:
  Events() = default;
  Events(const std::string& folder, const std::string& name, SourceLocation location)
      : path_(str(folder, "/", name)), location_(location) {
    std::string first = event(0);
    append_text(event_field::file_version, "brain.Event:2", first);
    records_.push_back(std::move(first));
  }
  void add(int64_t epoch, const Logs& logs) {
    if (logs.empty()) return;
    records_.push_back(scalars(epoch, logs));
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
