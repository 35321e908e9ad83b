// Vectors of sentences against sentence-transformers: golden/make_sentences.py.
#include "systolic/transformers/sentences/sentence_transformer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/test_golden.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

constexpr double vector_tolerance = 1e-5;

void expect_rows(const Literal& got, const Config& wanted, const std::string& name) {
  const Config::List& rows = wanted.list();
  const auto width = static_cast<int64_t>(rows[0].list().size());
  ASSERT_EQ(got.shape(), (Shape{static_cast<int64_t>(rows.size()), width})) << name;
  for (int64_t i = 0; i < got.size(); ++i) {
    const Config& one = rows[static_cast<size_t>(i / width)].list()[static_cast<size_t>(i % width)];
    EXPECT_NEAR(got.number_at(i), one.number(), vector_tolerance) << name << " " << i;
  }
}

std::vector<std::string> texts_of(const Config& list) {
  std::vector<std::string> texts;
  for (const Config& one : list.list()) texts.push_back(one.text_value());
  return texts;
}

class SentenceTransformerTest : public testing::Test {
 protected:
  SentenceTransformerTest() {
    const Config pipelines = read_config_file(golden_folder("pipelines.json"), {});
    io::write_file(folder_ / "tokenizer.json", pipelines["bert"]["tokenizer"].text_value());
    io::write_file(folder_ / "tokenizer_config.json", R"({"pad_token": "[PAD]"})");
    for (const char* name : {"/config.json", "/model.safetensors"})
      io::write_file(folder_ / "" + name, io::read_file(golden_folder("bert") + name));
  }
  std::string path() const { return folder_ / ""; }
  // modules.json, and the poolings as older versions write them, or newer ones.
  void write_modules(const Config& poolings, bool normalizes, bool newer) const {
    const std::string normalize = R"(, {"path": "2_Normalize", "type": "a.Normalize"})";
    io::write_file(folder_ / "modules.json",
                   R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
                       {"path": "1_Pooling", "type": "b.Pooling"})" +
                       (normalizes ? normalize : "") + "]");
    Config settings{Config::Map{}};
    if (newer) {
      settings.set("pooling_mode", poolings.list().size() == 1 ? poolings.list()[0] : poolings);
    } else {
      for (const Config& one : poolings.list()) {
        const std::string name = one.text_value();
        const bool is_long = name == "mean_sqrt_len_tokens" || name == "cls";
        settings.set(
            "pooling_mode_" + name + (is_long ? "" : "_tokens") + (name == "cls" ? "_token" : ""),
            true);
      }
    }
    std::filesystem::create_directories(folder_ / "1_Pooling");
    io::write_file(folder_ / "1_Pooling/config.json", settings.text());
    io::write_file(folder_ / "sentence_bert_config.json", R"({"max_seq_length": 14})");
  }

  TemporaryFolder folder_;
  Config golden_ = read_config_file(golden_folder("sentences.json"), {});
};

TEST_F(SentenceTransformerTest, GivesTheVectorsOfSentenceTransformers) {
  for (const bool newer : {false, true}) {
    for (const Config& one : golden_["cases"].list()) {
      write_modules(one["poolings"], one["normalizes"].boolean(), newer);
      const SentenceTransformer model(path());
      const std::vector<std::string> texts = texts_of(golden_["texts"]);
      expect_rows(model.encode(texts), one["vectors"], one["poolings"].text());
      expect_rows(model.encode(texts, SentenceOptions{.batch_size = 1}), one["vectors"],
                  "one by one");
    }
  }
}

TEST_F(SentenceTransformerTest, AFolderWithoutModulesHasTheMean) {
  io::write_file(folder_ / "sentence_bert_config.json", R"({"max_seq_length": 14})");
  const Config& mean = golden_["cases"].list()[0];
  const SentenceTransformer model(path());
  EXPECT_EQ(model.poolings(), std::vector<SentencePooling>{SentencePooling::mean});
  expect_rows(model.encode(texts_of(golden_["texts"])), mean["vectors"], "mean");
  expect_rows(model.encode(texts_of(golden_["texts"]), {.normalize_embeddings = true}),
              golden_["cases"].list()[1]["vectors"], "normalized");
  EXPECT_EQ(model.encode({}).size(), 0);
}

TEST_F(SentenceTransformerTest, ErrorsNameWhatIsNotThere) {
  const auto error = [&] { return error_of([&] { SentenceTransformer(path(), {"user.cc", 7}); }); };
  io::write_file(folder_ / "modules.json", R"([{"path": "", "type": "models.Dense"}])");
  expect_parts(error(), {"Unimplemented", "'Dense'", "user.cc:7"});
  io::write_file(folder_ / "modules.json", R"([{"path": "../..", "type": "models.Pooling"}])");
  expect_parts(error(), {"InvalidArgument", "'../..'", "below"});
  io::write_file(folder_ / "modules.json", R"({"path": ""})");
  expect_parts(error(), {"InvalidArgument"});
  write_modules(Config(Config::List{Config("lasttoken")}), false, true);
  expect_parts(error(), {"InvalidArgument", "lasttoken", "mean_sqrt_len_tokens"});
}

TEST(CosSim, IsTheCosine) {
  const Literal a = Literal::from(std::vector<float>{1, 0, 3, 4, 0, 0}, {3, 2});
  const Literal b = Literal::from(std::vector<float>{2, 0, 0, -1}, {2, 2});
  const Literal got = cos_sim(a, b);
  const std::vector<double> wanted = {1, 0, 0.6, -0.8, 0, 0};
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_NEAR(got.number_at(i), wanted[static_cast<size_t>(i)], 1e-6);
  EXPECT_CONTAINS(error_of([&] { cos_sim(a, Literal::zeros(DType::f32, {1, 3})); }), "cos_sim of");
}

// Real weights, where they lie.
TEST_F(SentenceTransformerTest, MiniLMGivesTheVectorsOfSentenceTransformers) {
  const char* named = std::getenv("SYSTOLIC_MINILM");
  const std::string folder = named != nullptr ? named : test::source_path(".cache/minilm");
  if (!io::exists(folder + "/modules.json")) {
    GTEST_SKIP() << "no MiniLM with its modules.json in " << folder
                 << ": SYSTOLIC_MINILM names the folder of all-MiniLM-L6-v2";
  }
  const SentenceTransformer model(folder);
  const Literal vectors = model.encode(texts_of(golden_["sentences"]));
  expect_rows(vectors, golden_["minilm"], "vectors");
  expect_rows(cos_sim(vectors, vectors), golden_["similarities"], "similarities");
}

}  // namespace
}  // namespace systolic
