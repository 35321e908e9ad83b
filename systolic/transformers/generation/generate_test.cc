// generate() against transformers: golden/make_generated.py. What it draws, what it keeps compiled,
// what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/generation/program/generate_programs.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t never = 59, padding = 0;  // of the recipe
constexpr SourceLocation here{"user.cc", 7};

// The golden model with a head of its own.
class GenerateTest : public testing::Test {
 protected:
  GenerateTest() { write_untied_model("gpt2", folder_ / ""); }
  PretrainedModel model() const {
    return AutoModelForCausalLM::from_pretrained(folder_ / "",
                                                 {.config = {{"tie_word_embeddings", false}}});
  }
  const Literal& wanted(const std::string& name) const { return values_[name]; }
  Example prompts() const {
    return {{"input_ids", wanted("input_ids")}, {"attention_mask", wanted("attention_mask")}};
  }
  // The text of a row, without its padding, [1, tokens].
  Literal text(int64_t row) const {
    std::vector<int32_t> ids;
    for (int64_t i = 7 * row; i < 7 * (row + 1); ++i) {
      if (wanted("attention_mask").integer_at(i) == 1)
        ids.push_back(static_cast<int32_t>(wanted("input_ids").integer_at(i)));
    }
    return Literal::from(ids, {1, static_cast<int64_t>(ids.size())});
  }
  static std::vector<int64_t> last(const Literal& ids, int64_t count) {
    std::vector<int64_t> result;
    for (int64_t i = ids.size() - count; i < ids.size(); ++i) result.push_back(ids.integer_at(i));
    return result;
  }

  Example values_ = io::read_safetensors(golden_folder("gpt2") + "/generated.safetensors").tensors;
  TemporaryFolder folder_;
  CaughtLog log_;
};

TEST_F(GenerateTest, GivesTheIdsOfTransformers) {
  const PretrainedModel model = this->model();
  const struct {
    const char* name;
    GenerationConfig options;
  } table[] = {
      {"plain", {.max_new_tokens = 12, .eos_token_id = never, .pad_token_id = padding}},
      {"plain", {.max_length = 19, .eos_token_id = never, .pad_token_id = padding}},
      {"penalized", {.max_new_tokens = 12, .repetition_penalty = 1.7, .eos_token_id = never}},
      {"ended",
       {.max_new_tokens = 12,
        .eos_token_id = {never, wanted("eos_token_id").integer_at(0)},
        .pad_token_id = padding}},
      {"long", {.max_new_tokens = 18, .eos_token_id = never}},
      {"long", {.max_length = 1000, .eos_token_id = never}},  // positions end before
      {"delayed",
       {.max_new_tokens = 12,
        .min_new_tokens = 7,
        .eos_token_id = wanted("eos_token_id").integer_at(0),
        .pad_token_id = padding}},
      {"least_length",
       {.max_new_tokens = 12,
        .min_length = 13,
        .eos_token_id = wanted("eos_token_id").integer_at(0),
        .pad_token_id = padding}},
      {"no_pairs", {.max_new_tokens = 18, .no_repeat_ngram_size = 2, .eos_token_id = never}},
      {"no_triples",
       {.max_new_tokens = 18,
        .repetition_penalty = 0.8,
        .no_repeat_ngram_size = 3,
        .eos_token_id = never}},
  };
  for (const auto& row : table) {
    EXPECT_EQ(model.generate(prompts(), row.options), wanted(row.name).convert(DType::i32))
        << row.name;
  }
  // Without a mask, padding in front is known by its token.
  EXPECT_EQ(model.generate(wanted("input_ids"), table[0].options),
            wanted("plain").convert(DType::i32));
}

TEST_F(GenerateTest, PaddingChangesNothing) {
  const PretrainedModel model = this->model();
  for (int64_t row = 0; row < 3; ++row) {
    const Literal ids = model.generate(text(row), {.max_new_tokens = 12, .eos_token_id = never});
    EXPECT_EQ(last(ids, 12), last(wanted("plain").row(row), 12)) << row;
  }
}

