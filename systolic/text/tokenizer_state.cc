#include "systolic/text/tokenizer_state.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/processors/renewed.h"
#include "systolic/text/tokenizer_config.h"
#include "systolic/text/truncation.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace {

using text::FastToken;

constexpr size_t most_text_bytes = size_t{1} << 31;

// Counts characters where offsets are bytes, for one text.
class CharacterOffsets {
 public:
  explicit CharacterOffsets(std::string_view text) : ascii_(text::is_ascii(text)) {
    size_ = static_cast<uint32_t>(text.size());
    if (ascii_) return;
    numbers_.reserve(text.size());
    uint32_t number = 0;
    for (const char byte : text) {
      if (!text::is_continuation(byte) && !numbers_.empty()) ++number;
      numbers_.push_back(number);
    }
  }
  Offsets of(text::Range bytes) const {
    if (bytes.begin >= size_) return {bytes.begin, bytes.end};
    if (bytes.end < size_) return {number(bytes.begin), number(bytes.end)};
    const uint32_t last =
        bytes.end - 1 < size_ && bytes.end > 0 ? number(bytes.end - 1) : number(bytes.begin) + 1;
    return {number(bytes.begin), last + 1};
  }

 private:
  uint32_t number(uint32_t byte) const { return ascii_ ? byte : numbers_[byte]; }
  bool ascii_;
  uint32_t size_;
  std::vector<uint32_t> numbers_;  // of the character of each byte
};

void check_size(std::string_view text) {
  if (text.size() >= most_text_bytes) {
    raise<InvalidArgument>({.what = str("a text of ", text.size(), " bytes"),
                            .wanted = "less than 2 GiB",
                            .hint = "split it at the ends of lines"});
  }
}

// Runs the model over pieces; given `truncation`, only until it is clear that a text is too long.
void tokenize(const text::Model& model, text::Pieces& pieces,
              const TruncationParameters* truncation) {
  const size_t most =
      truncation == nullptr ? pieces.max_size() : static_cast<size_t>(truncation->max_length);
  const bool from_left = truncation != nullptr && truncation->from_left;
  size_t tokens = 0, done = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    text::Piece& piece = pieces[from_left ? pieces.size() - 1 - i : i];
    const bool known = piece.tokenized;
    if (!known) model.tokenize(piece.text.get(), piece.tokens);
    tokens += piece.tokens.size();
    done = i + 1;
    if (!known && tokens > most) break;
  }
  if (from_left) {
    pieces.erase(pieces.begin(), pieces.end() - static_cast<int64_t>(done));
  } else {
    pieces.erase(pieces.begin() + static_cast<int64_t>(done), pieces.end());
  }
}

}  // namespace

void Tokenizer::State::prepare() {
  added.refresh(normalizer.get());
  fast_ = text::make_fast_path(normalizer.get(), pre_tokenizer.get(), *model, added);
  frame_ = make_frame();
}

void Tokenizer::State::take_vocabulary(std::unique_ptr<text::Model> model_,
                                       text::AddedTokens added_) {
  const auto id_of = [&](const std::string& token) {
    const auto id = added_.id_of(token);
    return id ? id : model_->vocabulary().id_of(token);
  };
  if (padding && !id_of(padding->token)) {
    raise<InvalidArgument>({.what = str("the vocabulary has no '", padding->token, "', which pads"),
                            .hint = str("name it among .special_tokens = {\"", padding->token,
                                        "\"}; or no_padding() before")});
  }
  if (post_processor != nullptr) post_processor = text::renewed(*post_processor, id_of);
  model = std::move(model_);
  added = std::move(added_);
  if (padding) padding->id = *token_to_id(padding->token);
  const auto pads = token_to_id(call_padding.token);
  if (!pads) call_padding.token.clear();
  call_padding.id = pads.value_or(0);
  text::forget_added_tokens(config);
  prepare();
}

std::optional<int32_t> Tokenizer::State::token_to_id(std::string_view token) const {
  if (const auto id = added.id_of(token)) return id;
  return model->vocabulary().id_of(token);
}

