// Decoders: from tokens back to text.
#include <algorithm>
#include <iterator>

#include "systolic/base/error.h"
#include "systolic/text/patterns/regex.h"
#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/pieces/component.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Tokens = std::vector<std::string>;

template <class F>
class FunctionDecoder : public Decoder {
 public:
  explicit FunctionDecoder(F f) : f_(std::move(f)) {}
  Tokens decode(Tokens tokens) const override { return f_(std::move(tokens)); }

 private:
  F f_;
};

template <class F>
std::unique_ptr<Decoder> function(F f) {
  return std::make_unique<FunctionDecoder<F>>(std::move(f));
}

// What the tokens of a text become: replacements may make them longer without end.
constexpr size_t most_decoded_bytes = size_t{1} << 28;

void check_growth(size_t bytes) {
  if (bytes <= most_decoded_bytes) return;
  raise<ResourceExhausted>({.what = str("decoding a text makes more than ", bytes, " bytes"),
                            .wanted = str("at most ", most_decoded_bytes),
                            .hint = "look for replacements that contain what they replace"});
}

std::string replaced(const std::string& text, const Pattern& pattern, std::string_view content) {
  std::string result;
  size_t last = 0;
  for (const Range& match : pattern.find_all(text)) {
    result.append(text, last, match.begin - last).append(content);
    last = match.end;
    check_growth(result.size());
  }
  return result.append(text, last);
}

std::string replaced(const std::string& text, std::string_view old, std::string_view content) {
  if (old.empty()) return replaced(text, *literal_pattern(""), content);  // between characters too
  std::string result;
  size_t last = 0;
  for (size_t at = text.find(old); at != text.npos; at = text.find(old, last)) {
    result.append(text, last, at - last).append(content);
    last = at + old.size();
    check_growth(result.size());
  }
  return result.append(text, last);
}

// English as it is written: no space before signs, short forms joined.
constexpr std::pair<std::string_view, std::string_view> cleaning_rules[] = {
    {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
    {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
    {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
};

// Whether a rule may hold: all begin with a space and one of few characters. Most tokens have
// neither, and a decoder asks each.
bool may_need_cleaning(std::string_view text) {
  for (size_t at = text.find(' '); at != text.npos; at = text.find(' ', at + 1)) {
    const std::string_view two = text.substr(at, 2);
    if (std::any_of(std::begin(cleaning_rules), std::end(cleaning_rules),
                    [&](const auto& rule) { return rule.first.starts_with(two); })) {
      return true;
    }
  }
  return false;
}

std::string cleaned_up(std::string text) {
  if (!may_need_cleaning(text)) return text;
  for (const auto& [from, to] : cleaning_rules) {
    if (text.find(from) != text.npos) text = replaced(text, from, to);
  }
  return text;
}

Tokens word_piece(Tokens tokens, const std::string& prefix, bool cleanup) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i != 0) token = token.starts_with(prefix) ? token.substr(prefix.size()) : " " + token;
    if (cleanup) token = cleaned_up(std::move(token));
  }
  return tokens;
}

Tokens byte_level(Tokens tokens) {
  std::string bytes;
  for (const std::string& token : tokens) {
    std::string own;
    bool known = true;
    for_each_character(token, [&](char32_t c, size_t, size_t) {
      const int byte = byte_of(c);
      known &= byte >= 0;
      own.push_back(static_cast<char>(byte));
    });
    bytes += known ? own : token;
  }
  return {lossy_utf8(bytes)};
}

// The byte of "<0x41>", else -1.
int byte_token(const std::string& token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  int value = 0;
  for (const char c : token.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = 16 * value + digit;
  }
  return value;
}

Tokens byte_fallback(const Tokens& tokens) {
  Tokens result;
  std::string bytes;
  const auto flush = [&] {
    if (is_valid_utf8(bytes)) {
      if (!bytes.empty()) result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\uFFFD");
    }
    bytes.clear();
  };
  for (const std::string& token : tokens) {
    const int byte = byte_token(token);
    if (byte >= 0) {
      bytes.push_back(static_cast<char>(byte));
    } else {
      flush();
      result.push_back(token);
    }
  }
  flush();
  return result;
}

