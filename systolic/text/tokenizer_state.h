// The parts of a Tokenizer, and the general path of a text through them.
#pragma once

#include <memory>
#include <optional>

#include "systolic/text/added_tokens.h"
#include "systolic/text/fast_path.h"
#include "systolic/text/pieces/component.h"
#include "systolic/text/tokenizer.h"
#include "systolic/text/truncation.h"

namespace systolic::inline v0 {

struct Tokenizer::State {
  std::unique_ptr<text::Normalizer> normalizer;
  std::unique_ptr<text::PreTokenizer> pre_tokenizer;
  std::unique_ptr<text::Model> model;
  std::unique_ptr<text::PostProcessor> post_processor;
  std::unique_ptr<text::Decoder> decoder;
  text::AddedTokens added;
  std::optional<TruncationParameters> truncation;
  std::optional<PaddingParameters> padding;
  // For operator(): the token that pads where `padding` is not set (without a token: one of the
  // usual names), and at which side texts are cut.
  PaddingParameters call_padding{.id = 0};
  bool cuts_from_left = false;
  std::vector<std::string> input_names = {"input_ids", "token_type_ids", "attention_mask"};
  bool cleans_up_spaces = false;  // of decoded texts
  int64_t model_max_length = 0;
  std::string chat_template = {};    // Jinja, as chat_template.jinja has it
  std::string config = {};           // tokenizer_config.json, where there was one
  std::string tokenizer_class = {};  // as OlderFolder names it
  // What train() uses for special tokens and letters that it is not given.
  TrainOptions training = {};

  std::optional<PaddingParameters> known_padding() const;
  std::optional<int32_t> token_to_id(std::string_view token) const;

  // How a call cuts texts, and what it wants returned.
  struct Call {
    bool add_special_tokens = true;
    bool offsets = true;
    const TruncationParameters* truncation = nullptr;
    bool overflowing = true;  // the parts that truncation cuts off
  };
  // To be called after a part or the added tokens have changed.
  void prepare();
  // Another vocabulary: everything that knows tokens by their ids gets the ids that they have in
  // it. Raises where a token is missing there, and then changes nothing.
  void take_vocabulary(std::unique_ptr<text::Model> model_, text::AddedTokens added_);
  // InvalidArgument where the stride leaves no room for the parts that truncation makes to advance.
  void check_stride(const Call& call) const;
  Encoding encode(std::string_view text, const Call& call) const;
  Encoding encode(std::string_view text, std::string_view pair, const Call& call) const;
  Encoding encode_words(std::span<const std::string> words, const Call& call) const;
  void pad(std::span<Encoding> encodings, const PaddingParameters& parameters) const;

 private:
  // What the post-processor adds to a single text.
  struct Frame {
    Encoding before, after;
    int32_t type_id = 0;
    bool keeps_offsets = false;  // the text's own offsets stay as they are
    std::optional<Offsets> sequence;
  };
  size_t special_tokens(const Call& call, bool pair) const;
  std::optional<Frame> make_frame() const;
  Encoding framed(std::span<const text::FastToken> tokens, bool offsets) const;
  Encoding text_encoding(std::string_view text, int type_id, int32_t word, const Call& call) const;
  Encoding general_encoding(std::string_view text, int type_id, int32_t word,
                            const Call& call) const;
  bool reads_part(const Call& call, int type_id) const;
  text::WholeSizes whole_sizes(std::string_view text, std::string_view pair, const Encoding& first,
                               const Encoding& second, const Call& call) const;
  Encoding post_process(Encoding encoding, std::optional<Encoding> pair,
                        const text::WholeSizes& sizes, const Call& call) const;
  const std::string& token_text(const text::Token& token) const;

  std::unique_ptr<text::FastPath> fast_;
  std::optional<Frame> frame_;
};

}  // namespace systolic::inline v0
