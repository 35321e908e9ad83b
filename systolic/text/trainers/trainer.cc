#include "systolic/text/trainers/trainer.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/called_at.h"
#include "systolic/text/models/bpe.h"
#include "systolic/text/models/unigram.h"
#include "systolic/text/models/word_level.h"
#include "systolic/text/models/word_piece.h"
#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/tokenizer_state.h"
#include "systolic/text/trainers/pair_trainer.h"
#include "systolic/text/trainers/unigram_trainer.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

bool is_special(const TrainOptions& options, const std::string& content) {
  return std::any_of(options.special_tokens.begin(), options.special_tokens.end(),
                     [&](const AddedToken& token) { return token.content == content; });
}

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
    if (!is_special(options, word)) add(word);
  }
  return Vocabulary(std::move(entries));
}

// The special tokens, with score 0, and the pieces.
std::unique_ptr<Model> train_unigram(const Unigram& model, const PieceCounts& words,
                                     const TrainOptions& options) {
  Unigram::Scored tokens;
  const std::string* unknown = model.unknown_token();
  if (unknown != nullptr && !is_special(options, *unknown)) tokens.emplace_back(*unknown, 0.0);
  std::optional<int32_t> unknown_id;
  if (!tokens.empty()) unknown_id = 0;
  for (const AddedToken& token : options.special_tokens) {
    if (unknown != nullptr && token.content == *unknown) {
      unknown_id = static_cast<int32_t>(tokens.size());
    }
    tokens.emplace_back(token.content, 0.0);
  }
  UnigramTrainer trainer(words, options);
  trainer.run();
  std::vector<std::string> taken;
  for (const auto& [token, score] : tokens) taken.push_back(token);
  for (auto& piece : trainer.pieces(taken)) tokens.push_back(std::move(piece));
  return std::make_unique<Unigram>(std::move(tokens), unknown_id, model.byte_fallback());
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
  return train_unigram(dynamic_cast<const Unigram&>(model), pieces, options);
}

}  // namespace text

std::u32string byte_level_alphabet() {
  return {text::byte_characters.begin(), text::byte_characters.end()};
}

namespace {

// With the tokenizer's own. Special tokens are as every trainer has them, whatever the list says:
// decode leaves them out, and they are found in the text as it was given.
TrainOptions completed(TrainOptions options, const TrainOptions& usual) {
  if (options.special_tokens.empty()) options.special_tokens = usual.special_tokens;
  if (options.initial_alphabet.empty()) options.initial_alphabet = usual.initial_alphabet;
  for (AddedToken& token : options.special_tokens) token.special = true, token.normalized = false;
  return options;
}

// Tokens of the training come by their ids in its vocabulary; those from before get ids after it.
text::AddedTokens added_anew(const text::AddedTokens& before, const TrainOptions& options,
                             const text::Vocabulary& vocabulary,
                             const text::Normalizer* normalizer) {
  text::AddedTokens added;
  added.add(options.special_tokens, vocabulary, normalizer);
  std::vector<AddedToken> others;
  for (const auto& [id, token] : before.by_id()) {
    if (!added.id_of(token.content)) others.push_back(token);
  }
  added.add(others, vocabulary, normalizer);
  return added;
}

}  // namespace

void Tokenizer::train(std::span<const std::string> texts, const TrainOptions& given,
                      SourceLocation location) {
  text::called_at(location, [&] {
    const TrainOptions options = completed(given, state_->training);
    text::PieceCounts counts;
    for (const std::string& text : texts) {
      const std::string well_formed = text::lossy_utf8(text);
      text::Pieces pieces = state_->added.pieces_of(well_formed, state_->normalizer.get());
      if (state_->pre_tokenizer != nullptr) state_->pre_tokenizer->pre_tokenize(pieces);
      for (const text::Piece& piece : pieces) ++counts[piece.text.get()];
    }
    auto model = text::train_model(*state_->model, counts, options);
    text::AddedTokens added =
        added_anew(state_->added, options, model->vocabulary(), state_->normalizer.get());
    state_->take_vocabulary(std::move(model), std::move(added));
  });
}

}  // namespace systolic::inline v0
