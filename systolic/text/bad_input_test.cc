// Damaged files and hostile texts end in errors, or in tokens, soon.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/process/process.h"
#include "systolic/base/text.h"
#include "systolic/text/files/older_files.h"
#include "systolic/text/tokenizer.h"

namespace systolic {
namespace {

constexpr std::string_view bert_parts =
    R"("normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
    R"("strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},)";

std::string word_piece(const std::string& parts, const std::string& vocabulary,
                       const std::string& longest = "100") {
  return "{" + parts +
         R"("model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",)"
         R"("max_input_chars_per_word":)" +
         longest + R"(,"vocab":)" + vocabulary + "}}";
}

TEST(BadTokenizerFiles, ErrorsNameTheMember) {
  const struct {
    std::string json, message;
  } cases[] = {
      {"", "is not JSON"},
      {"{", "is not JSON"},
      {"[]", "expected an object"},
      {"{}", "has no member 'model'"},
      {std::string(100000, '[') + std::string(100000, ']'), "nests deeper than 64 levels"},
      {R"({"model":{"type":"Markov"}})", "has the type 'Markov'"},
      {word_piece("", R"({"a":-1})"), "model.vocab.a"},
      {word_piece("", R"({"a":4294967296})"), "model.vocab.a"},
      {word_piece("", R"({"a":"b"})"), "model.vocab.a"},
      {word_piece("", "[]"), "model.vocab"},
      {word_piece(R"("normalizer":{"type":"Upper"},)", "{}"), "has the type 'Upper'"},
      {word_piece(R"("version":"2.0",)", "{}"), "version"},
      {word_piece(R"("normalizer":{"type":"Replace","pattern":{"Regex":"(a"},"content":""},)",
                  "{}"),
       "cannot be read"},
      {word_piece(R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":)"
                  R"({"id":"X","type_id":0}}],"pair":[],"special_tokens":{}},)",
                  "{}"),
       "one of special_tokens"},
      {word_piece(R"("post_processor":{"type":"TemplateProcessing","single":[{"Sequence":)"
                  R"({"id":"B","type_id":0}}],"pair":[],"special_tokens":{}},)",
                  "{}"),
       "sequence A"},
      {word_piece(R"("padding":{"strategy":{"Fixed":2000000000},"direction":"Right","pad_id":0,)"
                  R"("pad_type_id":0,"pad_token":"x"},)",
                  "{}"),
       "padding.strategy"},
  };
  for (const auto& [json, message] : cases) {
    try {
      Tokenizer::from_json(json);
      ADD_FAILURE() << json.substr(0, 100);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

// Ids that leave room between them, or lie far above their number, are ids all the same.
TEST(BadTokenizerFiles, HolesBetweenIdsHoldNoToken) {
  const Tokenizer tokenizer =
      Tokenizer::from_json(word_piece("", R"({"[UNK]":3,"a":2000000000,"##b":7})"));
  EXPECT_EQ(tokenizer.encode("ab").ids, (std::vector<int32_t>{2000000000, 7}));
  EXPECT_EQ(tokenizer.vocab_size(), 3u);
  EXPECT_FALSE(tokenizer.id_to_token(4).has_value());
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{5, 2000000000, 1 << 30}), "a");
}

// Replacements that contain what they replace grow without end, in one token or in many.
TEST(BadTokenizerFiles, WhatIsDecodedHasABound) {
  const std::string thousand(1000, 'a');
  std::string decoders = R"({"type":"Fuse"})";
  for (int i = 0; i < 4; ++i) {
    decoders += str(R"(,{"type":"Replace","pattern":{"String":"a"},"content":")", thousand, "\"}");
  }
  const Tokenizer tokenizer = Tokenizer::from_json(
      str(R"({"decoder":{"type":"Sequence","decoders":[)", decoders,
          R"(]},"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1}}})"));
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{1}), ResourceExhausted);
  const Tokenizer many = Tokenizer::from_json(
      str(R"({"decoder":{"type":"Replace","pattern":{"String":"a"},"content":")", thousand,
          R"("},"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1}}})"));
  EXPECT_EQ(many.decode(std::vector<int32_t>(3, 1)).size(), 3000u);
  EXPECT_THROW(many.decode(std::vector<int32_t>(300'000, 1)), ResourceExhausted);
}

TEST(BadTokenizerFiles, MergesNameTokens) {
  const auto bpe = [](const std::string& merges) {
    return R"({"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":)" + merges + "}}";
  };
  EXPECT_EQ(Tokenizer::from_json(bpe(R"([["a","b"]])")).encode("ab").ids, std::vector<int32_t>{2});
  for (const char* merges : {R"([["a","c"]])", R"([["b","a"]])", R"(["a"])", R"([["a"]])"}) {
    EXPECT_THROW(Tokenizer::from_json(bpe(merges)), Error) << merges;
  }
}

// All in one line, and one token: work grows as the size does.
TEST(BadTokenizerFiles, ALineOfMegabytesIsRead) {
  std::string vocabulary = R"({"[UNK]":0,"a":1,")";
  vocabulary.append(2 << 20, 'x');
  const Tokenizer tokenizer = Tokenizer::from_json(word_piece("", vocabulary + R"(":2})"));
  EXPECT_EQ(tokenizer.encode("a").ids, std::vector<int32_t>{1});
}

TEST(BadTexts, IllFormedBytesAreReplaced) {
  const Tokenizer tokenizer =
      Tokenizer::from_json(word_piece("", R"({"[UNK]":0,"a":1,"##\ufffd":2,"##b":3})"));
  const struct {
    std::string text;
    std::vector<int32_t> ids;
  } cases[] = {
      {"a\xFF", {1, 2}},
      {"a\xC3", {1, 2}},
      {"a\xE2\x82", {1, 2}},
      {"a\xED\xA0\x80", {1, 2, 2, 2}},
      {"a\xC0\x80", {1, 2, 2}},
      {"a\xF0\x9F"
       "b",
       {1, 2, 3}},
  };
  for (const auto& [text, ids] : cases) EXPECT_EQ(tokenizer.encode(text).ids, ids) << text;
}

TEST(BadTexts, NulAndLongWords) {
  const std::string million(1'000'000, 'a');
  const Tokenizer bert = Tokenizer::from_json(
      word_piece(std::string(bert_parts), R"({"[UNK]":0,"a":1,"##a":2,"##b":3})"));
  EXPECT_EQ(bert.encode(std::string("a\0a", 3)).ids, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(bert.encode(million).ids, std::vector<int32_t>{0});
  EXPECT_EQ(bert.encode("\xC3\xA9" + million).ids, std::vector<int32_t>{0});
  // A token of 2,000 letters that never ends: matching greedily from each letter would look at
  // 2,000 others.
  const std::string end_of_long = std::string(2000, 'a') + "b";
  const Tokenizer all = Tokenizer::from_json(
      word_piece("", R"({"[UNK]":0,"a":1,"##a":2,"##)" + end_of_long + R"(":3})", "10000000"));
  EXPECT_EQ(all.encode(million).size(), 1'000'000u);
}

// A line of vocab.txt that is no token: an index of it would take hundreds of bytes a letter.
TEST(BadTokenizerFiles, LongTokensTakeNoMemoryBeyondTheirOwn) {
  const auto none = text::JsonFile::parse("{}", "none");
  const text::OlderFolder folder{none->root(), none->root(), none->root(), ""};
  const std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n";
  const std::string longest(100, 'a'), line(4'000'000, 'a');
  const int64_t before = peak_memory_bytes();
  const Tokenizer tokenizer =
      text::bert_tokenizer(str(vocabulary, longest, "\n", line, "\n"), folder);
  EXPECT_LT(peak_memory_bytes() - before, 30 * 4'000'000);
  const EncodeOptions plain{.add_special_tokens = false};
  EXPECT_EQ(tokenizer.encode("ab", plain).ids, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(tokenizer.encode(longest, plain).ids, (std::vector<int32_t>{7}));
  EXPECT_EQ(tokenizer.encode(longest + "b", plain).ids, (std::vector<int32_t>{1}));
  EXPECT_EQ(tokenizer.token_to_id(line), 8);
}

// Tokens that each begin the next one, none of which ends in the text, and spaces that each take
// those after them. A search that starts anew at each letter or space would take quadratic time.
TEST(BadTexts, ManyAddedTokensAreFoundInOnePass) {
  const size_t longest = 4000, letters = 1'000'000;
  Tokenizer tokenizer = Tokenizer::from_json(word_piece("", R"({"[UNK]":0})"));
  std::vector<AddedToken> tokens = {{.content = " ", .lstrip = true, .rstrip = true}};
  for (size_t size = 1; size < longest; ++size) {
    tokens.push_back({.content = std::string(size, 'a') + "b"});
  }
  tokenizer.add_tokens(tokens);
  EXPECT_EQ(tokenizer.encode(std::string(letters, 'a')).ids, std::vector<int32_t>{0});
  EXPECT_EQ(tokenizer.encode(std::string(letters, 'a') + "b").ids,
            (std::vector<int32_t>{0, *tokenizer.token_to_id(tokens.back().content)}));
  EXPECT_EQ(tokenizer.encode(std::string(letters, ' ')).ids, std::vector<int32_t>{1});
}

TEST(BadTokenizerFiles, MessagesAreShort) {
  const std::string nines(100'000, '9');
  for (const std::string& json :
       {nines, "[\"" + nines, word_piece("", R"({"a":")" + nines + "\"}")}) {
    try {
      Tokenizer::from_json(json);
      FAIL();
    } catch (const DataLoss& error) {
      EXPECT_LT(std::string(error.what()).size(), 1000u);
    }
  }
}

// Replacements that make a text a thousand times as long, 6 times.
TEST(BadTokenizerFiles, TextsDoNotGrowWithoutEnd) {
  std::string parts = R"("normalizer":{"type":"Sequence","normalizers":[)";
  for (int i = 0; i < 6; ++i) {
    if (i > 0) parts += ",";
    parts += R"({"type":"Replace","pattern":{"String":"a"},"content":")" + std::string(1000, 'a') +
             R"("})";
  }
  const Tokenizer tokenizer =
      Tokenizer::from_json(word_piece(parts + "]},", R"({"[UNK]":0,"a":1})"));
  EXPECT_THROW(tokenizer.encode("a"), ResourceExhausted);
}

// Repetitions of repetitions, which no text matches, and counts inside counts.
// A model of SentencePiece (BPE) of the pieces "a", "aa", "aaa" ...: each is made of all before it.
TEST(BadTokenizerFiles, PiecesThatAreMadeOfEachOther) {
  const auto model = [](size_t pieces) {
    std::string bytes;
    for (size_t size = 1; size <= pieces; ++size) {
      std::string length(1, static_cast<char>(size < 128 ? size : size % 128 + 128));
      if (size >= 128) length += static_cast<char>(size / 128);
      const std::string piece = "\x0a" + length + std::string(size, 'a');
      const size_t all = piece.size();
      bytes += "\x0a";
      bytes += static_cast<char>(all < 128 ? all : all % 128 + 128);
      if (all >= 128) bytes += static_cast<char>(all / 128);
      bytes += piece;
    }
    return bytes + "\x12\x02\x18\x02";
  };
  const auto none = text::JsonFile::parse("{}", "none");
  text::OlderFolder folder{none->root(), none->root(), none->root(), ""};
  EXPECT_EQ(text::sentence_piece_tokenizer(model(20), "m", folder).encode("aaaa").tokens.size(),
            1u);
  try {
    text::sentence_piece_tokenizer(model(500), "m", folder);
    FAIL() << "takes memory as the cube of the pieces";
  } catch (const ResourceExhausted& error) {
    EXPECT_NE(std::string(error.what()).find("made of each other"), std::string::npos);
  }
}

// Each part of the one is combined with each of the other.
TEST(BadTokenizerFiles, PairsOfManyPartsAreBounded) {
  const Tokenizer tokenizer = Tokenizer::from_json(
      word_piece(R"("truncation":{"direction":"Right","max_length":1000,"strategy":"LongestFirst",)"
                 R"("stride":0},"pre_tokenizer":{"type":"Whitespace"},)",
                 R"({"[UNK]":0,"a":1})"));
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "a ";
  EXPECT_EQ(tokenizer.encode_pair(words, "a").size(), 1000u);
  const int64_t before = peak_memory_bytes();
  EXPECT_THROW(tokenizer.encode_pair(words, words), ResourceExhausted);
  EXPECT_LT(peak_memory_bytes() - before, 500'000'000);
}

TEST(BadTokenizerFiles, AddedTokensFindNoNumberBehindTheLast) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"added_tokens":[{"id":0,"content":"?","single_word":false,"lstrip":false,)"
      R"("rstrip":false,"normalized":false,"special":true}],)"
      R"("model":{"type":"WordLevel","unk_token":"?","vocab":{"?":2147483647}}})");
  EXPECT_THROW(tokenizer.add_tokens({{.content = "new"}}), InvalidArgument);
  EXPECT_EQ(tokenizer.token_to_id("new"), std::nullopt);
}

// Each of the parts that truncation cuts off is padded.
TEST(BadTokenizerFiles, PaddingOfManyPartsIsBounded) {
  const Tokenizer tokenizer = Tokenizer::from_json(word_piece(
      R"("truncation":{"direction":"Right","max_length":1,"strategy":"LongestFirst","stride":0},)"
      R"("padding":{"strategy":{"Fixed":1000000},"direction":"Right","pad_to_multiple_of":null,)"
      R"("pad_id":0,"pad_type_id":0,"pad_token":"x"},"pre_tokenizer":{"type":"Whitespace"},)",
      R"({"[UNK]":0,"a":1})"));
  EXPECT_EQ(tokenizer.encode("a").size(), 1'000'000u);
  std::string words;
  for (int i = 0; i < 1000; ++i) words += "a ";
  EXPECT_THROW(tokenizer.encode(words), ResourceExhausted);
}

TEST(BadTokenizerFiles, RegularExpressionsEnd) {
  for (const char* pattern : {"(a*)*b", "(a|a)*b", "((((a{1000}){1000}){1000}){1000}){1000}b"}) {
    try {
      const Tokenizer tokenizer = Tokenizer::from_json(
          word_piece(std::string(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":")") +
                         pattern + R"("},"behavior":"Removed","invert":false},)",
                     R"({"[UNK]":0,"a":1})"));
      tokenizer.encode(std::string(3000, 'a'));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("regular expression"), std::string::npos)
          << error.what();
    }
  }
}

// Each word costs less than a search may, and all of them far more.
TEST(BadTokenizerFiles, RegularExpressionsOfManyPartsEnd) {
  const Tokenizer tokenizer = Tokenizer::from_json(word_piece(
      R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)"
      R"({"type":"Split","pattern":{"Regex":"(a|a)*b"},"behavior":"Removed",)"
      R"("invert":false}]},)",
      R"({"[UNK]":0,"a":1})"));
  const std::string word = std::string(18, 'a') + "cb ";
  EXPECT_EQ(tokenizer.encode(word).size(), 1u);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += word;
  EXPECT_THROW(tokenizer.encode(text), ResourceExhausted);
}

