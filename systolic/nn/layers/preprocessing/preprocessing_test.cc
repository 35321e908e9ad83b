// Lookups, hashes, texts and statistics against Keras's (golden/make_preprocessing.py), what they
// refuse, and integers looked up in a model.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/hashed_crossing.h"
#include "systolic/nn/layers/preprocessing/hashing.h"
#include "systolic/nn/layers/preprocessing/integer_lookup.h"
#include "systolic/nn/layers/preprocessing/normalization.h"
#include "systolic/nn/layers/preprocessing/string_lookup.h"
#include "systolic/nn/layers/preprocessing/test_golden.h"
#include "systolic/nn/layers/preprocessing/text_vectorization.h"

namespace systolic {
namespace {

Config golden_cases() { return golden_json(__FILE__, "preprocessing.json"); }

Literal golden_array(const Config& json) {
  std::vector<int64_t> sizes;
  from_config(json["shape"], sizes);
  const Shape shape{std::span<const int64_t>(sizes)};
  const std::string& dtype = json["dtype"].text_value();
  if (dtype == "string") {
    std::vector<std::string> values;
    from_config(json["values"], values);
    const std::vector<std::string_view> views(values.begin(), values.end());
    return Literal::strings(views, shape);
  }
  if (dtype == "i64") {
    std::vector<int64_t> values;
    from_config(json["values"], values);
    return Literal::from(values, shape);
  }
  std::vector<double> values;
  from_config(json["values"], values);
  return Literal::from(values, shape).convert(DType::f32);
}

// Keras gives encodings in i64, which are f32 here.
void expect_equals(const Literal& got, const Literal& wanted) {
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i) {
    if (wanted.dtype() == DType::string) {
      EXPECT_EQ(got.string_at(i), wanted.string_at(i)) << i;
    } else {
      const double value = wanted.number_at(i);
      EXPECT_NEAR(got.number_at(i), value, 1e-6 * std::max(1.0, std::abs(value))) << i;
    }
  }
}

template <class Spec>
Spec layer_of(const Config& one) {
  Config config = one["config"];
  Config kept{Config::Map{}};
  for (const auto& [name, value] : config.map()) {
    if (name == "axis" && !value.is_list())
      kept.set(name, value.is_null() ? Config::List{} : Config::List{value});
    else if (name != "ragged")
      kept.set(name, value);
  }
  Spec layer = spec_from<Spec>(kept);
  if constexpr (requires { layer.adapt(Literal()); }) {
    if (const Config* data = one.find("adapt")) layer.adapt(golden_array(*data));
  }
  if constexpr (requires { layer.get_vocabulary(); }) {
    std::vector<std::string> got, wanted;
    for (const auto& token : layer.get_vocabulary()) got.push_back(str(token));
    from_config(one["vocabulary"], wanted);
    EXPECT_EQ(got, wanted);
  }
  return layer;
}

void check_case(const Config& one) {
  const std::string& kind = one["kind"].text_value();
  std::vector<Literal> inputs;
  for (const Config& x : one["inputs"].list()) inputs.push_back(golden_array(x));
  const Literal wanted = golden_array(one["output"]);
  if (const Config* splits = one.find("row_splits")) {
    const Example rows = layer_of<TextVectorization>(one).ragged(inputs[0]);
    expect_equals(rows["row_splits"], golden_array(*splits));
    return expect_equals(rows["values"], wanted);
  }
  if (kind == "HashedCrossing") return expect_equals(layer_of<HashedCrossing>(one)(inputs), wanted);
  if (kind == "Hashing") return expect_equals(layer_of<Hashing>(one)(inputs[0]), wanted);
  if (kind == "StringLookup") return expect_equals(layer_of<StringLookup>(one)(inputs[0]), wanted);
  if (kind == "TextVectorization")
    return expect_equals(layer_of<TextVectorization>(one)(inputs[0]), wanted);
  if (kind == "Normalization")
    return expect_equals(Layer(layer_of<Normalization>(one))(Tensor(inputs[0])).literal(), wanted);
  ASSERT_EQ(kind, "IntegerLookup");
  const auto lookup = layer_of<IntegerLookup>(one);
  expect_equals(lookup(inputs[0]), wanted);
  if (lookup.oov_method.is("floormod"))  // the device has no hashes
    expect_equals(Layer(lookup)(Tensor(inputs[0])).literal(), wanted);
}

TEST(PreprocessingGolden, GivesWhatKerasGives) {
  const Config cases = golden_cases();
  ASSERT_GT(cases["cases"].list().size(), 90u);
  for (const Config& one : cases["cases"].list()) {
    SCOPED_TRACE(str(one["kind"].text_value(), " ", one["config"].text()));
    EXPECT_NO_THROW(check_case(one));
  }
}

TEST(Preprocessing, ConfigurationsComeBack) {
  const Standardize standardize = "none";
  const TextSplit split = "character";
  const TextOutput output_mode = "count";
  TextVectorization layer{.standardize = standardize,
                          .split = split,
                          .ngrams = Ngrams{2, 3},
                          .output_mode = output_mode,
                          .vocabulary = Vocabulary{"a b", "c"}};
  const Config config = Layer(layer).get_config();
  EXPECT_EQ(config["config"]["standardize"], Config());
  EXPECT_EQ(layer_from_config(config).get_config(), config);
  const Config lookup =
      Layer(StringLookup{.mask_token = "", .vocabulary = {"a"}, .salt = HashSalt(3)}).get_config();
  EXPECT_EQ(layer_from_config(lookup).get_config(), lookup);
  const Config hashing = Layer(Hashing{.num_bins = 3, .mask_value = MaskValue(0)}).get_config();
  EXPECT_EQ(layer_from_config(hashing).get_config(), hashing);
}

TEST(Preprocessing, OwnFunctionsStandardizeAndSplit) {
  TextVectorization layer{
      .vocabulary = {"A", "B"},
      .standardize_function =
          [](std::string_view text) { return std::string(text.substr(0, text.find('#'))); },
      .split_function =
          [](std::string_view text) {
            std::vector<std::string> letters;
            for (const char c : text) letters.emplace_back(1, c);
            return letters;
          }};
  expect_equals(layer(Literal::strings({"BA#AA", "C"})), Literal::of<int64_t>({{3, 2}, {1, 0}}));
}

TEST(Preprocessing, TextStaysOnTheHost) {
  const Layer layer = StringLookup{.vocabulary = {"a"}};
  EXPECT_THROW(layer(Tensor(Literal::of<float>({1}))), Unimplemented);
}

TEST(Preprocessing, IntegersBeyondI32AreUnknownToIntegersOfThatType) {
  const int64_t large = int64_t{1} << 32;
  const Layer layer = IntegerLookup{.vocabulary = IntegerVocabulary{large + 5, 5}};
  expect_equals(layer(Tensor(Literal::of<int32_t>({5, 6}))).literal(),
                Literal::of<int64_t>({2, 0}));
  expect_equals(layer(Tensor(Literal::of<int64_t>({5, large + 5}))).literal(),
                Literal::of<int64_t>({2, 1}));
}

TEST(Preprocessing, NormalizationWithoutStatisticsHasThemAsWeights) {
  const Layer layer = Normalization{.axis = {1}};
  const Tensor x(Literal::of<float>({{1, 2}, {3, 5}}));
  expect_equals(layer(x).literal(), x.literal());
  const std::vector<Variable> weights = layer.weights();  // as a file of Keras has them
  ASSERT_EQ(weights.size(), 3u);
  EXPECT_EQ(weights[2].dtype(), DType::i32);
  weights[0].set(Literal::of<float>({2, 3}));
  weights[1].set(Literal::of<float>({1, 4}));
  expect_equals(layer(x).literal(), Literal::of<float>({{-1, -0.5}, {1, 1}}));
}

TEST(Preprocessing, MomentsOfBatchesAreThoseOfAll) {
  RunningMoments moments({-1});
  moments.add(Literal::of<float>({{1, 2}, {3, 4}}));
  moments.add(Literal::of<float>({{8, 0}}));
  expect_equals(moments.mean(), Literal::of<float>({4, 2}));
  expect_equals(moments.variance(), Literal::of<double>({26.0 / 3, 8.0 / 3}));
  EXPECT_THROW(moments.add(Literal::of<float>({{1, 2, 3}})), InvalidArgument);
}

TEST(Preprocessing, UnknownNamesAreRefused) {
  EXPECT_THROW(Choice<CrossingOutputNames>::parse("count"), InvalidArgument);
  EXPECT_THROW(Choice<OovMethodNames>::parse("sha"), InvalidArgument);
  EXPECT_THROW(Choice<LookupOutputNames>::parse("binary"), InvalidArgument);
  EXPECT_THROW(Choice<StandardizeNames>::parse("upper"), InvalidArgument);
  EXPECT_THROW(Choice<TextSplitNames>::parse("word"), InvalidArgument);
  EXPECT_THROW(Choice<TextOutputNames>::parse("one_hot"), InvalidArgument);
}

// What each call says.
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Preprocessing, WrongInputIsRefused) {
  const Literal words = Literal::strings({"a", "b"});
  const struct {
    const char* wanted;
    std::function<void()> call;
  } cases[] = {
      {"has 'a' twice",
       [&] {
         StringLookup{.vocabulary = {"a", "b", "a"}}(words);
       }},
      {"there is no vocabulary", [&] { StringLookup{}(words); }},
      {"there is no vocabulary", [&] { TextVectorization{}(words); }},
      {"adapt found no tokens", [] { StringLookup{}.adapt(Literal(DType::string, {0})); }},
      {"adapt found no tokens",
       [] {
         TextVectorization{}.adapt(Literal::strings({" ", "..."}));
       }},
      {"adapt found no values",
       [] {
         Normalization{}.adapt(Literal(DType::f32, {0, 3}));
       }},
      {"adapt found no values", [] { Normalization{}.adapt(std::vector<Example>{}); }},
      {"special token '[UNK]' stands at place 1",
       [] {
         StringLookup{.vocabulary = {"a", "[UNK]"}, .invert = true}(Literal::of<int64_t>({0}));
       }},
      {"at most max_tokens, 2",
       [&] {
         StringLookup{.max_tokens = 2, .vocabulary = {"a", "b"}}(words);
       }},
      {"'b' is not in the vocabulary",
       [&] { StringLookup{.num_oov_indices = 0, .vocabulary = {"a"}}(words); }},
      {"1 idf_weights for 2 tokens",
       [&] {
         StringLookup{.vocabulary = {"a", "b"},
                      .idf_weights = TokenWeights{1},
                      .output_mode = "tf_idf"}(words);
       }},
      {"idf_weights with output_mode \"int\"",
       [&] { StringLookup{.vocabulary = {"a"}, .idf_weights = {1}}(words); }},
      {"invert with output_mode \"count\"",
       [&] { StringLookup{.vocabulary = {"a"}, .invert = true, .output_mode = "count"}(words); }},
      {"pad_to_max_tokens without max_tokens",
       [&] { StringLookup{.vocabulary = {"a"}, .pad_to_max_tokens = true}(words); }},
      {"expected strings", [] { StringLookup{.vocabulary = {"a"}}(Literal::of<int64_t>({1})); }},
      {"expected integers", [&] { IntegerLookup{.vocabulary = {1}}(words); }},
      {"num_oov_indices = 0 in a model",
       [] {
         Layer(IntegerLookup{.num_oov_indices = 0, .vocabulary = {1}})(
             Tensor(Literal::of<int64_t>({1})));
       }},
      {"salt with oov_method",
       [] { IntegerLookup{.vocabulary = {1}, .salt = 3}(Literal::of<int64_t>({1})); }},
      {"expected strings [rows] or [rows, 1]",
       [&] {
         TextVectorization{.vocabulary = {"a"}}(words.reshape({1, 2}));
       }},
      {"output_sequence_length is 3 with output_mode \"count\"",
       [&] {
         TextVectorization{
             .output_mode = "count", .output_sequence_length = 3, .vocabulary = {"a"}}(words);
       }},
      {"no-such-file.txt", [&] { StringLookup{.vocabulary = "no-such-file.txt"}(words); }},
      {"num_bins", [&] { Hashing{.num_bins = 0}(words); }},
      {"mask_value is a number", [&] { Hashing{.num_bins = 2, .mask_value = 0}(words); }},
      {"called on 1 inputs", [&] { HashedCrossing{.num_bins = 2}({words}); }},
      {"of one shape",
       [&] {
         HashedCrossing{.num_bins = 2}({words, Literal::of<int64_t>({1})});
       }},
      {"mean without variance",
       [] { Layer(Normalization{.mean = Statistics(1)})(Tensor(Literal::of<float>({1}))); }},
      {"mean of shape (3,) for an input of shape (2,)",
       [] {
         Layer(Normalization{.mean = {1, 2, 3}, .variance = {1, 2, 3}})(
             Tensor(Literal::of<float>({1, 2})));
       }},
      {"axis 3 of an input with 1 axes",
       [] {
         Normalization{.axis = {3}}.adapt(Literal::of<float>({1, 2}));
       }},
  };
  for (const auto& one : cases) {
    const std::string error = error_of(one.call);
    EXPECT_NE(error.find(one.wanted), std::string::npos) << one.wanted << "\n" << error;
  }
}

}  // namespace
}  // namespace systolic
