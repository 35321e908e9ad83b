// Errors name the line of the user's that called, however deep they are raised.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/text/files/auto_tokenizer.h"

namespace systolic {
namespace {

// Knows one letter, has no token for others, and pads every text beyond what is allowed.
constexpr const char* no_unknown = R"({"model":{"type":"WordLevel","unk_token":"?","vocab":{"a":0}},
  "padding":{"strategy":{"Fixed":16777216},"direction":"Right","pad_to_multiple_of":null,
    "pad_id":0,"pad_type_id":0,"pad_token":"x"}})";

void expect_line(const char* what, const std::function<void(SourceLocation)>& call) {
  const std::string error = error_of([&] { call({"users_program.cc", 41}); });
  EXPECT_CONTAINS(error, "  at users_program.cc:41") << what;
}

TEST(CallersLine, OfDamagedFiles) {
  const std::vector<std::pair<std::string, std::string>> folders[] = {
      {},
      {{"tokenizer.json", "{"}},
      {{"tokenizer.json", R"({"model":{"type":"Markov"}})"}},
      {{"tokenizer.json", R"({"model":{"type":"WordLevel","vocab":{"a":-1}}})"}},
      {{"vocab.txt", "a\nb\n"}},
      {{"vocab.json", "{\"a\":0}"}, {"merges.txt", "a c\n"}},
      {{"spiece.model", "\x0a\xff"}},
      {{"tokenizer.json", no_unknown}, {"tokenizer_config.json", "[]"}},
      {{"tokenizer.json", no_unknown}, {"tokenizer_config.json", R"({"padding_side":"up"})"}},
  };
  for (const auto& files : folders) {
    TemporaryFolder folder;
    for (const auto& [name, bytes] : files) put_file(folder / name, bytes);
    expect_line(files.empty() ? "no file" : files[0].second.c_str(),
                [&](SourceLocation at) { AutoTokenizer::from_pretrained(folder / "", at); });
    put_file(folder / "t.json", "{}");
    expect_line("file", [&](SourceLocation at) { Tokenizer::from_file(folder / "t.json", at); });
  }
  expect_line("json", [&](SourceLocation at) { Tokenizer::from_json("{}", "t.json", at); });
}

TEST(CallersLine, OfCalls) {
  Tokenizer tokenizer = Tokenizer::from_json(no_unknown);
  const std::vector<std::string> texts(1000, "b");
  const AddedToken long_token{.content = std::string(5000, 'a')};
  const std::pair<const char*, std::function<void(SourceLocation)>> calls[] = {
      {"encode", [&](SourceLocation at) { tokenizer.encode("b", {}, at); }},
      {"encode_pair", [&](SourceLocation at) { tokenizer.encode_pair("b", "b", {}, at); }},
      {"encode_words", [&](SourceLocation at) { tokenizer.encode_words(texts, {}, at); }},
      {"encode_batch", [&](SourceLocation at) { tokenizer.encode_batch(texts, {}, at); }},
      {"pairs", [&](SourceLocation at) { tokenizer.encode_batch(texts, texts, {}, at); }},
      {"call", [&](SourceLocation at) { tokenizer(texts, {}, at); }},
      {"padding", [&](SourceLocation at) { tokenizer.encode("a", {}, at); }},
      {"train",
       [&](SourceLocation at) { tokenizer.train(texts, {.special_tokens = {long_token}}, at); }},
      {"add_tokens", [&](SourceLocation at) { tokenizer.add_tokens({long_token}, at); }},
      {"set_truncation",
       [&](SourceLocation at) {
         tokenizer.set_truncation(TruncationParameters{.max_length = -1}, at);
       }},
      {"set_padding",
       [&](SourceLocation at) { tokenizer.set_padding(PaddingParameters{.length = -1}, at); }},
      {"model_max_length", [&](SourceLocation at) { tokenizer.set_model_max_length(-1, at); }},
      {"decode_batch", [&](SourceLocation at) { tokenizer.decode_batch(Literal(), true, at); }},
      {"save", [&](SourceLocation at) { tokenizer.save("", at); }},
  };
  for (const auto& [what, call] : calls) expect_line(what, call);
}

}  // namespace
}  // namespace systolic