Tokens metaspace(Tokens tokens, char32_t replacement, bool keep_first) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string text;
    for_each_character(tokens[i], [&](char32_t c, size_t, size_t) {
      if (c != replacement) {
        append_utf8(text, c);
      } else if (i != 0 || keep_first) {
        text.push_back(' ');
      }
    });
    tokens[i] = std::move(text);
  }
  return tokens;
}

Tokens ctc(const Tokens& tokens, const std::string& pad, const std::string& delimiter,
           bool cleanup) {
  Tokens result;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && tokens[i] == tokens[i - 1]) continue;
    std::string text = replaced(tokens[i], pad, "");
    if (cleanup) text = replaced(cleaned_up(std::move(text)), delimiter, " ");
    if (!text.empty()) result.push_back(std::move(text));
  }
  return result;
}

std::string stripped(const std::string& token, char32_t content, int64_t start, int64_t stop) {
  const std::u32string characters = to_characters(token);
  size_t begin = 0, end = characters.size();
  while (static_cast<int64_t>(begin) < start && begin < end && characters[begin] == content) {
    ++begin;
  }
  size_t last = end;
  while (static_cast<int64_t>(end - last) < stop && last > 0 && characters[last - 1] == content) {
    --last;
  }
  return last <= begin ? "" : to_utf8(characters.substr(begin, last - begin));
}

std::unique_ptr<Decoder> sequence(const JsonView& json) {
  auto parts = std::make_shared<std::vector<std::unique_ptr<Decoder>>>();
  for (size_t i = 0; i < json.size(); ++i) parts->push_back(make_decoder(json[i]));
  return function([parts](Tokens tokens) {
    for (const auto& part : *parts) tokens = part->decode(std::move(tokens));
    return tokens;
  });
}

std::unique_ptr<Decoder> bpe(const JsonView& json) {
  return function([suffix = json.at("suffix").string()](Tokens tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = replaced(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
    }
    return tokens;
  });
}

std::unique_ptr<Decoder> make(const std::string& type, const JsonView& json) {
  if (type == "WordPiece") {
    return function([prefix = json.at("prefix").string(), cleanup = json.at("cleanup").boolean()](
                        Tokens tokens) { return word_piece(std::move(tokens), prefix, cleanup); });
  }
  if (type == "ByteLevel") return function(byte_level);
  if (type == "ByteFallback") return function(byte_fallback);
  if (type == "BPEDecoder") return bpe(json);
  if (type == "Sequence") return sequence(json.at("decoders"));
  if (type == "Fuse") {
    return function([](const Tokens& tokens) -> Tokens { return {join(tokens, "")}; });
  }
  if (type == "Metaspace") {
    return function([replacement = json.at("replacement").character(),
                     keep = json.string_or("prepend_scheme", "always") == "never"](Tokens tokens) {
      return metaspace(std::move(tokens), replacement, keep);
    });
  }
  if (type == "CTC") {
    return function([pad = json.at("pad_token").string(),
                     delimiter = json.at("word_delimiter_token").string(),
                     cleanup = json.at("cleanup").boolean()](const Tokens& tokens) {
      return ctc(tokens, pad, delimiter, cleanup);
    });
  }
  if (type == "Strip") {
    return function([content = json.at("content").character(), start = json.at("start").integer(),
                     stop = json.at("stop").integer()](Tokens tokens) {
      for (std::string& token : tokens) token = stripped(token, content, start, stop);
      return tokens;
    });
  }
  if (type == "Replace") {
    return function([pattern = pattern_from(json.at("pattern")),
                     content = json.at("content").string()](Tokens tokens) {
      size_t searched = 0, bytes = 0;
      for (const std::string& token : tokens) searched += token.size();
      const SearchTime time(searched);
      for (std::string& token : tokens) {
        // An empty match counts as no match, though elsewhere an expression may match nothing.
        if (!token.empty()) token = replaced(token, *pattern, content);
        check_growth(bytes += token.size());
      }
      return tokens;
    });
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Decoder> make_decoder(const JsonView& json) {
  const std::string type = json.at("type").string();
  auto decoder = make(type, json);
  if (decoder == nullptr) {
    raise<Unimplemented>({.what = str(json.path(), " has the type '", type, "'"),
                          .wanted = "BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, "
                                    "Replace, Sequence, Strip or WordPiece"});
  }
  return with_config(std::move(decoder), json);
}

}  // namespace text
}  // namespace systolic::inline v0
