#include "systolic/base/error.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "tools/systolic/tfrecord/source.h"
#include "tools/systolic/tfrecord/text_file.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

FeaturesJson named_feature(const char* name, const FeaturesJson& value, const char* member) {
  return {{"pythonClassName", str("tensorflow_datasets.core.features.", name)}, {member, value}};
}

std::vector<std::string_view> lines_of(const TextFile& file) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < file.text().size();) {
    const std::string_view line = file.line(at);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

Source text_source(const std::string& path) {
  const auto file = std::make_shared<const TextFile>(path);
  std::vector<std::string_view> lines = lines_of(*file);
  Source source;
  source.records = static_cast<int64_t>(lines.size());
  source.bytes = file->text().size();
  source.features["text"] = text_feature();
  source.at = [file, lines = std::move(lines)](int64_t i) {
    return Example{{"text", Literal::scalar(lines[static_cast<size_t>(i)])}};
  };
  return source;
}

Source token_source(const std::string& path, const std::string& tokenizer_folder) {
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(tokenizer_folder, {});
  const auto file = std::make_shared<const TextFile>(path);
  std::vector<std::string_view> lines = lines_of(*file);
  Source source;
  source.records = static_cast<int64_t>(lines.size());
  source.bytes = file->text().size() / 2;  // four characters a token, which takes two bytes
  source.features["input_ids"] = feature_of(Kind::integer, true);
  source.at = [file, tokenizer, lines = std::move(lines)](int64_t i) {
    const Encoding encoding =
        tokenizer.encode(lines[static_cast<size_t>(i)], {.offsets = false}, {});
    const std::vector<int64_t> ids(encoding.ids.begin(), encoding.ids.end());
    return Example{{"input_ids", Literal::from(ids, Shape{static_cast<int64_t>(ids.size())})}};
  };
  return source;
}

FeaturesJson text_feature() {
  return named_feature("text_feature.Text", FeaturesJson::object(), "text");
}

FeaturesJson tensor_feature(const std::string& dtype, const std::vector<int64_t>& shape) {
  FeaturesJson dimensions = FeaturesJson::array();
  for (const int64_t size : shape) dimensions.push_back(str(size));
  FeaturesJson of_shape = FeaturesJson::object();
  if (!shape.empty()) of_shape["dimensions"] = dimensions;
  return named_feature("tensor_feature.Tensor",
                       {{"shape", of_shape}, {"dtype", dtype}, {"encoding", "none"}}, "tensor");
}

FeaturesJson feature_of(Kind kind, bool list) {
  if (kind == Kind::text && !list) return text_feature();
  const char* dtype = kind == Kind::text ? "string" : kind == Kind::integer ? "int64" : "float32";
  return tensor_feature(dtype, list ? std::vector<int64_t>{-1} : std::vector<int64_t>());
}

}  // namespace tool::tfrecord
