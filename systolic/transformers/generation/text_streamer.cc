#include "systolic/transformers/generation/text_streamer.h"

#include <iostream>
#include <span>

#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace {

void print(std::string_view text, bool stream_end) {
  std::cout << text << (stream_end ? "\n" : "") << std::flush;
}

bool ends_with_ideograph(const std::string& text) {
  size_t end = text.size();
  return end > 0 && text::has(text::character_before(text, end), text::bert_ideograph);
}

}  // namespace

TextStreamer::TextStreamer(Tokenizer tokenizer, TextStreamerOptions options)
    : tokenizer_(std::move(tokenizer)), options_(std::move(options)) {
  if (!options_.on_finalized_text) options_.on_finalized_text = print;
}

void TextStreamer::put(std::span<const int32_t> ids) {
  if (std::exchange(is_prompt_, false) && options_.skip_prompt) return;
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  text_ = tokenizer_.decode(ids_, options_.skip_special_tokens);
  if (text_.ends_with('\n')) {
    show(text_.size(), false);
    ids_.clear();
    text_.clear();
    shown_ = 0;
  } else if (ends_with_ideograph(text_)) {
    show(text_.size(), false);
  } else {
    // What comes next may be of the last word.
    show(text_.rfind(' ') + 1, false);
  }
}

void TextStreamer::end() {
  show(text_.size(), true);
  ids_.clear();
  text_.clear();
  shown_ = 0;
  is_prompt_ = true;
}

void TextStreamer::show(size_t end, bool stream_end) {
  const std::string piece = end > shown_ ? text_.substr(shown_, end - shown_) : "";
  shown_ += piece.size();
  options_.on_finalized_text(piece, stream_end);
}

}  // namespace systolic::inline v0
