#include "tools/systolic/fine_tune/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/read_range.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

using Json = nlohmann::json;

// As Python prints round(value, 4).
std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  std::string text = fixed(value, 4);
  while (text.ends_with('0') && text[text.size() - 2] != '.') text.pop_back();
  return text == "-0.0" ? "0.0" : text;
}

std::string two_digits(int64_t value) { return str(value < 10 ? "0" : "", value); }

// "0:01:23.45"
std::string duration_text(double seconds) {
  const auto hundredths = static_cast<int64_t>(seconds * 100);
  const int64_t whole = hundredths / 100;
  return str(whole / 3600, ":", two_digits(whole / 60 % 60), ":", two_digits(whole % 60), ".",
             two_digits(hundredths % 100));
}

std::string text_of(const std::string& name, const Measure& measure) {
  if (const auto* whole = std::get_if<int64_t>(&measure)) return str(*whole);
  const double value = std::get<double>(measure);
  return name.find("_runtime") == std::string::npos ? number_text(value) : duration_text(value);
}

Json json_of(const Measures& measures) {
  Json json = Json::object();
  for (const auto& [name, measure] : measures)
    std::visit([&, key = name](auto value) { json[key] = value; }, measure);
  return json;
}

void write_json(const std::string& path, const Json& json) {
  constexpr int indent = 4;
  io::write_file(path, json.dump(indent) + "\n");
}

}  // namespace

void print_measures(const std::string& split, const Measures& measures, std::ostream& out) {
  std::map<std::string, std::string> lines;
  size_t longest_name = 0, longest_text = 0;
  for (const auto& [name, measure] : measures) {
    const std::string& text = lines[name] = text_of(name, measure);
    longest_name = std::max(longest_name, name.size());
    longest_text = std::max(longest_text, text.size());
  }
  out << "***** " << split << " metrics *****\n";
  for (const auto& [name, text] : lines) {
    out << "  " << name << std::string(longest_name - name.size(), ' ') << " = "
        << std::string(longest_text - text.size(), ' ') << text << "\n";
  }
  out.flush();
}

void write_measures(const std::string& split, const Measures& measures, const std::string& folder) {
  constexpr uint64_t most_bytes = uint64_t{1} << 24;
  const Json json = json_of(measures);
  write_json(str(folder, "/", split, "_results.json"), json);
  const std::string path = folder + "/all_results.json";
  Json all = Json::object();
  if (io::exists(path)) {
    all = Json::parse(io::read_file_of_at_most(path, most_bytes, {}), nullptr, false);
    if (!all.is_object())
      raise<DataLoss>({.what = str("'", path, "' is no JSON object"), .hint = "remove it"});
  }
  all.update(json);
  write_json(path, all);
}

void write_losses(const History& history, double epochs, const std::string& folder) {
  Json steps = Json::array();
  const size_t count = history.step_losses.size();
  for (size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i + 1) / static_cast<double>(count);
    steps.push_back({{"step", i + 1}, {"epoch", part * epochs}, {"loss", history.step_losses[i]}});
  }
  write_json(folder + "/trainer_state.json",
             {{"global_step", count}, {"num_train_epochs", epochs}, {"log_history", steps}});
}

}  // namespace tool::fine_tune
