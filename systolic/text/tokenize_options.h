// What a call of a tokenizer asks for, in the words of the `transformers` package.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {

// .padding = true or "longest", "max_length", false or "do_not_pad".
class PaddingChoice {
 public:
  enum Kind { do_not_pad, longest, max_length };
  constexpr PaddingChoice(bool pad) : kind_(pad ? longest : do_not_pad) {}  // NOLINT
  template <size_t n>
  consteval PaddingChoice(const char (&name)[n]) : kind_(kind_of({name, n - 1})) {}  // NOLINT
  constexpr Kind kind() const { return kind_; }

 private:
  static consteval Kind kind_of(std::string_view name) {
    if (name == "longest") return longest;
    if (name == "max_length") return max_length;
    if (name == "do_not_pad") return do_not_pad;
    throw "padding is \"longest\", \"max_length\" or \"do_not_pad\"";
  }
  Kind kind_;
};

// .truncation = true or "longest_first", "only_first", "only_second", false or "do_not_truncate".
// The default is false, but "longest_first" where max_length is given and padding is not, as in
// `transformers`.
// `transformers`.
class TruncationChoice {
 public:
  enum Kind { do_not_truncate, longest_first, only_first, only_second, left_out };
  constexpr TruncationChoice() = default;
  constexpr TruncationChoice(bool cut) : kind_(cut ? longest_first : do_not_truncate) {}  // NOLINT
  constexpr TruncationChoice(Kind kind) : kind_(kind) {}                                  // NOLINT
  template <size_t n>
  consteval TruncationChoice(const char (&name)[n]) : kind_(kind_of({name, n - 1})) {}  // NOLINT
  constexpr Kind kind() const { return kind_; }

 private:
  static consteval Kind kind_of(std::string_view name) {
    if (name == "longest_first") return longest_first;
    if (name == "only_first") return only_first;
    if (name == "only_second") return only_second;
    if (name == "do_not_truncate") return do_not_truncate;
    throw "truncation is \"longest_first\", \"only_first\", \"only_second\" or \"do_not_truncate\"";
  }
  Kind kind_ = left_out;
};

// "left" or "right".
class SideChoice {
 public:
  template <size_t n>
  consteval SideChoice(const char (&name)[n]) : left_(is_left_named({name, n - 1})) {}  // NOLINT
  constexpr bool is_left() const { return left_; }

 private:
  static consteval bool is_left_named(std::string_view name) {
    if (name == "left") return true;
    if (name == "right") return false;
    throw "a side is \"left\" or \"right\"";
  }
  bool left_;
};

struct TokenizeOptions {
  PaddingChoice padding = false;     // to the longest text, to max_length, or not
  TruncationChoice truncation = {};  // which text of a pair is cut, if any
  int64_t max_length = 0;            // tokens; 0: the model's
  int64_t pad_to_multiple_of = 0;    // 0: no rounding up
  int64_t stride = 0;                // tokens that consecutive parts of a cut text share
  bool add_special_tokens = true;    // such as [CLS] and [SEP] around texts
  // The parts of a text that are cut off become rows too, after its first:
  // overflow_to_sample_mapping says which text a row belongs to.
  bool return_overflowing_tokens = false;
  bool return_offsets_mapping = false;      // and with it tokens, words and offsets in `encodings`
  bool return_special_tokens_mask = false;  // 1 for those, 0 for a text's own
  bool show_progress = false;               // for a batch, on standard error

  // How a call cuts, including the default truncation.
  constexpr TruncationChoice how_to_cut() const {
    if (truncation.kind() != TruncationChoice::left_out) return truncation;
    return max_length > 0 && padding.kind() == PaddingChoice::do_not_pad;
  }
};

struct EncodeOptions {
  bool add_special_tokens = true;  // such as [CLS] and [SEP] around texts
  bool offsets = true;             // false: ids, type ids and masks only, which is faster
  bool show_progress = false;      // for a batch, on standard error
};

// How encode() and encode_batch() cut and pad. A tokenizer.json may say so.
struct TruncationParameters {
  int64_t max_length = 512;
  int64_t stride = 0;
  TruncationChoice strategy = true;
  bool from_left = false;
};
struct PaddingParameters {
  int64_t length = 0;  // 0: the longest of the batch
  int64_t pad_to_multiple_of = 0;
  int32_t id = of_token, type_id = 0;
  std::string token = {};  // empty: the token that the tokenizer pads with, else "[PAD]"
  bool left = false;

  static constexpr int32_t of_token = -1;  // the token's id; 0 where the vocabulary lacks it
};

}  // namespace systolic::inline v0