TEST_F(GenerateTest, GivesWhatPredictGivesTokenByToken) {
  const PretrainedModel tied = AutoModelForCausalLM::from_pretrained(golden_folder("gpt2"));
  for (const PretrainedModel& model : {model(), tied}) {
    Literal ids = text(0);
    for (int step = 0; step < 6; ++step) {
      const Literal scores = model.predict(ids);
      const int64_t tokens = ids.shape()[1], vocabulary = scores.shape()[2];
      std::vector<int32_t> longer;
      for (int64_t i = 0; i < tokens; ++i)
        longer.push_back(static_cast<int32_t>(ids.integer_at(i)));
      int64_t best = 0;
      for (int64_t k = 1; k < vocabulary; ++k) {
        const auto score = [&](int64_t token) {
          return scores.number_at((tokens - 1) * vocabulary + token);
        };
        if (score(k) > score(best)) best = k;
      }
      longer.push_back(static_cast<int32_t>(best));
      ids = Literal::from(longer, {1, tokens + 1});
    }
    EXPECT_EQ(model.generate(text(0), {.max_new_tokens = 6, .eos_token_id = never}), ids);
  }
}

// The slots after those that are read hold what must not be seen.
TEST_F(GenerateTest, ScoresAreThoseWithoutACache) {
  const PretrainedModel model = this->model();
  const GenerationSpec sizes = *model.config().architecture().decoder();
  const Decoder decoder(model.network(), model.config().architecture().body_name(), sizes);
  const Literal ids =
      wanted("long").convert(DType::i32).rows(0, 1).reshape({25}).rows(0, 24).reshape({1, 24});
  const Literal whole = model.predict(ids);  // [1, 24, 60]
  Tensors caches = decoder.empty(1, 40);
  const Tensor all_ids(ids), starts = constant({0});
  for (int64_t read = 0, next = 9; next <= 24; read = next, next += 5) {
    const Tensor part = all_ids[{all, Slice{.begin = read, .end = next}}];
    const Literal scores =
        decoder.read(part, starts, constant(static_cast<int32_t>(read)), caches).literal();
    const Literal without = whole.row(0).rows(next - 1, next);
    EXPECT_LT(largest_difference(scores, without), output_tolerance) << next;
  }
}

TEST_F(GenerateTest, EndsWhereItShould) {
  const PretrainedModel model = this->model();
  const auto ids_of = [&](int64_t tokens) {
    return wanted("long")
        .convert(DType::i32)
        .rows(0, 1)
        .reshape({25})
        .rows(0, tokens)
        .reshape({1, tokens});
  };
  // The last position, and after it a token that takes none.
  EXPECT_EQ(model.generate(ids_of(24), {.max_new_tokens = 1, .eos_token_id = never}), ids_of(25));
  EXPECT_EQ(model.generate(ids_of(24), {.max_length = 25, .eos_token_id = never}), ids_of(25));
  EXPECT_EQ(model.generate(ids_of(23), {.max_new_tokens = 1, .eos_token_id = never}), ids_of(24));
  EXPECT_EQ(model.generate(ids_of(23), {.eos_token_id = never}), ids_of(24));
  // Padding takes no position, but counts in max_length.
  std::vector<int32_t> padded(23, padding);
  for (const int64_t id : last(ids_of(7), 7)) padded.push_back(static_cast<int32_t>(id));
  EXPECT_EQ(last(model.generate(Literal::from(padded, {1, 30}),
                                {.max_length = 33, .eos_token_id = never}),
                 10),
            last(ids_of(10), 10));
  // All texts end with their first token; one that the prompt holds already ends none.
  EXPECT_EQ(model.generate(ids_of(7), {.max_new_tokens = 12, .eos_token_id = 45}), ids_of(8));
  EXPECT_EQ(model.generate(ids_of(7), {.max_new_tokens = 3, .eos_token_id = 14}), ids_of(10));
  // Without a token that ends texts, and rows that only fill up cores.
  const PretrainedModel eight =
      TPUStrategy(TPUClusterResolver("local")).scope([&] { return this->model(); });
  EXPECT_EQ(
      eight.generate(ids_of(7), {.max_new_tokens = 3, .eos_token_id = -1, .pad_token_id = -1}),
      ids_of(10));
}

