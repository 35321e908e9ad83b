// Tokenizers: texts to the ids of a model's vocabulary, and back. They give the ids and offsets of
// the `tokenizers` package, whose tokenizer.json they read.
//
//   auto tokenizer = AutoTokenizer::from_pretrained("bert-base-uncased/");
//   auto batch = tokenizer(texts, {.padding = "longest", .truncation = true, .max_length = 128});
//   model.predict(batch);                       // batch.input_ids: [texts, length], i32
//   tokenizer.encode("Hello world").tokens      // [CLS] hello world [SEP]
//
// Texts are UTF-8; ill-formed bytes are read as U+FFFD. Calls that are const may run on several
// threads at once. A Tokenizer is a handle, as a Model is: copies are the same tokenizer, and what
// add_tokens or set_truncation changes in one is changed in all.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/name_at.h"
#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/core/literal.h"
#include "systolic/text/added_token.h"
#include "systolic/text/pieces/encoding.h"
#include "systolic/text/tokenize_options.h"
#include "systolic/text/train_options.h"

namespace systolic::inline v0 {

// [rows, length] each, i32; a row for each text, or for each of its parts. Rows shorter than the
// longest are padded even where no padding was asked for, with attention_mask 0.
struct BatchEncoding {
  Literal input_ids, token_type_ids, attention_mask;
  std::vector<Encoding> encodings = {};  // of the rows; ids only where no offsets are asked for
  std::vector<std::string> input_names = {"input_ids", "token_type_ids", "attention_mask"};
  // Where they are asked for: [rows, length, 2], the character of the text at which each token
  // begins and the one before which it ends, 0 and 0 where it is in no text; [rows, length];
  // [rows], the text that each row belongs to. They are no inputs of a model.
  Example others = {};

  // "input_ids", "token_type_ids" and "attention_mask": those that the model takes, by the
  // tokenizer's model_input_names().
  Example arrays() const;
  // One of them by name: batch["input_ids"].row(0); or "offset_mapping", "special_tokens_mask",
  // "overflow_to_sample_mapping". NotFound, with a list of those that there are.
  Literal operator[](NameAt name) const;
  operator Example() const { return arrays(); }  // NOLINT: what a batch is
};

class Tokenizer {
 public:
  // Reads the text of a tokenizer.json. DataLoss, naming the member, where it is damaged.
  static Tokenizer from_json(std::string_view json, const std::string& name = "tokenizer.json",
                             SourceLocation location = SourceLocation::current());
  static Tokenizer from_file(const std::string& path,
                             SourceLocation location = SourceLocation::current());

