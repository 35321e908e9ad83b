#include "systolic/train/callbacks/csv_logger.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {
namespace {

class Logger : public Callback {
 public:
  explicit Logger(CSVLogger options) : options_(std::move(options)) {}

  void on_train_begin() override {
    names_.clear();
    io::make_folder_of(options_.filename, options_.location);
    const bool goes_on = options_.append && io::exists(options_.filename, options_.location);
    lines_ = goes_on ? io::read_file(options_.filename, options_.location) : "";
    has_header_ = !lines_.empty();
    if (has_header_ && lines_.back() != '\n') lines_ += '\n';
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
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

 private:
  std::string line(const std::string& first, const std::vector<std::string>& rest) const {
    std::string text = first;
    for (const std::string& one : rest) text += options_.separator + one;
    return text + "\n";
  }

  CSVLogger options_;
  std::vector<std::string> names_;
  std::string lines_;
  bool has_header_ = false;
};

}  // namespace

CSVLogger::operator CallbackPtr() const { return std::make_shared<Logger>(*this); }

}  // namespace systolic::inline v0
