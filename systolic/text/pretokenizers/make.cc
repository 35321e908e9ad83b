#include "systolic/text/pretokenizers/make.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {
namespace {

class PreTokenizerSequence : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(const JsonView& json) {
    for (size_t i = 0; i < json.size(); ++i) parts_.push_back(make_pre_tokenizer(json[i]));
  }
  void pre_tokenize(Pieces& pieces) const override {
    for (const auto& part : parts_) part->pre_tokenize(pieces);
  }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> parts_;
};

std::unique_ptr<PreTokenizer> make(const std::string& type, const JsonView& json) {
  if (type == "Sequence") return std::make_unique<PreTokenizerSequence>(json.at("pretokenizers"));
  if (type == "ByteLevel") return make_byte_level(json);
  if (type == "Metaspace") return make_metaspace(json);
  if (type == "UnicodeScripts") return make_unicode_scripts();
  return make_simple_pre_tokenizer(type, json);
}

}  // namespace

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const JsonView& json) {
  const std::string type = json.at("type").string();
  auto pre_tokenizer = make(type, json);
  if (pre_tokenizer == nullptr) {
    raise<Unimplemented>({.what = str(json.path(), " has the type '", type, "'"),
                          .wanted = "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, "
                                    "FixedLength, Metaspace, Punctuation, Sequence, Split, "
                                    "UnicodeScripts, Whitespace or WhitespaceSplit"});
  }
  return with_config(std::move(pre_tokenizer), json);
}

}  // namespace text
}  // namespace systolic::inline v0
