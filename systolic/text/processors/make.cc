#include "systolic/text/processors/make.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {
namespace {

class PostProcessorSequence : public PostProcessor {
 public:
  explicit PostProcessorSequence(const JsonView& json) {
    for (size_t i = 0; i < json.size(); ++i) parts_.push_back(make_post_processor(json[i]));
  }

  size_t added_tokens(bool pair) const override {
    size_t tokens = 0;
    for (const auto& part : parts_) tokens += part->added_tokens(pair);
    return tokens;
  }

  bool keeps_offsets() const override {
    for (const auto& part : parts_) {
      if (!part->keeps_offsets()) return false;
    }
    return true;
  }

  std::vector<Encoding> process(std::vector<Encoding> encodings,
                                bool add_special_tokens) const override {
    for (const auto& part : parts_) {
      const size_t texts = encodings.size();
      if (texts > 2) {
        raise<InvalidArgument>(
            {.what = str("the post-processor ", part->type, " is given ", texts, " parts"),
             .wanted = "one or two",
             .hint = "put the one that adds special tokens last"});
      }
      encodings = part->process(std::move(encodings), add_special_tokens);
    }
    return encodings;
  }

 private:
  std::vector<std::unique_ptr<PostProcessor>> parts_;
};

std::unique_ptr<PostProcessor> make(const std::string& type, const JsonView& json) {
  if (type == "TemplateProcessing") return make_template(json);
  if (type == "BertProcessing") return make_bert_processing(json);
  if (type == "RobertaProcessing") return make_roberta_processing(json);
  if (type == "ByteLevel") return make_byte_level_processing(json);
  if (type == "Sequence") return std::make_unique<PostProcessorSequence>(json.at("processors"));
  return nullptr;
}

}  // namespace

std::unique_ptr<PostProcessor> make_post_processor(const JsonView& json) {
  const std::string type = json.at("type").string();
  auto processor = make(type, json);
  if (processor == nullptr) {
    raise<Unimplemented>({.what = str(json.path(), " has the type '", type, "'"),
                          .wanted = "BertProcessing, ByteLevel, RobertaProcessing, Sequence or "
                                    "TemplateProcessing"});
  }
  return with_config(std::move(processor), json);
}

}  // namespace text
}  // namespace systolic::inline v0
