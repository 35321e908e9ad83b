// The reader of tokenizers, and what they do to texts.
#include <stdexcept>
#include <string>

#include "systolic/text/tokenizer.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

void check(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void check_encoding(const Tokenizer& tokenizer, std::string_view text) {
  const Encoding encoding = tokenizer.encode(text);
  check(encoding.offsets.size() == encoding.ids.size(), "a token has no offsets");
  for (const auto& [begin, end] : encoding.offsets) {
    check(begin <= end && static_cast<size_t>(end) <= text.size(), "offsets outside of the text");
  }
  tokenizer.decode(encoding.ids);
}

}  // namespace

void tokenizer(std::string_view bytes) {
  const size_t end = bytes.find('\0');
  const std::string_view json = bytes.substr(0, end);
  const std::string_view text =
      end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
  attempt([&] {
    const Tokenizer read = Tokenizer::from_json(json);
    attempt([&] { check_encoding(read, text); });
    attempt([&] { check_encoding(read, json.substr(0, 512)); });
    const std::string written = read.to_json();
    check(Tokenizer::from_json(written).to_json() == written, "what is written is read otherwise");
  });
}

}  // namespace fuzz
