// cat and head.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/io/encoding/base64.h"
#include "systolic/io/records/tf_example.h"
#include "tools/systolic/tfrecord/commands.h"
#include "tools/systolic/tfrecord/files.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

using Json = nlohmann::ordered_json;

// protobuf.dev/programming-guides/json: bytes in base64, 64-bit integers as text.
Json feature_json(const Literal& value) {
  Json values = Json::array();
  switch (value.dtype()) {
    case DType::string:
      for (int64_t i = 0; i < value.size(); ++i) values.push_back(io::base64(value.string_at(i)));
      return {{"bytesList", {{"value", values}}}};
    case DType::f32:
      for (const float number : value.data<float>()) values.push_back(number);
      return {{"floatList", {{"value", values}}}};
    default:
      for (const int64_t number : value.data<int64_t>()) values.push_back(str(number));
      return {{"int64List", {{"value", values}}}};
  }
}

Json record_json(std::string_view record) {
  try {
    Json features = Json::object();
    for (const auto& [name, value] : io::decode_example(record)) {
      features[name] = feature_json(value);
    }
    return {{"features", {{"feature", features}}}};
  } catch (const DataLoss&) {
    return {{"bytes", io::base64(record)}};
  }
}

// Text as it is where it can be printed.
std::string shown(std::string_view bytes) {
  constexpr size_t most = 60;
  const std::string_view start = bytes.substr(0, most);
  const bool printable = std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 32 && c != 127;
  });
  if (!printable) {
    const std::string_view kind = io::recognize(bytes);
    return str(bytes.size(), " bytes", kind.empty() ? "" : str(" of ", kind));
  }
  return str("\"", start, bytes.size() > most ? str("\"... (", bytes.size(), " bytes)") : "\"");
}

std::string values_text(const Literal& value) {
  constexpr int64_t most = 8;
  std::vector<std::string> texts;
  for (int64_t i = 0; i < std::min(value.size(), most); ++i) {
    const auto at = static_cast<size_t>(i);
    if (value.dtype() == DType::string) {
      texts.push_back(shown(value.string_at(i)));
    } else if (value.dtype() == DType::f32) {
      texts.push_back(str(value.data<float>()[at]));
    } else {
      texts.push_back(str(value.data<int64_t>()[at]));
    }
  }
  if (value.size() > most) texts.push_back(str("... ", value.size(), " in all"));
  return join(texts);
}

void show(std::string_view record, int64_t index, std::ostream& out) {
  out << "record " << index << ", " << bytes_text(static_cast<int64_t>(record.size())) << "\n";
  try {
    for (const auto& [name, value] : io::decode_example(record)) {
      out << "  " << name << ": " << to_string(value.dtype()) << " " << values_text(value) << "\n";
    }
  } catch (const DataLoss&) {
    out << "  no tf.Example: " << shown(record) << "\n";
  }
}

}  // namespace

int cat(const Files& patterns, std::ostream& out) {
  for (const std::string& file : expand(patterns)) {
    advising_repair(file, [&] {
      io::TFRecordReader reader = open_reader(file, io::OnCorrupt::stop);
      for (std::string_view record; reader.next(record);) {
        // Feature names are of any bytes; a reader of JSON wants UTF-8.
        out << record_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
        if (!out) raise<Unavailable>({.what = "cannot write the records: the output is closed"});
      }
    });
  }
  return 0;
}

int head(const Files& patterns, int64_t records, std::ostream& out) {
  const Files files = expand(patterns);
  for (const std::string& file : files) {
    if (files.size() > 1) out << file << "\n";
    advising_repair(file, [&] {
      io::TFRecordReader reader = open_reader(file, io::OnCorrupt::stop);
      std::string_view record;
      for (int64_t i = 0; i < records && reader.next(record); ++i) show(record, i, out);
    });
  }
  return 0;
}

}  // namespace tool::tfrecord
