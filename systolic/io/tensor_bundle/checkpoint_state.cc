#include "systolic/io/tensor_bundle/checkpoint_state.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/read_range.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint64_t most_state_bytes = uint64_t{1} << 24;

std::string state_path(const std::string& folder) { return folder + "/checkpoint"; }

// Fields of protobuf's text format, of which this file has texts and numbers.
class StateReader {
 public:
  StateReader(std::string_view text, std::string path, SourceLocation location)
      : text_(text), path_(std::move(path)), location_(location) {}

  // The next field; false at the end.
  bool next(std::string& name, std::string& value) {
    skip_space();
    if (at_ == text_.size()) return false;
    name = word(":");
    skip_space();
    if (at_ == text_.size() || text_[at_] != ':') fail("a name without a value");
    ++at_;
    skip_space();
    const bool quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    value = quoted ? quoted_text() : word("");
    if (name.empty() || (value.empty() && !quoted)) fail("a name without a value");
    return true;
  }

  [[noreturn]] void fail(std::string_view what) const {
    raise<DataLoss>({.what = str("'", path_, "': byte ", at_, ": ", what),
                     .wanted = "the file that TensorFlow and Checkpoint write",
                     .location = location_});
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  std::string word(std::string_view end) {
    const size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) &&
           end.find(text_[at_]) == std::string_view::npos)
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  char taken() {
    if (at_ == text_.size()) fail("a text without an end");
    return text_[at_++];
  }
  std::string quoted_text() {
    const char quote = text_[at_++];
    std::string value;
    for (char c = taken(); c != quote; c = taken()) value += c == '\\' ? escaped_character() : c;
    return value;
  }
  char escaped_character() {
    static constexpr std::string_view letters = "abfnrtv", meant = "\a\b\f\n\r\t\v";
    const char c = taken();
    const size_t letter = letters.find(c);
    if (letter != std::string_view::npos) return meant[letter];
    if (c < '0' || c > '7') return c;
    int code = c - '0';
    for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++i)
      code = code * 8 + (text_[at_++] - '0');
    return static_cast<char>(code);
  }

  std::string_view text_;
  std::string path_;
  SourceLocation location_;
  size_t at_ = 0;
};

// A name of the file as a path in the folder. TensorFlow writes whole paths, too.
std::string inside(const std::string& folder, const std::string& name, const StateReader& reader) {
  const std::string above = folder + "/";
  const std::string own = name.starts_with(above) ? name.substr(above.size()) : name;
  const std::vector<std::string> parts = split(own, '/');
  if (own.empty() || own[0] == '/' || !scheme_of(own).empty() ||
      std::find(parts.begin(), parts.end(), "..") != parts.end())
    reader.fail(str("'", name, "' is not in the folder"));
  return above + own;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    char code[8];
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
      std::snprintf(code, sizeof(code), "\\%03o", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

std::optional<CheckpointState> read_checkpoint_state(const std::string& folder,
                                                     SourceLocation location) {
  const std::string path = state_path(folder);
  if (!exists(path, location)) return std::nullopt;
  const std::string text = read_file_of_at_most(path, most_state_bytes, location);
  StateReader reader(text, path, location);
  CheckpointState state;
  std::string name, value;
  const auto number = [&] {
    double result = 0;
    if (!parse_number(value, result)) reader.fail(str("'", value, "' is no time"));
    return result;
  };
  while (reader.next(name, value)) {
    if (name == "model_checkpoint_path") state.latest = inside(folder, value, reader);
    if (name == "all_model_checkpoint_paths") state.all.push_back(inside(folder, value, reader));
    if (name == "all_model_checkpoint_timestamps") state.timestamps.push_back(number());
    if (name == "last_preserved_timestamp") state.last_preserved = number();
  }
  if (!state.timestamps.empty() && state.timestamps.size() != state.all.size())
    reader.fail(str(state.timestamps.size(), " times of ", state.all.size(), " checkpoints"));
  return state;
}

void write_checkpoint_state(const std::string& folder, const CheckpointState& state,
                            SourceLocation location) {
  const auto own = [&](const std::string& path) {
    return quoted_name(path.starts_with(folder + "/") ? path.substr(folder.size() + 1) : path);
  };
  std::string text = str("model_checkpoint_path: ", own(state.latest), "\n");
  for (const std::string& path : state.all)
    text += str("all_model_checkpoint_paths: ", own(path), "\n");
  for (const double time : state.timestamps)
    text += str("all_model_checkpoint_timestamps: ", fixed(time, 6), "\n");
  if (state.last_preserved > 0)
    text += str("last_preserved_timestamp: ", fixed(state.last_preserved, 6), "\n");
  write_file(state_path(folder), text, location);
}

}  // namespace io

std::string latest_checkpoint(const std::string& folder, SourceLocation location) {
  const std::optional<io::CheckpointState> state = io::read_checkpoint_state(folder, location);
  if (!state || state->latest.empty()) return "";
  return io::exists(state->latest + ".index", location) ? state->latest : "";
}

}  // namespace systolic::inline v0
