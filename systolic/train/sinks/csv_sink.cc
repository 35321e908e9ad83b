#include "systolic/train/sinks/csv_sink.h"

#include <algorithm>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *first_column = "epoch", *no_value = "NA";

}  // namespace

void CSVSink::handle(const events::Moment& /*at*/, const Event& event) {
  if (std::holds_alternative<events::RunBegin>(event)) begin();
  const auto* end = std::get_if<events::EpochEnd>(&event);
  if (end != nullptr && !end->cut_short) add(end->epoch, end->logs);
}

void CSVSink::begin() {
  io::make_folder_of(options_.filename, options_.location);
  const bool goes_on = options_.append && io::exists(options_.filename, options_.location);
  set_lines(goes_on ? io::read_file(options_.filename, options_.location) : "");
}

void CSVSink::set_lines(const std::string& lines) {
  lines_ = lines;
  if (!lines_.empty() && lines_.back() != '\n') lines_ += '\n';
  const std::string header = lines_.substr(0, lines_.find_first_of("\r\n"));
  names_.clear();
  size_t begin = header.find(options_.separator);
  while (begin < header.size() && !options_.separator.empty()) {
    begin += options_.separator.size();
    const size_t end = std::min(header.find(options_.separator, begin), header.size());
    names_.push_back(header.substr(begin, end - begin));
    begin = end;
  }
}

// The lines before have nothing there.
void CSVSink::add_columns(const Logs& logs) {
  std::vector<std::string> more;
  for (const auto& one : logs) {
    if (std::find(names_.begin(), names_.end(), one.first) == names_.end())
      more.push_back(one.first);
  }
  if (lines_.empty()) lines_ = line(first_column, {});
  if (more.empty()) return;
  const std::string names = line("", more),
                    nothing = line("", std::vector<std::string>(more.size(), no_value));
  std::string longer;
  for (size_t at = 0; at < lines_.size();) {
    const size_t end = lines_.find('\n', at);
    const bool returns = end > at && lines_[end - 1] == '\r';
    longer += lines_.substr(at, end - at - (returns ? 1 : 0)) + (at == 0 ? names : nothing);
    at = end + 1;
  }
  lines_ = longer;
  names_.insert(names_.end(), more.begin(), more.end());
}

void CSVSink::add(int epoch, const Logs& logs) {
  add_columns(logs);
  std::vector<std::string> values;
  for (const std::string& name : names_) {
    const auto found =
        std::find_if(logs.begin(), logs.end(), [&](const auto& one) { return one.first == name; });
    values.push_back(found == logs.end() ? no_value : str(found->second));
  }
  lines_ += line(str(epoch), values);
  io::write_file(options_.filename, lines_, options_.location);
}

std::string CSVSink::line(const std::string& first, const std::vector<std::string>& rest) const {
  std::string text = first;
  for (const std::string& one : rest) text += options_.separator + one;
  return text + "\n";
}

}  // namespace systolic::inline v0