std::optional<PaddingParameters> Tokenizer::State::known_padding() const {
  if (padding) return padding;
  PaddingParameters known = call_padding;
  if (!known.token.empty()) return known;
  for (const char* name : {"[PAD]", "<pad>"}) {
    const auto id = token_to_id(name);
    if (!id) continue;
    known.token = name, known.id = *id;
    return known;
  }
  return std::nullopt;
}

const std::string& Tokenizer::State::token_text(const text::Token& token) const {
  static const std::string unknown;
  if (!token.value.empty()) return token.value;
  const std::string* known = model->vocabulary().token_of(token.id);
  return known == nullptr ? unknown : *known;
}

// Whether a long text is read only as far as it can stay.
bool Tokenizer::State::reads_part(const Call& call, int type_id) const {
  if (call.truncation == nullptr || call.overflowing) return false;
  return call.truncation->strategy.kind() != TruncationChoice::only_second || type_id != 0;
}

Encoding Tokenizer::State::general_encoding(std::string_view text, int type_id, int32_t word,
                                            const Call& call) const {
  std::string well_formed;
  if (!text::is_valid_utf8(text)) text = well_formed = text::lossy_utf8(text);
  text::Pieces pieces = added.pieces_of(text, normalizer.get());
  if (pre_tokenizer != nullptr) pre_tokenizer->pre_tokenize(pieces);
  tokenize(*model, pieces, reads_part(call, type_id) ? call.truncation : nullptr);
  Encoding encoding;
  const CharacterOffsets characters(call.offsets ? text : std::string_view());
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (const text::Token& token : pieces[i].tokens) {
      encoding.ids.push_back(token.id);
      if (!call.offsets) continue;
      encoding.tokens.push_back(token_text(token));
      encoding.offsets.push_back(characters.of(pieces[i].text.original_range(token.range)));
      encoding.word_ids.push_back(word >= 0 ? word : static_cast<int32_t>(i));
    }
  }
  encoding.type_ids.assign(encoding.size(), type_id);
  encoding.special_tokens_mask.assign(encoding.size(), 0);
  encoding.attention_mask.assign(encoding.size(), 1);
  return encoding;
}

Encoding Tokenizer::State::text_encoding(std::string_view text, int type_id, int32_t word,
                                         const Call& call) const {
  check_size(text);
  static thread_local std::vector<FastToken> tokens;
  tokens.clear();
  // The fast way reads texts to their ends, which pays unless most of that is cut off.
  constexpr size_t bytes_a_token = 64;
  const bool is_short =
      !reads_part(call, type_id) ||
      text.size() / bytes_a_token <= static_cast<size_t>(call.truncation->max_length);
  if (fast_ == nullptr || !is_short || !fast_->run(text, call.offsets, tokens)) {
    return general_encoding(text, type_id, word, call);
  }
  Encoding encoding;
  const size_t size = tokens.size();
  encoding.ids.reserve(size);
  for (const FastToken& token : tokens) encoding.ids.push_back(token.id);
  encoding.type_ids.assign(size, type_id);
  encoding.special_tokens_mask.assign(size, 0);
  encoding.attention_mask.assign(size, 1);
  for (size_t i = 0; call.offsets && i < size; ++i) {
    const FastToken& token = tokens[i];
    encoding.tokens.push_back(*model->vocabulary().token_of(token.id));
    encoding.offsets.push_back({token.begin, token.end});
    encoding.word_ids.push_back(word >= 0 ? word : token.word);
  }
  return encoding;
}

// Which of two long texts keeps the odd token is known only when both are read to their ends.
text::WholeSizes Tokenizer::State::whole_sizes(std::string_view text, std::string_view pair,
                                               const Encoding& first, const Encoding& second,
                                               const Call& call) const {
  const text::WholeSizes read{first.size(), second.size()};
  if (!reads_part(call, 0) || call.truncation->strategy.kind() != TruncationChoice::longest_first) {
    return read;
  }
  const auto most = static_cast<size_t>(call.truncation->max_length);
  if (std::min(read.first, read.second) <= most) return read;
  const Call whole{.add_special_tokens = false, .offsets = false};
  return {text_encoding(text, 0, -1, whole).size(), text_encoding(pair, 1, -1, whole).size()};
}

