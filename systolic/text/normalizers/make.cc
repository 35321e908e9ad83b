#include "systolic/text/normalizers/make.h"

#include "systolic/base/error.h"
#include "systolic/text/normalizers/bert.h"

namespace systolic::inline v0 {
namespace text {
namespace {

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(const JsonView& json) {
    for (size_t i = 0; i < json.size(); ++i) parts_.push_back(make_normalizer(json[i]));
  }
  void normalize(NormalizedText& text) const override {
    for (const auto& part : parts_) part->normalize(text);
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> parts_;
};

std::unique_ptr<Normalizer> make(const std::string& type, const JsonView& json) {
  if (type == "BertNormalizer") return std::make_unique<BertNormalizer>(json);
  if (type == "Sequence") return std::make_unique<NormalizerSequence>(json.at("normalizers"));
  if (type == "Precompiled") return make_precompiled(json);
  return make_simple_normalizer(type, json);
}

}  // namespace

std::unique_ptr<Normalizer> make_normalizer(const JsonView& json) {
  const std::string type = json.at("type").string();
  auto normalizer = make(type, json);
  if (normalizer == nullptr) {
    raise<Unimplemented>({.what = str(json.path(), " has the type '", type, "'"),
                          .wanted = "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, "
                                    "Nmt, Precompiled, Prepend, Replace, Sequence, Strip or "
                                    "StripAccents"});
  }
  return with_config(std::move(normalizer), json);
}

}  // namespace text
}  // namespace systolic::inline v0
