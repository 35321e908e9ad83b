// Models that begin with text, from Keras's files (golden/make_keras_text_models.py).
#include "systolic/saving/text_model.h"

#include "systolic/base/test_errors.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/saving/load_model.h"
#include "systolic/saving/test_answers.h"

namespace systolic {
namespace {

using test::saving_golden;

class TextModels : public NeedsHdf5 {
 protected:
  const Config answers = Config::parse(io::read_file(saving_golden("text_models.json")));
};

const Literal some_texts = Literal::strings({"fine dull née", "nothing known", "a story"});
const Literal colours = Literal::strings({"red", "blue", "green"});
const Literal sizes = Literal::of<float>({{0.5, 1}, {2, -1}, {0.25, 3}});

TEST_F(TextModels, PredictFromTexts) {
  const TextModel model = load_text_model(saving_golden("text_sentiment.keras"));
  EXPECT_EQ(model.host_layers(), std::vector<std::string>{"words"});
  test::expect_answer(model.predict(some_texts), answers["sentiment"], "texts");
  test::expect_answer(model.predict(some_texts.reshape({3, 1})), answers["sentiment"], "a column");
  test::expect_answer(model.predict({{"input_layer", some_texts}}), answers["sentiment"],
                      "by name");
}

TEST_F(TextModels, TakeTextsBesideNumbers) {
  const TextModel model = load_text_model(saving_golden("text_goods.keras"));
  const Example by_name =
      model.predict_outputs({{"size", sizes}, {"colour", colours}, {"text", some_texts}});
  test::expect_answer(by_name["price"], answers["price"], "price");
  test::expect_answer(by_name["weight"], answers["weight"], "weight");
  const Example in_order = model.predict_outputs({some_texts, colours, sizes});
  EXPECT_EQ(in_order["price"], by_name["price"]);
}

TEST_F(TextModels, TrainOnWhatTheHostPrepares) {
  const TextModel sentiment = load_text_model(saving_golden("text_sentiment.keras"));
  Model model = sentiment.model();
  const Literal labels = Literal::of<float>({1, 0, 1}).reshape({3, 1});
  const double before =
      model.evaluate(sentiment.prepare(some_texts), labels, {.verbose = 0})["loss"];
  model.fit(sentiment.prepare(some_texts), labels, {.epochs = 20, .verbose = 0});
  EXPECT_LT(model.evaluate(sentiment.prepare(some_texts), labels, {.verbose = 0})["loss"], before);
}

TEST_F(TextModels, SayWhatTheyCannotTake) {
  const TextModel goods = load_text_model(saving_golden("text_goods.keras"));
  expect_parts(message_of<InvalidArgument>([&] { goods.predict_outputs(some_texts); }),
               {"1 arrays", "text, colour, size"});
  expect_parts(message_of<InvalidArgument>([&] {
                 goods.prepare({{"text", some_texts}, {"colour", colours}, {"sizes", sizes}});
               }),
               {"'size'"});
  struct File {
    const char *name, *kind, *text;
  };
  for (const auto& [name, kind, text] :
       {File{"chain.keras", "InvalidArgument", "without an input of strings"},
        File{"learned_text.keras", "Unimplemented", "'inner' of kind Sequential takes strings"},
        File{"learned_cities.keras", "Unimplemented", "on the host is an output of the model"}})
    expect_parts(error_of([&, file = name] { load_text_model(saving_golden(file)); }),
                 {kind, text});
  EXPECT_CONTAINS(error_of([] { load_model(saving_golden("text_sentiment.keras")); }),
                  "load_text_model");
}

}  // namespace
}  // namespace systolic
