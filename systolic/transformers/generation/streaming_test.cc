// Stop strings and streamers against transformers: golden/make_streamed.py.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/generation/text_streamer.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t no_token = 59;  // of the recipe
using Pieces = std::vector<std::pair<std::string, bool>>;

std::vector<int32_t> ids_of(const Config& list) {
  std::vector<int32_t> ids;
  for (const Config& one : list.list()) ids.push_back(static_cast<int32_t>(one.integer()));
  return ids;
}

class StreamingTest : public testing::Test {
 protected:
  StreamingTest() { write_untied_model("gpt2", folder_ / ""); }
  PretrainedModel model() const {
    return AutoModelForCausalLM::from_pretrained(folder_ / "",
                                                 {.config = {{"tie_word_embeddings", false}}});
  }
  Example prompts() const {
    return {{"input_ids", values_["input_ids"]}, {"attention_mask", values_["attention_mask"]}};
  }
  Literal first_prompt() const { return Literal::from(rows_of(values_["input_ids"])[0], {1, 7}); }
  static std::vector<std::vector<int32_t>> rows_of(const Literal& ids) {
    std::vector<std::vector<int32_t>> rows;
    for (int64_t row = 0; row < ids.shape()[0]; ++row) {
      rows.emplace_back();
      for (int64_t i = 0; i < ids.shape()[1]; ++i)
        rows.back().push_back(static_cast<int32_t>(ids.integer_at(row * ids.shape()[1] + i)));
    }
    return rows;
  }
  GenerationConfig options(std::vector<std::string> stops) const {
    return {.max_new_tokens = 12,
            .eos_token_id = no_token,
            .pad_token_id = 0,
            .stop_strings = std::move(stops),
            .tokenizer = tokenizer_};
  }

  void check_stop_strings(const PretrainedModel& model) const {
    for (const Config& row : golden_["cases"].list()) {
      std::vector<std::string> stops;
      for (const Config& stop : row["stop_strings"].list()) stops.push_back(stop.text_value());
      std::vector<std::vector<int32_t>> wanted;
      for (const Config& ids : row["ids"].list()) wanted.push_back(ids_of(ids));
      EXPECT_EQ(rows_of(model.generate(prompts(), options(stops))), wanted) << stops[0];
    }
  }

  Config golden_ = read_config_file(golden_folder("gpt2") + "/streamed.json", {});
  Tokenizer tokenizer_ = Tokenizer::from_json(golden_["tokenizer"].text_value());
  Example values_ = io::read_safetensors(golden_folder("gpt2") + "/generated.safetensors").tensors;
  TemporaryFolder folder_;
};

TEST_F(StreamingTest, StopStringsEndTextsAsInTransformers) { check_stop_strings(model()); }

TEST_F(StreamingTest, StopStringsEndTextsOnEightCores) {
  const PretrainedModel eight =
      TPUStrategy(TPUClusterResolver("local")).scope([&] { return model(); });
  ASSERT_EQ(eight.num_replicas(), 8);
  check_stop_strings(eight);
}

TEST_F(StreamingTest, AStopStringOfTheFolderIsOne) {
  io::write_file(folder_ / "generation_config.json",
                 R"({"eos_token_id": 59, "pad_token_id": 0, "stop_strings": "a"})");
  const PretrainedModel stopping = model();
  GenerationConfig with_tokenizer = options({});
  EXPECT_EQ(stopping.generate(prompts(), with_tokenizer),
            model().generate(prompts(), options({"a"})));
  EXPECT_CONTAINS(error_of([&] { stopping.generate(prompts()); }), ".tokenizer = tokenizer");
}