  // Texts of different lengths need a padding token: see set_pad_token().
  BatchEncoding operator()(std::span<const std::string> texts, const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const;
  BatchEncoding operator()(std::span<const std::string> texts, std::span<const std::string> pairs,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const;
  // For an array of strings, such as a table's column: [..., length] for texts [...].
  //   train = train.map([=](const Example& row) { return tokenizer(row["sentence"], options); });
  BatchEncoding operator()(const Literal& texts, const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const;
  BatchEncoding operator()(const Literal& texts, const Literal& pairs,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const;
  // tokenizer({"one text", "another"}), and tokenizer("one text"): a batch of one.
  BatchEncoding operator()(std::initializer_list<std::string> texts,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const {
    return (*this)(std::span(texts.begin(), texts.size()), options, location);
  }
  BatchEncoding operator()(std::string_view text, const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const {
    return (*this)({std::string(text)}, options, location);
  }
  // tokenizer("a question", "its context"), and tokenizer({"one", "another"}, {"its pair", "..."}).
  BatchEncoding operator()(std::initializer_list<std::string> texts,
                           std::initializer_list<std::string> pairs,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const {
    return (*this)(std::span(texts.begin(), texts.size()), std::span(pairs.begin(), pairs.size()),
                   options, location);
  }
  BatchEncoding operator()(std::string_view text, std::string_view pair,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const {
    return (*this)({std::string(text)}, {std::string(pair)}, options, location);
  }

  // Texts that are already split into words, as for one label a word: batch.encodings[row].word_ids
  // says which word a token belongs to (-1: none), and offsets are those in the word.
  BatchEncoding operator()(std::span<const std::vector<std::string>> texts_of_words,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const;
  // tokenizer({words, others}). Not for two literals each: {"a", "b"} might be one string's range.
  BatchEncoding operator()(std::initializer_list<std::vector<std::string>> texts_of_words,
                           const TokenizeOptions& options = {},
                           SourceLocation location = SourceLocation::current()) const {
    return (*this)(std::span(texts_of_words.begin(), texts_of_words.size()), options, location);
  }

  Encoding encode(std::string_view text, const EncodeOptions& options = {},
                  SourceLocation location = SourceLocation::current()) const;
  Encoding encode_pair(std::string_view text, std::string_view pair,
                       const EncodeOptions& options = {},
                       SourceLocation location = SourceLocation::current()) const;
  // A text that is already split into words; offsets are those in the word.
  Encoding encode_words(std::span<const std::string> words, const EncodeOptions& options = {},
                        SourceLocation location = SourceLocation::current()) const;
  Encoding encode_words(std::initializer_list<std::string> words, const EncodeOptions& options = {},
                        SourceLocation location = SourceLocation::current()) const {
    return encode_words(std::span(words.begin(), words.size()), options, location);
  }
  // On all threads of the pool. Padded to the longest, where padding is enabled.
  std::vector<Encoding> encode_batch(std::span<const std::string> texts,
                                     const EncodeOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  std::vector<Encoding> encode_batch(std::initializer_list<std::string> texts,
                                     const EncodeOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const {
    return encode_batch(std::span(texts.begin(), texts.size()), options, location);
  }
  std::vector<Encoding> encode_batch(std::span<const std::string> texts,
                                     std::span<const std::string> pairs,
                                     const EncodeOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;

  // Ids that belong to no token are skipped.
  std::string decode(std::span<const int32_t> ids, bool skip_special_tokens = true,
                     SourceLocation location = SourceLocation::current()) const;
  std::string decode(std::initializer_list<int32_t> ids, bool skip_special_tokens = true,
                     SourceLocation location = SourceLocation::current()) const {
    return decode(std::span(ids.begin(), ids.size()), skip_special_tokens, location);
  }
  // Integers [length], such as batch["input_ids"].row(0).
  std::string decode(const Literal& ids, bool skip_special_tokens = true,
                     SourceLocation location = SourceLocation::current()) const;
  // The same for each row of [texts, length], integers.
  std::vector<std::string> decode_batch(const Literal& ids, bool skip_special_tokens = true,
                                        SourceLocation location = SourceLocation::current()) const;

  std::optional<int32_t> token_to_id(std::string_view token) const;
  std::optional<std::string> id_to_token(int32_t id) const;
  size_t vocab_size() const;  // with added tokens
  // The ids of the added tokens that decode() leaves out, ascending.
  std::vector<int32_t> all_special_ids() const;

  // "[MASK]" for "mask_token", and its id. Of "bos_token", "eos_token", "unk_token", "sep_token",
  // "pad_token", "cls_token" and "mask_token" a tokenizer has those that the folder names, or that
  // tokenizers of its class have; others are nullopt.
  std::optional<std::string> special_token(
      std::string_view role, SourceLocation location = SourceLocation::current()) const;
  std::optional<int32_t> special_token_id(
      std::string_view role, SourceLocation location = SourceLocation::current()) const;

  // add_tokens({"[USER]", "[BOT]"}). Returns how many were new or changed.
  size_t add_tokens(const AddedTokenList& tokens,
                    SourceLocation location = SourceLocation::current());
  // The same, for tokens that decode() leaves out and that are looked for in the text as given.
  size_t add_special_tokens(AddedTokenList tokens,
                            SourceLocation location = SourceLocation::current());
  // Gives the model, of whatever kind, a vocabulary made from these texts. Ties go to the symbols
  // that came first. A Unigram model keeps its unknown token, first where it is not special. Tokens
  // that were added before get ids after the new ones. The tokens that the post-processor adds to
  // texts must be in the new vocabulary, else an InvalidArgument names the one that is missing.
  void train(std::span<const std::string> texts, const TrainOptions& options = {},
             SourceLocation location = SourceLocation::current());
  void set_truncation(TruncationParameters truncation,
                      SourceLocation location = SourceLocation::current());
  // encode() and encode_batch() do not cut; calls cut at the side that set_truncation_side() says.
  void no_truncation();
  void set_padding(PaddingParameters padding, SourceLocation location = SourceLocation::current());
  // encode() and encode_batch() do not pad; calls that do keep the token and the side.
  void no_padding();
  // At which side texts are padded and cut, by calls too. The options of set_padding() and
  // set_truncation() name a side as well, by default the right one: so call these after them.
  void set_padding_side(SideChoice side);
  void set_truncation_side(SideChoice side);
  // The token that pads where a call does: this token of the vocabulary, such as GPT-2's
  // "<|endoftext|>", which has none of its own. Without this, the one that tokenizer.json or
  // tokenizer_config.json names, else "[PAD]" or "<pad>". NotFound for one that is not in the
  // vocabulary.
  void set_pad_token(std::string_view token, SourceLocation location = SourceLocation::current());
  // How calls that pad do so: with which token, at which side. InvalidArgument where no token is
  // known.
  PaddingParameters padding(SourceLocation location = SourceLocation::current()) const;
  // The most tokens that a text may have, used for max_length = 0; 0: unlimited.
  void set_model_max_length(int64_t tokens, SourceLocation location = SourceLocation::current());
  int64_t model_max_length() const;
  // Which arrays calls return: without "token_type_ids" where the model's class takes none, as
  // tokenizer_config.json or the class says.
  const std::vector<std::string>& model_input_names() const;

  // How conversations become texts (text/chat_template.h): the Jinja of the folder, the one called
  // `name` where it has several; empty where there is none.
  std::string chat_template(const std::string& name = "default") const;

  // The text of a tokenizer.json.
  std::string to_json() const;
  void save(const std::string& path, SourceLocation location = SourceLocation::current()) const;
  // Writes tokenizer.json and tokenizer_config.json, as AutoTokenizer and `transformers` read them.
  // Makes the folder, and removes special_tokens_map.json and added_tokens.json of a tokenizer
  // saved there before.
  void save_pretrained(const std::string& folder,
                       SourceLocation location = SourceLocation::current()) const;

  struct State;
  explicit Tokenizer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  // A handle that was moved from still holds on: moving copies.
  Tokenizer(const Tokenizer&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;

 private:
  friend struct AutoTokenizer;
  friend struct NewTokenizer;
  std::shared_ptr<State> state_;
};

}  // namespace systolic::inline v0
