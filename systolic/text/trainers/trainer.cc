#include "systolic/text/trainers/trainer.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/byte_characters.h"
#include "systolic/text/models/bpe.h"
#include "systolic/text/models/word_level.h"
#include "systolic/text/models/word_piece.h"
#include "systolic/text/tokenizer_state.h"
#include "systolic/text/trainers/pair_trainer.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// The words seen most often; of equal ones the first of the alphabet.
Vocabulary most_frequent(const PieceCounts& pieces, const TrainOptions& options) {
  std::vector<std::pair<std::string, uint64_t>> words;
  for (const auto& [piece, count] : pieces) {
    if (count >= options.min_frequency) words.emplace_back(piece, count);
  }
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::pair<std::string, int32_t>> entries;
  const auto add = [&](const std::string& token) {
    if (entries.size() >= options.vocab_size) return;
    entries.emplace_back(token, static_cast<int32_t>(entries.size()));
  };
  for (const AddedToken& token : options.special_tokens) add(token.content);
  for (const auto& [word, count] : words) {
    const bool special =
        std::any_of(options.special_tokens.begin(), options.special_tokens.end(),
                    [&text = word](const AddedToken& token) { return token.content == text; });
    if (!special) add(word);
  }
  return Vocabulary(std::move(entries));
}

}  // namespace

std::unique_ptr<Model> train_model(const Model& model, const PieceCounts& pieces,
                                   const TrainOptions& options) {
  if (const auto* bpe = dynamic_cast<const Bpe*>(&model)) {
    Bpe::Config config = bpe->config();
    config.end_of_word_suffix = options.end_of_word_suffix;
    PairTrainer trainer(pieces, options, config.continuing_subword_prefix);
    trainer.run();
    return std::make_unique<Bpe>(trainer.vocabulary(), trainer.merges(), std::move(config));
  }
  if (const auto* word_piece = dynamic_cast<const WordPiece*>(&model)) {
    WordPiece::Config config = word_piece->config();
    config.continuing_subword_prefix = options.continuing_subword_prefix;
    PairTrainer trainer(pieces, options, config.continuing_subword_prefix);
    trainer.run();
    return std::make_unique<WordPiece>(trainer.vocabulary(), std::move(config));
  }
  if (const auto* word_level = dynamic_cast<const WordLevel*>(&model)) {
    return std::make_unique<WordLevel>(most_frequent(pieces, options), word_level->unk_token());
  }
  raise<Unimplemented>({.what = "training a Unigram model",
                        .hint = "train BPE or WordPiece, or train it with another program"});
}

}  // namespace text

std::u32string byte_level_alphabet() {
  return {text::byte_characters.begin(), text::byte_characters.end()};
}

void Tokenizer::train(std::span<const std::string> texts, const TrainOptions& options) {
  text::PieceCounts counts;
  for (const std::string& text : texts) {
    const std::string well_formed = text::lossy_utf8(text);
    text::Pieces pieces = state_->added.pieces_of(well_formed, state_->normalizer.get());
    if (state_->pre_tokenizer != nullptr) state_->pre_tokenizer->pre_tokenize(pieces);
    for (const text::Piece& piece : pieces) ++counts[piece.text.get()];
  }
  auto model = text::train_model(*state_->model, counts, options);
  state_->added.add(options.special_tokens, *model, state_->normalizer.get());
  state_->model = std::move(model);
  state_->prepare();
}

}  // namespace systolic::inline v0