size_t Tokenizer::State::special_tokens(const Call& call, bool pair) const {
  if (!call.add_special_tokens || post_processor == nullptr) return 0;
  return post_processor->added_tokens(pair);
}

// A stride that no text could be cut with is refused as soon as it is asked for; one that is as
// large as what special tokens leave, only where a text is cut. The tokenizers package does both.
void Tokenizer::State::check_stride(const Call& call) const {
  const int64_t stride = call.truncation->stride, most = call.truncation->max_length;
  const auto special = static_cast<int64_t>(special_tokens(call, false));
  const bool fits = stride <= most - special;
  if (stride == 0 || most < special || fits) return;  // cutting refuses what is too short
  raise<InvalidArgument>(
      {.what = str("a stride of ", stride, " tokens at a max_length of ", most),
       .wanted = str("a stride below what ", special, " special tokens leave: ", most - special)});
}

Encoding Tokenizer::State::post_process(Encoding encoding, std::optional<Encoding> pair,
                                        const text::WholeSizes& sizes, const Call& call) const {
  if (call.truncation != nullptr) {
    text::truncate(encoding, pair ? &*pair : nullptr, sizes, *call.truncation,
                   special_tokens(call, pair.has_value()), call.overflowing);
  }
  std::vector<Encoding> encodings;
  encodings.push_back(std::move(encoding));
  if (pair) encodings.push_back(std::move(*pair));
  if (post_processor == nullptr && encodings.size() == 1) return std::move(encodings[0]);
  for (size_t i = 0; i < encodings.size(); ++i) {
    const int sequence = static_cast<int>(i);
    encodings[i].set_sequence(sequence);
    if (post_processor == nullptr) continue;
    for (Encoding& part : encodings[i].overflowing) part.set_sequence(sequence);
    encodings[i].set_type_ids(sequence);
  }
  if (post_processor != nullptr) {
    encodings = post_processor->process(std::move(encodings), call.add_special_tokens);
  }
  Encoding result;
  for (const Encoding& part : encodings) result.append(part);
  if (call.offsets) return result;
  const auto keep_ids = [](Encoding& one) { one.tokens = {}, one.offsets = {}, one.word_ids = {}; };
  keep_ids(result);
  for (Encoding& part : result.overflowing) keep_ids(part);
  return result;
}

// Asks the post-processor what it makes of a text of one token.
std::optional<Tokenizer::State::Frame> Tokenizer::State::make_frame() const {
  constexpr int32_t mark = -2;
  Encoding text;
  text.ids = {mark};
  text.type_ids = {0};
  text.tokens = {""};
  text.offsets = {{0, 0}};
  text.word_ids = {0};
  text.special_tokens_mask = {0};
  text.attention_mask = {1};
  const Encoding whole = post_process(text, std::nullopt, {}, {});
  const auto at = std::find(whole.ids.begin(), whole.ids.end(), mark);
  if (at == whole.ids.end() || std::find(at + 1, whole.ids.end(), mark) != whole.ids.end()) {
    return std::nullopt;
  }
  const auto place = static_cast<size_t>(at - whole.ids.begin());
  Frame frame;
  frame.type_id = whole.type_ids[place];
  frame.keeps_offsets = post_processor == nullptr || post_processor->keeps_offsets();
  frame.sequence = whole.sequences[0];
  Encoding parts = whole;
  parts.truncate(std::max<size_t>(place, 1), 0, false);
  if (place > 0) frame.before = parts;
  frame.before.overflowing.clear();
  for (size_t i = place + 1; i < whole.size(); ++i) {
    frame.after.ids.push_back(whole.ids[i]);
    frame.after.type_ids.push_back(whole.type_ids[i]);
    frame.after.tokens.push_back(whole.tokens[i]);
  }
  return frame;
}

