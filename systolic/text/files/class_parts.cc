#include "systolic/text/files/class_parts.h"

#include <nlohmann/json.hpp>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr const char* spaces_and_bytes =
    R"({"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},)"
    R"({"type":"Fuse"})";

ClassParts llama_parts(const JsonView& config) {
  const bool prefix = config.boolean_or("add_prefix_space", true);
  const char* scheme = !prefix ? "never" : config.boolean_or("legacy", false) ? "always" : "first";
  const char* strip = prefix ? R"(,{"type":"Strip","content":" ","start":1,"stop":0})" : "";
  return {.pre_tokenizer = str(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":")",
                               scheme, R"(","split":false})"),
          .decoder = str(R"({"type":"Sequence","decoders":[)", spaces_and_bytes, strip, "]}")};
}

ClassParts gemma_parts() {
  return {.normalizer = R"({"type":"Replace","pattern":{"String":" "},"content":"▁"})",
          .pre_tokenizer = R"({"type":"Split","pattern":{"String":" "},)"
                           R"("behavior":"MergedWithPrevious","invert":false})",
          .decoder = str(R"({"type":"Sequence","decoders":[)", spaces_and_bytes, "]}")};
}

// Its decoder joins bytes alone; a method of the class then makes words of what ends with </w>.
ClassParts clip_parts() {
  constexpr const char* pattern =
      R"(<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|)"
      R"([^\\s\\p{L}\\p{N}]+)";
  constexpr const char* byte_level =
      R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true})";
  return {.normalizer = R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Replace",)"
                        R"("pattern":{"Regex":"\\s+"},"content":" "},{"type":"Lowercase"}]})",
          .pre_tokenizer =
              str(R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":")",
                  pattern, R"("},"behavior":"Removed","invert":true},)", byte_level, "]}"),
          .decoder = str(R"({"type":"Sequence","decoders":[)", byte_level,
                         R"(,{"type":"Replace","pattern":{"String":"</w>"},"content":" "},)",
                         R"({"type":"Strip","content":" ","start":1000000,"stop":1000000}]})")};
}

bool same(const Component* component, const std::string& json) {
  using Json = nlohmann::json;
  return Json::parse(component == nullptr ? "null" : component->config) == Json::parse(json);
}

// Replaces a part, by `make`, where it is another.
template <class Part, class Make>
bool replace(std::unique_ptr<Part>& part, const std::string& json, Make make) {
  if (same(part.get(), json)) return false;
  const auto file = JsonFile::parse(json, "the tokenizer's class");
  part = json == "null" ? nullptr : make(file->root());
  return true;
}

}  // namespace

ClassParts deberta_parts(const JsonView& config) {
  const bool prefix = config.boolean_or("add_prefix_space", true);
  const std::string metaspace = str(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":")",
                                    prefix ? "always" : "first", R"(","split":true})");
  const char* lower = config.boolean_or("do_lower_case", false) ? R"({"type":"Lowercase"},)" : "";
  const char* punctuation = config.boolean_or("split_by_punct", false)
                                ? R"({"type":"Punctuation","behavior":"Isolated"},)"
                                : "";
  return {
      .normalizer =
          str(R"({"type":"Sequence","normalizers":[)", lower,
              R"({"type":"Replace","pattern":{"Regex":"\\s{2,}|[\\n\\r\\t]"},"content":" "},)",
              R"({"type":"NFC"},{"type":"Strip","strip_left":false,"strip_right":true}]})"),
      .pre_tokenizer = str(R"({"type":"Sequence","pretokenizers":[)", punctuation, metaspace, "]}"),
      .decoder = metaspace};
}

bool is_rebuilt(const std::string& tokenizer_class) {
  return tokenizer_class == "LlamaTokenizer" || tokenizer_class == "GemmaTokenizer" ||
         tokenizer_class == "CLIPTokenizer" || tokenizer_class == "DebertaV2Tokenizer";
}

bool apply_class_parts(Tokenizer::State& state, const OlderFolder& folder) {
  const std::string& name = folder.tokenizer_class;
  ClassParts parts;
  if (name == "LlamaTokenizer") {
    parts = llama_parts(folder.config);
  } else if (name == "GemmaTokenizer") {
    parts = gemma_parts();
  } else if (name == "CLIPTokenizer") {
    parts = clip_parts();
  } else if (name == "DebertaV2Tokenizer") {
    parts = deberta_parts(folder.config);
  } else {
    return false;
  }
  bool changed = replace(state.normalizer, parts.normalizer, make_normalizer);
  changed |= replace(state.pre_tokenizer, parts.pre_tokenizer, make_pre_tokenizer);
  changed |= replace(state.decoder, parts.decoder, make_decoder);
  return changed;
}

bool is_of_bytes(const Tokenizer::State& state) {
  const Component* part = state.pre_tokenizer.get();
  return part != nullptr && part->config.find("\"ByteLevel\"") != std::string::npos;
}

}  // namespace text
}  // namespace systolic::inline v0
