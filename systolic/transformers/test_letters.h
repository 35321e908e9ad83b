// For tests: a tokenizer of letters, and texts of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/text/tokenizer.h"

namespace systolic {

// Words are single letters; [PAD] is 0, [CLS] 2, [SEP] 3.
inline Tokenizer letters() {
  std::string vocabulary = R"("[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3)";
  for (char letter = 'a'; letter <= 'z'; ++letter)
    vocabulary += str(",\"", letter, "\":", 4 + letter - 'a');
  const auto special = [](int id, const char* content) {
    return str(
        R"({"id":)", id, R"(,"content":")", content,
        R"(","special":true,"normalized":false,"single_word":false,"lstrip":false,"rstrip":false})");
  };
  Tokenizer tokenizer = Tokenizer::from_json(
      str(R"({"added_tokens":[)", special(0, "[PAD]"), ",", special(2, "[CLS]"), ",",
          special(3, "[SEP]"), R"(],"pre_tokenizer":{"type":"WhitespaceSplit"},)",
          R"("post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},)",
          R"("model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{)", vocabulary, "}}}"));
  tokenizer.no_padding();
  return tokenizer;
}

// Text i has i % 13 letters and label i.
inline data::Dataset texts(int64_t count) {
  return data::range(count).map([](const Example& element) -> Example {
    const int64_t i = element["value"].integer_at(0);
    std::string text;
    for (int64_t letter = 0; letter < i % 13; ++letter) text += letter == 0 ? "a" : " b";
    return {{"index", Literal::scalar(i)},
            {"sentence", Literal::scalar(text)},
            {"label", Literal::scalar<int64_t>(i)}};
  });
}

// Rows of ids 10, 11, ... with a 0 that the mask leaves out in front, and these labels.
inline data::Dataset tokenized(const std::vector<int32_t>& lengths,
                               const std::function<Example(int64_t row, int64_t length)>& labels) {
  const auto count = static_cast<int64_t>(lengths.size());
  return data::range(count).map([lengths, labels](const Example& element) -> Example {
    const int64_t row = element["value"].integer_at(0);
    const int64_t length = lengths[static_cast<size_t>(row)];
    std::vector<int64_t> ids{0}, mask{0};
    for (int64_t i = 0; i < length; ++i) {
      ids.push_back(10 + i);
      mask.push_back(1);
    }
    Example result = labels(row, length);
    result.set("input_ids", Literal::from(ids, {length + 1}));
    result.set("attention_mask", Literal::from(mask, {length + 1}));
    return result;
  });
}

}  // namespace systolic