Encoding Tokenizer::State::framed(std::span<const FastToken> tokens, bool offsets) const {
  const Frame& frame = *frame_;
  const size_t before = frame.before.size(), after = frame.after.size();
  const size_t size = before + tokens.size() + after;
  Encoding encoding;
  encoding.ids.resize(size);
  encoding.type_ids.assign(size, frame.type_id);
  encoding.attention_mask.assign(size, 1);
  encoding.special_tokens_mask.assign(size, 1);
  std::fill_n(encoding.special_tokens_mask.begin() + static_cast<int64_t>(before), tokens.size(),
              0);
  for (size_t i = 0; i < tokens.size(); ++i) encoding.ids[before + i] = tokens[i].id;
  const auto put_specials = [&](const Encoding& specials, size_t at) {
    for (size_t i = 0; i < specials.size(); ++i) {
      encoding.ids[at + i] = specials.ids[i];
      encoding.type_ids[at + i] = specials.type_ids[i];
      if (offsets) encoding.tokens[at + i] = specials.tokens[i];
    }
  };
  if (offsets) {
    encoding.tokens.resize(size);
    encoding.offsets.resize(size);
    encoding.word_ids.assign(size, -1);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const FastToken& token = tokens[i];
      encoding.tokens[before + i] = *model->vocabulary().token_of(token.id);
      encoding.offsets[before + i] = {token.begin, token.end};
      encoding.word_ids[before + i] = token.word;
    }
  }
  put_specials(frame.before, 0);
  put_specials(frame.after, before + tokens.size());
  if (frame.sequence) {
    encoding.sequences[0] =
        Offsets{static_cast<uint32_t>(before), static_cast<uint32_t>(before + tokens.size())};
  }
  return encoding;
}

Encoding Tokenizer::State::encode(std::string_view text, const Call& call) const {
  if (fast_ != nullptr && frame_ && call.add_special_tokens && call.truncation == nullptr &&
      (frame_->keeps_offsets || !call.offsets)) {
    check_size(text);
    static thread_local std::vector<FastToken> tokens;
    tokens.clear();
    if (fast_->run(text, call.offsets, tokens)) return framed(tokens, call.offsets);
  }
  Encoding encoding = text_encoding(text, 0, -1, call);
  const size_t size = encoding.size();
  return post_process(std::move(encoding), std::nullopt, {size}, call);
}

Encoding Tokenizer::State::encode(std::string_view text, std::string_view pair,
                                  const Call& call) const {
  Encoding first = text_encoding(text, 0, -1, call), second = text_encoding(pair, 1, -1, call);
  const text::WholeSizes sizes = whole_sizes(text, pair, first, second, call);
  return post_process(std::move(first), std::move(second), sizes, call);
}

Encoding Tokenizer::State::encode_words(std::span<const std::string> words,
                                        const Call& call) const {
  Encoding all;
  for (size_t i = 0; i < words.size(); ++i) {
    all.append(text_encoding(words[i], 0, static_cast<int32_t>(i), call));
  }
  const size_t size = all.size();
  return post_process(std::move(all), std::nullopt, {size}, call);
}

namespace {

// Truncation may have cut a text into many parts, each of which is padded.
void check_padding(const Encoding& encoding, size_t length) {
  constexpr size_t most = 1 << 22;  // tokens
  const auto lacks = [&](const Encoding& part) { return length - std::min(length, part.size()); };
  size_t added = lacks(encoding);
  for (const Encoding& part : encoding.overflowing) added += lacks(part);
  if (added <= most) return;
  raise<ResourceExhausted>({.what = str("padding ", encoding.overflowing.size() + 1,
                                        " parts of a text to ", length, " tokens each"),
                            .wanted = str("at most ", most, " padding tokens")});
}

}  // namespace

void Tokenizer::State::pad(std::span<Encoding> encodings,
                           const PaddingParameters& parameters) const {
  size_t length = static_cast<size_t>(parameters.length);
  if (length == 0) {
    for (const Encoding& encoding : encodings) length = std::max(length, encoding.size());
  }
  if (parameters.pad_to_multiple_of > 0) {
    const auto multiple = static_cast<size_t>(parameters.pad_to_multiple_of);
    length = (length + multiple - 1) / multiple * multiple;
  }
  for (Encoding& encoding : encodings) {
    check_padding(encoding, length);
    encoding.pad({length, parameters.id, parameters.type_id, parameters.token, parameters.left});
  }
}

}  // namespace systolic::inline v0