// The same of the tokens that are decoded.
TEST(BadTokenizerFiles, RegularExpressionsOfManyTokensEnd) {
  const std::string token = std::string(18, 'a') + "cb";
  const Tokenizer tokenizer = Tokenizer::from_json(
      word_piece(R"("decoder":{"type":"Replace","pattern":{"Regex":"(a|a)*b"},"content":"-"},)",
                 str(R"({"[UNK]":0,")", token, R"(":1})")));
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{1}), std::string(18, 'a') + "c-");
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>(20'000, 1)), ResourceExhausted);
}

// Looks ahead to the end from each letter, which no limit of retries counts; and one for all
// places.
TEST(BadTokenizerFiles, LooksAheadEndSoon) {
  for (const char* pattern : {"a(?=a*b)|c", "\\\\Ga(?=a*b)|a(?=a*b)"}) {
    const Tokenizer tokenizer = Tokenizer::from_json(
        word_piece(str(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":")", pattern,
                       R"("},"behavior":"Removed","invert":false},)"),
                   R"({"[UNK]":0,"a":1})"));
    EXPECT_EQ(tokenizer.encode(std::string(3000, 'a')).ids, std::vector<int32_t>{0});
    EXPECT_THROW(tokenizer.encode(std::string(200'000, 'a')), ResourceExhausted) << pattern;
  }
}

TEST(BadTokens, NoneIsAddedWhereOneCannotBe) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1}}})");
  EXPECT_THROW(tokenizer.add_tokens({{.content = "<b>"}, {.content = std::string(1 << 20, 'c')}}),
               InvalidArgument);
  EXPECT_EQ(tokenizer.vocab_size(), 2u);
  EXPECT_EQ(tokenizer.to_json().find("<b>"), std::string::npos);
}

