// Vocabularies, lookups and tokens by themselves; what layers make of them is compared with Keras's
// beside the layers.
#include "systolic/preprocessing/lookup.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/io/files/test_files.h"
#include "systolic/preprocessing/encode.h"
#include "systolic/preprocessing/text_tokens.h"

namespace systolic {
namespace {

TEST(Vocabularies, AreReadFromFiles) {
  const TemporaryFolder folder;
  put_file(folder / "words.txt", "a\r\nb c\n\nd\n\n");
  const Vocabulary words(folder / "words.txt");
  EXPECT_EQ(words.tokens(), (std::vector<std::string>{"a", "b c", "", "d"}));
  EXPECT_EQ(words.find("d"), 3);
  EXPECT_EQ(words.find("e"), -1);
  put_file(folder / "numbers.txt", "7\n-3");
  EXPECT_EQ(IntegerVocabulary(folder / "numbers.txt").find(-3), 1);
  EXPECT_THROW(IntegerVocabulary(folder / "words.txt"), InvalidArgument);
  EXPECT_THROW(Vocabulary(folder / "none.txt"), NotFound);
  put_file(folder / "empty.txt", "\n");
  EXPECT_TRUE(Vocabulary(folder / "empty.txt").empty());
}

TEST(Vocabularies, KnowWhatComesTwice) {
  const TokenList<std::string> tokens{"x", "a", "x", "b", "a"};
  EXPECT_EQ(*tokens.repeated_from(0), "x");
  EXPECT_EQ(*tokens.repeated_from(1), "a");
  EXPECT_EQ(tokens.repeated_from(2), nullptr);
  EXPECT_EQ(tokens.find("x"), 2);
}

TEST(Lookups, LearnFromDocuments) {
  TokenCounts<int64_t> counts;
  count_tokens(counts, Literal::of<int32_t>({{5, 5, 9}, {9, 1, 1}}));
  LookupRules<int64_t> rules{.oov_token = -1, .output_mode = "tf_idf"};
  check_rules(rules);
  EXPECT_THROW(Lookup<int64_t>{rules}, FailedPrecondition);
  counts.finish(rules);
  const Lookup<int64_t> lookup(rules);
  EXPECT_EQ(lookup.vocabulary(true), (std::vector<int64_t>{-1, 9, 5, 1}));
  EXPECT_EQ(lookup.place_of(5), 2);
  EXPECT_EQ(lookup.weights().size(), 4u);
  rules.max_tokens = 1;
  EXPECT_THROW(check_rules(rules), InvalidArgument);
}

TEST(Lookups, EncodingsHaveALimit) {
  const std::vector<int64_t> places{0}, splits{0, 1};
  EXPECT_THROW(encode_rows({places, splits}, "count", int64_t{1} << 40), ResourceExhausted);
}

TEST(Tokens, CharactersThatAreNone) {
  const TextRules rules{.standardize = "none", .split = "character"};
  const TokenRows rows = tokens_of(rules, Literal::strings({"a\xC3\xA9\xFF", "\xE2\x82"}));
  EXPECT_EQ(rows.tokens, (std::vector<std::string>{"a", "\xC3\xA9", "\xEF\xBF\xBD", "\xEF\xBF\xBD",
                                                   "\xEF\xBF\xBD"}));
  EXPECT_EQ(rows.row_splits, (std::vector<int64_t>{0, 3, 5}));
}

}  // namespace
}  // namespace systolic