TEST_F(GenerateTest, LengthsShareAProgram) {
  const PretrainedModel model = this->model();
  const CaughtLog log;
  const auto generate = [&](int64_t tokens, int64_t count) {
    const Literal ids = Literal::filled(DType::i32, {1, tokens}, 5);
    EXPECT_EQ(model.generate(ids, {.max_new_tokens = count, .eos_token_id = never}, here).shape(),
              (Shape{1, tokens + count}));
  };
  generate(1, 3);
  generate(5, 8);
  generate(8, 1);
  EXPECT_EQ(log.lines(), "");
  generate(9, 8);
  const std::string said = log.lines();
  for (const char* part : {"generate of model 'gpt2_lm_head_model'", "user.cc:7", "2 programs",
                           "prompts, rounded up, was 8, is 16"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  generate(17, 8);
  EXPECT_NE(log.lines().find("was 16, is 32"), std::string::npos) << log.lines();
}

TEST_F(GenerateTest, DrawsFromTheSoftmax) {
  constexpr int64_t rows = 4000;
  const PretrainedModel model = this->model();
  const Literal scores = model.predict(text(2));  // of one token
  std::vector<int32_t> prompt(rows, static_cast<int32_t>(text(2).integer_at(0)));
  const Literal drawn = model.generate(
      Literal::from(prompt, {rows, 1}),
      {.max_new_tokens = 1, .do_sample = true, .top_k = 0, .eos_token_id = never, .seed = 5});
  double total = 0;
  for (int64_t token = 0; token < 60; ++token) total += std::exp(scores.number_at(token));
  std::vector<int64_t> counts(60);
  for (int64_t row = 0; row < rows; ++row)
    ++counts.at(static_cast<size_t>(drawn.integer_at(2 * row + 1)));
  for (int64_t token = 0; token < 60; ++token) {
    const double p = std::exp(scores.number_at(token)) / total;
    // Five standard deviations, and one token more.
    EXPECT_NEAR(static_cast<double>(counts[static_cast<size_t>(token)]), rows * p,
                5 * std::sqrt(rows * p * (1 - p)) + 1)
        << token;
  }
}

TEST_F(GenerateTest, DrawsTheSameOnAnyNumberOfCores) {
  const GenerationConfig options{.max_new_tokens = 9,
                                 .do_sample = true,
                                 .top_k = 7,
                                 .top_p = 0.9,
                                 .eos_token_id = never,
                                 .seed = 3};
  GenerationConfig other = options;
  other.seed = 4;
  const PretrainedModel one = this->model();
  const Literal ids = one.generate(prompts(), options);
  EXPECT_EQ(one.generate(prompts(), options), ids);
  EXPECT_NE(one.generate(prompts(), other), ids);
  const PretrainedModel eight =
      TPUStrategy(TPUClusterResolver("local")).scope([&] { return this->model(); });
  EXPECT_EQ(eight.num_replicas(), 8);
  EXPECT_EQ(eight.generate(prompts(), options), ids);
  EXPECT_EQ(eight.generate(prompts(), {.max_new_tokens = 12, .eos_token_id = never}),
            wanted("plain").convert(DType::i32));
}

TEST(GeneratePrograms, KeepsThoseThatRanLast) {
  const auto program = [] {
    return CompiledGeneration{
        .begin = std::make_shared<Program>(
            std::vector<ProgramParameter>{}, [](const Tensors&) { return Tensors{constant(1)}; },
            ProgramOptions{}),
        .round = {}};
  };
  const auto shape = [](int64_t rows) { return GenerateShape{.rows = rows}; };
  GeneratePrograms programs(2);
  const auto one = program(), two = program(), three = program();
  programs.add(shape(1), one);
  programs.add(shape(2), two);
  EXPECT_EQ(programs.find(shape(1)).begin, one.begin);
  programs.add(shape(3), three);
  EXPECT_EQ(programs.find(shape(2)).begin, nullptr);
  EXPECT_EQ(programs.find(shape(1)).begin, one.begin);
  EXPECT_EQ(programs.find(shape(3)).begin, three.begin);
  EXPECT_EQ(programs.kept().size(), 2u);
  EXPECT_EQ(programs.made(), 3u);
}

TEST_F(GenerateTest, ReadsTheFoldersGenerationConfig) {
  const auto write = [&](const std::string& json) {
    io::write_file(folder_ / "generation_config.json", json);
    return model();
  };
  const std::string end = std::to_string(wanted("eos_token_id").integer_at(0));
  const PretrainedModel ending =
      write(R"({"max_new_tokens": 12, "top_k": 50, "num_beams": 1, "eos_token_id": [)" + end +
            R"(, 59], "pad_token_id": 0, "transformers_version": "5.23.0"})");
  EXPECT_EQ(ending.generate(prompts()), wanted("ended").convert(DType::i32));
  EXPECT_EQ(ending.generate(prompts(), {.eos_token_id = never}),
            wanted("plain").convert(DType::i32));
  ending.save_pretrained(folder_ / "saved");
  EXPECT_EQ(AutoModelForCausalLM::from_pretrained(folder_ / "saved").generate(prompts()),
            wanted("ended").convert(DType::i32));

  // What a file has, a call replaces.
  EXPECT_EQ(write(R"({"max_new_tokens": 12, "num_beams": 4, "pad_token_id": 0})")
                .generate(prompts(), {.num_beams = 1, .eos_token_id = never}),
            wanted("plain").convert(DType::i32));

  const struct {
    const char* json;
    std::vector<std::string> parts;
  } table[] = {
      {R"({"num_return_sequences": 2})", {"num_return_sequences = 2", ".do_sample = true"}},
      {R"({"early_stopping": "soon"})", {"'early_stopping'", "\"soon\"", "never"}},
      {R"({"length_penalty": "long"})", {"'length_penalty'", "\"long\""}},
      {R"({"num_beams": 0})", {"generation_config.json", "'num_beams'", "got 0"}},
      {R"({"min_p": 2})", {"generation_config.json", "'min_p'", "got 2"}},
      {R"({"typical_p": 0})", {"typical_p = 0"}},
      {R"({"min_new_tokens": -1})", {"'min_new_tokens'", "got -1"}},
      {R"({"no_repeat_ngram_size": 1e30})", {"'no_repeat_ngram_size'"}},
      {R"({"temperature": -1})", {"generation_config.json", "'temperature'", "-1"}},
      {R"({"max_length": 0})", {"generation_config.json", "'max_length'", "got 0", "from 1 to"}},
      {R"({"top_p": "high"})", {"'top_p'", "\"high\""}},
      {R"({"eos_token_id": [[]]})", {"'eos_token_id'"}},
      {R"({"max_new_tokens": 9223372036854775808})", {"'max_new_tokens'"}},
  };
  for (const auto& row : table) {
    const PretrainedModel model = write(row.json);
    try {
      model.generate(prompts(), {}, here);
      ADD_FAILURE() << row.json;
    } catch (const Error& error) {
      for (const std::string& part : row.parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << part << " in " << error.what();
    }
  }
  EXPECT_THROW(write("["), InvalidArgument);
}

TEST_F(GenerateTest, RefusesWhatCannotBe) {
  const PretrainedModel model = this->model();
  const Literal ids = Literal::filled(DType::i32, {2, 7}, 5);
  Literal after = Literal::filled(DType::i32, {2, 7}, 1), unknown = ids;
  after.mutable_data<int32_t>()[13] = 0;
  unknown.mutable_data<int32_t>()[9] = 60;
  const Literal fractions = Literal::filled(DType::f32, {2, 7}, 0.5);
  const auto with_mask = [&](const Literal& mask) {
    return Example{{"input_ids", ids}, {"attention_mask", mask}};
  };
  const struct {
    const char* what;
    ModelArrays prompts;
    GenerationConfig options;
    std::vector<std::string> parts;
  } table[] = {
      {"no token", Literal::zeros(DType::i32, {2, 0}), {}, {"empty prompt", "(2, 0)"}},
      {"no text", Literal::zeros(DType::i32, {0, 3}), {}, {"empty prompt"}},
      {"no axis of texts", Literal::zeros(DType::i32, {7}), {}, {"(7,)", "[texts, tokens]"}},
      {"no integers", fractions, {}, {"f32", "integers"}},
      {"no such token", unknown, {}, {"value 60", "row 1, token 2", "0 to 59"}},
      {"only padding", with_mask(Literal::zeros(DType::i32, {2, 7})), {}, {"row 0", "padding"}},
      {"padding after", with_mask(after), {}, {"row 1", "padding in front"}},
      {"half a mask", with_mask(fractions), {}, {"0.5", "'attention_mask'"}},
      {"another mask", with_mask(Literal::zeros(DType::i32, {2, 6})), {}, {"(2, 6)", "(2, 7)"}},
      {"another input", Example{{"ids", ids}}, {}, {"'ids'", "input_ids"}},
      {"too long", ids, {.max_new_tokens = 19}, {"7 tokens", "19", "24", ".max_new_tokens = 18"}},
      {"none fits",
       Literal::filled(DType::i32, {1, 25}, 5),
       {.max_new_tokens = 1},
       {"25 tokens", "at most 24", "max_length = 23"}},
      {"no room", Literal::filled(DType::i32, {1, 24}, 5), {}, {"24 tokens", "max_length = 23"}},
      {"length within the prompt", ids, {.max_length = 7}, {"7 tokens", "max_length = 7"}},
      {"nothing", ids, {.max_new_tokens = 0}, {"max_new_tokens = 0", "at least 1"}},
      {"cold", ids, {.temperature = 0}, {"temperature = 0", ".do_sample = false"}},
      {"no number", ids, {.temperature = NAN}, {"temperature"}},
      {"top_k", ids, {.top_k = -1}, {"top_k = -1"}},
      {"top_p", ids, {.top_p = 0}, {"top_p = 0", "above 0, at most 1"}},
      {"top_p above 1", ids, {.top_p = 1.5}, {"top_p = 1.5"}},
      {"padding", ids, {.pad_token_id = int64_t{1} << 40}, {"pad_token_id", "a token"}},
      {"padding of no token", ids, {.pad_token_id = 60}, {"pad_token_id = 60", "0 to 59"}},
      {"an end of no token", ids, {.eos_token_id = 60}, {"eos_token_id = 60", "0 to 59; -1"}},
      {"one of several", ids, {.eos_token_id = {2, -2}}, {"eos_token_id = -2", "0 to 59; -1"}},
      {"penalty", ids, {.repetition_penalty = 0}, {"repetition_penalty = 0"}},
  };
  for (const auto& row : table) {
    try {
      model.generate(row.prompts, row.options, here);
      ADD_FAILURE() << row.what;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      for (const std::string& part : row.parts)
        EXPECT_NE(message.find(part), std::string::npos) << row.what << ": " << message;
      EXPECT_NE(message.find("user.cc:7"), std::string::npos) << row.what << ": " << message;
    }
  }
  const PretrainedModel classifier =
      AutoModelForSequenceClassification::from_pretrained(golden_folder("gpt2"));
  EXPECT_THROW(classifier.generate(ids), InvalidArgument);
  const PretrainedModel masked = AutoModelForMaskedLM::from_pretrained(golden_folder("bert"));
  EXPECT_THROW(masked.generate(ids), InvalidArgument);
}

TEST_F(GenerateTest, SaysWhichOfTheFoldersTokensAreNone) {
  const auto lines = [&](const std::string& json) {
    io::write_file(folder_ / "generation_config.json", json);
    model().generate(text(0), {.max_new_tokens = 1});
    return log_.lines();
  };
  const std::string quiet = lines(R"({"eos_token_id": 50256, "pad_token_id": -1})");
  EXPECT_EQ(quiet.find("token_id"), std::string::npos) << quiet;
  EXPECT_NE(lines(R"({"eos_token_id": [2, 98]})").find("eos_token_id is 98, no token of its own"),
            std::string::npos)
      << log_.lines();
  EXPECT_NE(lines(R"({"pad_token_id": 98})").find("are padded with it all the same"),
            std::string::npos)
      << log_.lines();
}

TEST_F(GenerateTest, SaysWhatHasNoEffect) {
  model().generate(text(0), {.max_new_tokens = 1, .temperature = 0.7, .top_p = 0.9});
  EXPECT_NE(log_.lines().find("temperature, top_p without effect"), std::string::npos)
      << log_.lines();
}

}  // namespace
}  // namespace systolic
