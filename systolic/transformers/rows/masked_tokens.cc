#include "systolic/transformers/rows/masked_tokens.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/random.h"
#include "systolic/transformers/rows/row_labels.h"

namespace systolic::inline v0 {
namespace {

// Shares of the tokens that are chosen: the others stay as they are.
constexpr double become_masks = 0.8, become_others = 0.1;

double uniform(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

int32_t id_of_mask(const Tokenizer& tokenizer, const std::string& named, SourceLocation location) {
  const std::string role = tokenizer.special_token("mask_token", location).value_or("[MASK]");
  const std::vector<std::string> usual = {role, "[MASK]", "<mask>"};
  const std::vector<std::string> names = named.empty() ? usual : std::vector<std::string>{named};
  for (const std::string& name : names) {
    if (const auto id = tokenizer.token_to_id(name)) return *id;
  }
  raise<NotFound>({.what = str("prepare_dataset: the vocabulary has no token ", names.front()),
                   .wanted = "one that stands for what the model is to predict",
                   .hint = "name it by .mask_token; or tokenizer.add_special_tokens({\"[MASK]\"}) "
                           "and model.resize_token_embeddings(tokenizer.vocab_size())",
                   .location = location});
}

}  // namespace

MaskedTokens::MaskedTokens(const Tokenizer& tokenizer, const MaskedTokensOptions& options,
                           SourceLocation location)
    : probability_(options.probability),
      mask_(id_of_mask(tokenizer, options.mask_token, location)),
      vocabulary_(tokenizer.vocab_size()) {
  if (options.vocabulary > 0)
    vocabulary_ = std::min(vocabulary_, static_cast<uint64_t>(options.vocabulary));
  const auto keep = [&](int32_t id) {
    const auto at = static_cast<size_t>(id);
    if (at >= stays_.size()) stays_.resize(at + 1);
    stays_[at] = true;
  };
  for (const int32_t id : tokenizer.all_special_ids()) keep(id);
  keep(tokenizer.padding(location).id);
}

void MaskedTokens::apply(Example& batch, uint64_t key) const {
  Literal ids = batch["input_ids"];
  Literal labels = Literal::filled(DType::i32, ids.shape(), RowLabels::ignored_label);
  const auto tokens = ids.mutable_data<int32_t>(), wanted = labels.mutable_data<int32_t>();
  uint64_t drawn = 0;
  const auto draw = [&] { return data::random_at(key, drawn++); };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto id = static_cast<size_t>(tokens[i]);
    if (id < stays_.size() && stays_[id]) continue;
    if (uniform(draw()) >= probability_) continue;
    wanted[i] = tokens[i];
    const double what = uniform(draw());
    if (what < become_masks) {
      tokens[i] = mask_;
    } else if (what < become_masks + become_others) {
      tokens[i] = static_cast<int32_t>(data::below(vocabulary_, draw()));
    }
  }
  batch.set("input_ids", ids);
  batch.set("labels", labels);
}

}  // namespace systolic::inline v0
