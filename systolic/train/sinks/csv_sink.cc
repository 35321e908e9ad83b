#include "systolic/train/sinks/csv_sink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {
namespace {

class CSVSink : public EventSink {
 public:
  explicit CSVSink(CSVSinkOptions options) : options_(std::move(options)) {}

  void handle(const events::Moment& /*at*/, const Event& event) override {
    if (std::holds_alternative<events::RunBegin>(event)) begin();
    const auto* end = std::get_if<events::EpochEnd>(&event);
    if (end != nullptr && !end->cut_short) add(end->epoch, end->logs);
  }

 private:
  void begin() {
    names_.clear();
    io::make_folder_of(options_.filename, options_.location);
    const bool goes_on = options_.append && io::exists(options_.filename, options_.location);
    lines_ = goes_on ? io::read_file(options_.filename, options_.location) : "";
    has_header_ = !lines_.empty();
    if (has_header_ && lines_.back() != '\n') lines_ += '\n';
  }

  void add(int epoch, const Logs& logs) {
    if (names_.empty()) {
      for (const auto& one : logs) names_.push_back(one.first);
      if (!has_header_) lines_ += line("epoch", names_);
    }
    std::vector<std::string> values;
    for (const std::string& name : names_) {
      const auto found = std::find_if(logs.begin(), logs.end(),
                                      [&](const auto& one) { return one.first == name; });
      values.push_back(found == logs.end() ? "NA" : str(found->second));
    }
    lines_ += line(str(epoch), values);
    io::write_file(options_.filename, lines_, options_.location);
  }

  std::string line(const std::string& first, const std::vector<std::string>& rest) const {
    std::string text = first;
    for (const std::string& one : rest) text += options_.separator + one;
    return text + "\n";
  }

  CSVSinkOptions options_;
  std::vector<std::string> names_;
  std::string lines_;
  bool has_header_ = false;
};

}  // namespace

EventSinkPtr csv_sink(CSVSinkOptions options) {
  return std::make_shared<CSVSink>(std::move(options));
}

}  // namespace systolic::inline v0