TEST_F(StreamingTest, TextStreamerShowsWhatThatOfTransformersDoes) {
  for (const Config& row : golden_["shown"].list()) {
    Pieces wanted, got;
    for (const Config& piece : row["pieces"].list())
      wanted.emplace_back(piece.list()[0].text_value(), piece.list()[1].boolean());
    TextStreamer streamer(
        tokenizer_, TextStreamerOptions{.skip_prompt = row["skip_prompt"].boolean(),
                                        .skip_special_tokens = row["skip_special_tokens"].boolean(),
                                        .on_finalized_text = [&](std::string_view text, bool end) {
                                          got.emplace_back(text, end);
                                        }});
    const std::vector<int32_t> ids = ids_of(row["ids"]);
    streamer.put(std::span(ids).first(3));
    for (size_t i = 3; i < ids.size(); ++i) streamer.put(std::span(ids).subspan(i, 1));
    streamer.end();
    EXPECT_EQ(got, wanted) << row.text();
  }
}

struct Listener : Streamer {
  void put(std::span<const int32_t> ids) override { heard.emplace_back(ids.begin(), ids.end()); }
  void end() override { ++ends; }
  std::vector<std::vector<int32_t>> heard;
  int ends = 0;
};

TEST_F(StreamingTest, AStreamerHearsEachToken) {
  const PretrainedModel model = this->model();
  const Literal prompt = first_prompt();
  for (const GenerationConfig& given : {options({}), options({"a"})}) {
    Listener listener;
    GenerationConfig streamed = given;
    streamed.streamer = &listener;
    const std::vector<int32_t> ids = rows_of(model.generate(prompt, streamed))[0];
    EXPECT_EQ(ids, rows_of(model.generate(prompt, given))[0]);
    std::vector<std::vector<int32_t>> wanted{{ids.begin(), ids.begin() + 7}};
    for (size_t i = 7; i < ids.size(); ++i) wanted.push_back({ids[i]});
    EXPECT_EQ(listener.heard, wanted);
    EXPECT_EQ(listener.ends, 1);
  }
}

TEST_F(StreamingTest, DrawsTheSameTokens) {
  const PretrainedModel model = this->model();
  Listener listener;
  GenerationConfig drawn = options({});
  drawn.do_sample = true, drawn.top_k = 9, drawn.seed = 4, drawn.repetition_penalty = 1.2;
  const Literal ids = model.generate(first_prompt(), drawn);
  drawn.streamer = &listener;
  EXPECT_EQ(model.generate(first_prompt(), drawn), ids);
}

// One that reads with an encoder: what it read is kept between rounds.
TEST_F(StreamingTest, AnEncodersTextsAreKept) {
  const PretrainedModel model = AutoModelForSeq2SeqLM::from_pretrained(golden_folder("t5"));
  const Literal source = Literal::from(std::vector<int32_t>{5, 9, 12, 1}, {1, 4});
  Listener listener;
  const GenerationConfig plain{.max_new_tokens = 9, .num_beams = 1};
  GenerationConfig streamed = plain;
  streamed.streamer = &listener;
  EXPECT_EQ(model.generate(source, streamed), model.generate(source, plain));
  EXPECT_GT(listener.heard.size(), 1u);
}

TEST_F(StreamingTest, ErrorsSayWhatIsMissing) {
  const PretrainedModel model = this->model();
  Listener listener;
  const auto error = [&](const GenerationConfig& given) {
    return error_of([&] { model.generate(prompts(), given, {"user.cc", 7}); });
  };
  expect_parts(error({.stop_strings = {"a"}}), {"InvalidArgument", "tokenizer", "user.cc:7"});
  expect_parts(error({.stop_strings = {""}, .tokenizer = tokenizer_}), {"empty text"});
  expect_parts(error({.num_beams = 2, .streamer = &listener}), {"Unimplemented", "num_beams = 2"});
  expect_parts(error({.num_beams = 2, .stop_strings = {"a"}, .tokenizer = tokenizer_}),
               {"Unimplemented", "stop_strings"});
  expect_parts(error({.streamer = &listener}), {"InvalidArgument", "3 texts, streamed"});
  EXPECT_TRUE(listener.heard.empty());
}

}  // namespace
}  // namespace systolic
