#include "systolic/transformers/generation/prompt.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& wanted, const std::string& hint,
                       SourceLocation location) {
  raise<InvalidArgument>(
      {.what = "generate: " + what, .wanted = wanted, .hint = hint, .location = location});
}

struct Arrays {
  Literal ids;
  std::optional<Literal> mask, written = {};
};

const std::vector<std::string> of_prompts{"input_ids", "attention_mask", "token_type_ids"};
const std::vector<std::string> of_sources{"input_ids", "attention_mask", "token_type_ids",
                                          "decoder_input_ids"};

// A tokenizer gives them too; generated tokens are of the first type.
void check_first_type(const Literal& types, SourceLocation location) {
  for (int64_t i = 0; i < types.size(); ++i) {
    if (types.dtype() != DType::string && types.number_at(i) == 0) continue;
    raise<Unimplemented>({.what = "generate: 'token_type_ids' that are not all 0",
                          .wanted = "prompts of one segment",
                          .location = location});
  }
}

Arrays arrays_of(const ModelArrays& given, const std::vector<std::string>& known,
                 SourceLocation location) {
  std::vector<std::optional<Literal>> found(known.size());
  for (size_t i = 0; i < given.arrays().size(); ++i) {
    const std::string name = i < given.names().size() ? given.names()[i]
                             : i < known.size()       ? known[i]
                                                      : str("array ", i);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) fail(str("the input '", name, "'"), join(known), "", location);
    found[static_cast<size_t>(at - known.begin())] = given.arrays()[i];
  }
  if (!found[0]) fail("no 'input_ids'", "the ids of one or more texts", "", location);
  if (found[2]) check_first_type(*found[2], location);
  return {*found[0], found[1], known.size() > 3 ? found[3] : std::nullopt};
}

void check_ids(const Literal& ids, const PromptRules& rules,
               const std::string& input = "input_ids") {
  const std::string got =
      str("'", input, "' of ", to_string(ids.dtype()), " and shape ", ids.shape());
  if (ids.rank() != 2 || !is_integer(ids.dtype()))
    fail(got, "integers, [texts, tokens]", "", rules.location);
  if (ids.size() == 0)
    fail(got + ", an empty prompt", "at least one text of one token",
         "a text that is to begin anew begins with a token such as <|endoftext|>", rules.location);
  for (int64_t i = 0; i < ids.size(); ++i) {
    const int64_t id = ids.integer_at(i);
    if (id >= 0 && id < rules.vocabulary) continue;
    const int64_t tokens = ids.shape()[1];
    fail(str("value ", id, " in '", input, "', row ", i / tokens, ", token ", i % tokens),
         str("ids from 0 to ", rules.vocabulary - 1), "", rules.location);
  }
}

// Which elements are tokens and not padding.
std::vector<bool> shown(const Arrays& arrays, const PromptRules& rules) {
  std::vector<bool> result(static_cast<size_t>(arrays.ids.size()), true);
  const Literal& source = arrays.mask ? *arrays.mask : arrays.ids;
  if (source.shape() != arrays.ids.shape() || source.dtype() == DType::string) {
    fail(str("'attention_mask' of ", to_string(source.dtype()), " and shape ", source.shape()),
         str("0 and 1, ", arrays.ids.shape(), " as 'input_ids'"), "", rules.location);
  }
  for (int64_t i = 0; i < source.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (!arrays.mask) {
      result[at] = !rules.padding || source.integer_at(i) != *rules.padding;
      continue;
    }
    const double value = source.number_at(i);
    if (value != 0 && value != 1)
      fail(str("value ", value, " in 'attention_mask'"), "0 and 1", "", rules.location);
    result[at] = value == 1;
  }
  return result;
}

int64_t start_of(const std::vector<bool>& shown, int64_t row, int64_t tokens,
                 SourceLocation location) {
  const auto begin = shown.begin() + row * tokens, end = begin + tokens;
  const auto first = std::find(begin, end, true);
  if (first == end)
    fail(str("row ", row, " of 'input_ids' is padding alone, an empty prompt"),
         "at least one token in each text", "", location);
  if (std::find(first, end, false) != end) {
    fail(str("row ", row, " of 'input_ids' has padding after its text or within it"),
         "padding in front, so that what comes next follows the text",
         "tokenizer.set_padding_side(\"left\"); where nothing is padding, an attention_mask of 1",
         location);
  }
  return first - begin;
}

}  // namespace

int64_t Prompt::longest() const {
  return tokens() - *std::min_element(starts.begin(), starts.end());
}

Prompt prompt_of(const ModelArrays& given, const PromptRules& rules) {
  const Arrays arrays = arrays_of(given, of_prompts, rules.location);
  check_ids(arrays.ids, rules);
  Prompt prompt{.ids = arrays.ids.convert(DType::i32), .starts = {}};
  const std::vector<bool> tokens = shown(arrays, rules);
  for (int64_t row = 0; row < prompt.rows(); ++row)
    prompt.starts.push_back(start_of(tokens, row, prompt.tokens(), rules.location));
  return prompt;
}

Source source_of(const ModelArrays& given, const PromptRules& rules) {
  const Arrays arrays = arrays_of(given, of_sources, rules.location);
  check_ids(arrays.ids, rules);
  Source source{.ids = arrays.ids.convert(DType::i32),
                .mask = Literal(DType::i32, arrays.ids.shape())};
  const std::vector<bool> tokens = shown(arrays, rules);
  std::copy(tokens.begin(), tokens.end(), source.mask.mutable_data<int32_t>().begin());
  return source;
}

Prompt written_prompt(const ModelArrays& given, int64_t start, int64_t rows,
                      const PromptRules& rules) {
  const Arrays arrays = arrays_of(given, of_sources, rules.location);
  Prompt prompt{.ids = Literal::filled(DType::i32, {rows, 1}, static_cast<double>(start)),
                .starts = std::vector<int64_t>(static_cast<size_t>(rows), 0)};
  if (!arrays.written) return prompt;
  check_ids(*arrays.written, rules, "decoder_input_ids");
  if (arrays.written->shape()[0] != rows)
    fail(str("'decoder_input_ids' of shape ", arrays.written->shape()),
         str("as many rows as 'input_ids', ", rows), "", rules.location);
  prompt.ids = arrays.written->convert(DType::i32);
  return prompt;
}

}  // namespace systolic::inline v0