// Such a search cannot be taken apart, and tries some ways at each place.
TEST(BadTokenizerFiles, ASearchThatBeginsOnceReadsLongTexts) {
  const Tokenizer tokenizer =
      Tokenizer::from_json(word_piece(R"("pre_tokenizer":{"type":"Split","pattern":)"
                                      R"({"Regex":"\\Ga|bx|by"},)"
                                      R"("behavior":"Isolated","invert":false},)",
                                      R"({"[UNK]":0,"a":1})"));
  EXPECT_EQ(tokenizer.encode("aa" + std::string(60'000, 'b')).ids.size(), 3u);
}

// One word, and one gap, of a long text: a pattern that takes all of it and gives back letter by
// letter, as those of newer models do.
TEST(BadTokenizerFiles, OrdinaryExpressionsReadLongWords) {
  const Tokenizer tokenizer =
      Tokenizer::from_json(word_piece(R"("pre_tokenizer":{"type":"Split","pattern":)"
                                      R"({"Regex":"\\p{Lu}*\\p{Ll}+|\\p{Lu}+|\\s*\\n|\\s+"},)"
                                      R"("behavior":"Isolated","invert":false},)",
                                      R"({"[UNK]":0,"a":1})"));
  const size_t letters = 1'000'000;
  EXPECT_EQ(tokenizer.encode(std::string(letters, 'A')).size(), 1u);
  EXPECT_EQ(tokenizer.encode(std::string(letters, ' ') + "a").size(), 2u);
}

// A text so long that each place is tried by itself is split as its parts are.
TEST(BadTokenizerFiles, LongTextsAreSplitAsShortOnes) {
  const std::string unit = "a1  b22. \u00e9\u4e2d\n";
  for (const char* pattern :
       {R"(\\s+(?!\\S)|\\p{L}+(?=\\d)|\\d)", R"((?<=b)\\d*|\\b)", R"([^a]{3}|$)"}) {
    const Tokenizer tokenizer = Tokenizer::from_json(
        word_piece(str(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":")", pattern,
                       R"("},"behavior":"Isolated","invert":false},)"),
                   R"({"[UNK]":0,"a":1})"));
    std::string text;
    for (int i = 0; i < 100; ++i) text += unit;
    const Encoding shorter = tokenizer.encode(text);
    while (text.size() < 70'000) text += unit;
    const Encoding longer = tokenizer.encode(text);
    ASSERT_GT(shorter.size(), 100u) << pattern;
    for (size_t i = 0; i + 10 < shorter.size(); ++i) {
      ASSERT_EQ(longer.offsets[i], shorter.offsets[i]) << pattern << " at " << i;
    }
  }
}

}  // namespace
}  // namespace systolic
