// Preprocessing layers that learnt, from Keras's files (golden/make_keras_layers.py) and back.
#include "systolic/saving/layer_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/saving/keras/learned_states.h"
#include "systolic/saving/load_model.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

class LayerFiles : public NeedsHdf5 {};

std::string golden_file_of(const std::string& name) {
  return test::source_path("systolic/saving/golden/" + name);
}

const Config& answers() {
  static const Config all = Config::parse(io::read_file(golden_file_of("learned_layers.json")));
  return all;
}

void expect_answer(const Literal& got, const std::string& name) {
  std::vector<int64_t> sizes;
  std::vector<double> values;
  from_config(answers()[name]["shape"], sizes);
  from_config(answers()[name]["values"], values);
  ASSERT_EQ(got.shape(), Shape(sizes)) << name;
  for (int64_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.number_at(i), values[static_cast<size_t>(i)], 1e-5) << name << i;
}

Literal column(const std::vector<std::string>& texts) {
  return Literal::strings(texts).reshape({static_cast<int64_t>(texts.size()), 1});
}

const Literal new_texts = column({"fine dull née", "nothing known"});
const Literal new_cities = column({"Oslo", "Lima", "Bern"});
const Literal new_days = Literal::of<int64_t>({9, 4, 5}).reshape({3, 1});
const Literal numbers = Literal::of<float>({1, 2, 3, 5, 2, 11}).reshape({3, 2});

Literal answer_of(const Layer& layer, const Literal& x) { return layer(Tensor(x)).literal(); }

TEST_F(LayerFiles, OfKerasHoldWhatTheLayersLearnt) {
  const std::string text = golden_file_of("learned_text.keras");
  expect_answer(load_layer<TextVectorization>(text, {.name = "words"})(new_texts), "words");
  expect_answer(load_layer<TextVectorization>(text, {.name = "bag"})(new_texts), "bag");
  const std::string cities = golden_file_of("learned_cities.keras");
  expect_answer(load_layer<StringLookup>(cities, {.name = "cities"})(new_cities), "cities");
  expect_answer(load_layer<StringLookup>(cities, {.name = "given"})(new_cities), "given");
  const std::string learned = golden_file_of("learned_numbers.keras");
  expect_answer(load_layer<IntegerLookup>(learned, {.name = "days"})(new_days), "days");
  expect_answer(load_layer<IntegerLookup>(learned, {.name = "rare"})(new_days), "rare");
  expect_answer(answer_of(load_layer<Normalization>(learned), numbers), "scaled");
  expect_answer(answer_of(load_layer<Discretization>(learned), numbers), "bins");
}

TEST_F(LayerFiles, ModelsOfSuchLayersAnswerAsKeras) {
  const Model model = load_model(golden_file_of("learned_numbers.keras"));
  const std::vector<NetworkPort> outputs = model.network().output_ports();
  const Example all = model.predict_outputs({new_days, numbers});
  ASSERT_EQ(all.size(), 4u);
  expect_answer(all.value(0), "days");
  expect_answer(all.value(1), "rare");
  expect_answer(all.value(2), "scaled");
  expect_answer(all.value(3), "bins");
  EXPECT_EQ(outputs.size(), 4u);
}

// tests/saving/check_layer_files.py gives the same files to Keras.
TEST_F(LayerFiles, OfOursComeBack) {
  const std::string folder = testing::TempDir() + "layer_files";
  std::filesystem::create_directories(folder);
  const auto in = [&](const char* name) { return str(folder, "/", name, ".keras"); };
  const std::string text = golden_file_of("learned_text.keras");
  for (const char* name : {"words", "bag"}) {
    save_layer(load_layer<TextVectorization>(text, {.name = name}), in(name));
    expect_answer(load_layer<TextVectorization>(in(name))(new_texts), name);
  }
  const StringLookup given{.vocabulary = {"Rome", "Oslo"}, .name = "given"};
  save_layer(given, in("given"));
  EXPECT_EQ(load_layer<StringLookup>(in("given")).get_vocabulary(), given.get_vocabulary());
  expect_answer(load_layer<StringLookup>(in("given"))(new_cities), "given");
  const std::string learned = golden_file_of("learned_numbers.keras");
  save_layer(load_layer<IntegerLookup>(learned, {.name = "rare"}), in("rare"));
  expect_answer(load_layer<IntegerLookup>(in("rare"))(new_days), "rare");
}

TEST_F(LayerFiles, SayWhatIsNotThere) {
  const std::string cities = golden_file_of("learned_cities.keras");
  EXPECT_THROW(load_layer<TextVectorization>(cities), NotFound);
  EXPECT_THROW(load_layer<StringLookup>(cities), InvalidArgument);  // two of them
  EXPECT_THROW(load_layer<StringLookup>(cities, {.name = "towns"}), NotFound);
  EXPECT_THROW(load_layer<StringLookup>("no-such.keras"), NotFound);
}

TEST(LearnedStates, VocabulariesAreChecked) {
  const Config network = Config::parse(
      R"({"class_name": "Sequential", "config": {"layers": [
          {"class_name": "IntegerLookup", "config": {"vocabulary": null}}]}})");
  const auto filled = [&](const std::string& text) {
    return saving::with_learned_states(
        network, {.text = [&](const std::string& path) -> std::optional<std::string> {
                    EXPECT_EQ(path, "assets/layers/integer_lookup/vocabulary.txt");
                    return text;
                  },
                  .array = [](const std::string&) { return std::optional<Literal>(); }});
  };
  const Config whole = filled("-1\n12\n\n");
  const Config& layer = whole["config"]["layers"].list()[0];
  EXPECT_EQ(layer["config"]["vocabulary"].text(), "[-1, 12]");
  EXPECT_THROW(filled("-1\ntwelve"), DataLoss);
  EXPECT_THROW(filled("99999999999999999999"), DataLoss);
}

}  // namespace
}  // namespace systolic
