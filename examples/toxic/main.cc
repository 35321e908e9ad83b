// Tells insulting comments from others: BERT, its first token's vector, one sigmoid unit. The post
// "Training Transformers on TPU" in C++, on eight TPU cores.
//
//   toxic --model minilm --data comments.csv --epochs 30 --steps 150
//
// Without --data it draws comments, without --model it makes a small BERT of random weights.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "examples/common/command_line.h"
#include "examples/common/comments.h"
#include "examples/common/small_bert.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string model, data, cache = ".cache/toxic";
  int64_t epochs = 4, steps = 50, batch = 32, maxlen = 32, chunk_size = 1000, drawn = 3000,
          steps_per_execution = 10, smoke = 0;
  double learning_rate = 0, target = 0;
  uint64_t seed = 1;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  const auto count = [&](const char* name, int64_t& value, const char* what) {
    app.add_option(name, value, what)->capture_default_str()->check(positive);
  };
  app.add_option("--model", arguments.model,
                 "folder of a pretrained BERT and its tokenizer (default: a small one, made here)");
  app.add_option("--data", arguments.data,
                 "CSV file of a text and a label, with a header (default: drawn comments)");
  app.add_option("--cache", arguments.cache, "where the small BERT goes")->capture_default_str();
  count("--epochs", arguments.epochs, "");
  count("--steps", arguments.steps, "of an epoch");
  count("--batch", arguments.batch, "global batch: of all cores together");
  count("--maxlen", arguments.maxlen, "tokens of every comment");
  count("--chunk-size", arguments.chunk_size, "comments tokenized at a time");
  count("--drawn", arguments.drawn, "how many comments to draw without --data");
  count("--steps-per-execution", arguments.steps_per_execution,
        "training steps in one execution on the device");
  app.add_option("--learning-rate", arguments.learning_rate,
                 "3e-5 of a pretrained model, 1e-3 of the small one");
  app.add_option("--seed", arguments.seed)->capture_default_str()->check(examples::at_least(0));
  app.add_option("--target", arguments.target, "exit code 1 below this AUC in validation")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(positive);
}

examples::LabelledTexts load_data(const Arguments& arguments) {
  if (arguments.data.empty()) return examples::draw_comments(arguments.drawn, arguments.seed);
  examples::LabelledTexts read;
  for (const Example& row : data::csv(
           {arguments.data}, {{"text", DType::string}, {"label", DType::i32}}, {.header = true})) {
    read.texts.emplace_back(row["text"].string_at(0));
    read.labels.push_back(row["label"].item<int32_t>());
  }
  constexpr size_t fewest = 5;  // a fifth validates
  if (read.texts.size() < fewest) {
    raise<InvalidArgument>({.what = str("comments in '", arguments.data, "': ", read.texts.size()),
                            .wanted = str("at least ", fewest,
                                          ": below a line of headings a text and a label, 0 or 1, "
                                          "in each line")});
  }
  return read;
}

// [texts, maxlen], i32.
Literal tokenize(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                 const Arguments& arguments) {
  std::vector<int32_t> input_ids;
  const auto chunk_size = static_cast<size_t>(arguments.chunk_size);
  Progress progress("tokenizing", texts.size());  // tqdm
  for (size_t i = 0; i < texts.size(); i += chunk_size) {
    const std::span chunk(texts.data() + i, std::min(chunk_size, texts.size() - i));
    for (const Encoding& encoding : tokenizer.encode_batch(chunk, {.offsets = false}))
      input_ids.insert(input_ids.end(), encoding.ids.begin(), encoding.ids.end());
    progress.add(chunk.size());
  }
  return Literal::from(input_ids, {static_cast<int64_t>(texts.size()), arguments.maxlen});
}

Model make_classifier(const std::string& folder, const Arguments& arguments) {
  const PretrainedModel bert = BertModel::from_pretrained(folder, {.add_pooling_layer = false});
  const Symbol input_ids =
      input({.shape = {arguments.maxlen}, .dtype = DType::i32, .name = "input_ids"});
  const Symbol sequence_output = bert(input_ids)[0][{all, 0, all}];
  const Symbol out = Dense{.units = 1, .activation = "sigmoid"}(sequence_output);
  Model classifier(input_ids, out);
  const double rate = arguments.learning_rate > 0 ? arguments.learning_rate
                      : arguments.model.empty()   ? 1e-3
                                                  : 3e-5;
  classifier.compile({.optimizer = Adam{.learning_rate = rate},
                      .loss = "binary_crossentropy",
                      .metrics = {AUC{}},
                      .steps_per_execution = arguments.steps_per_execution});
  return classifier;
}

int run(const Arguments& arguments) {
  set_seed(arguments.seed);
  TPUClusterResolver tpu("v3-8");
  initialize_tpu_system(tpu);
  TPUStrategy strategy(tpu);

  const examples::LabelledTexts comments = load_data(arguments);
  std::cout << "data: "
            << (arguments.data.empty() ? "comments drawn by this program" : arguments.data) << ", "
            << comments.texts.size() << " comments" << std::endl;
  std::string folder = arguments.model;
  if (folder.empty()) {
    folder = arguments.cache + "/small_bert";
    examples::make_small_bert(folder, comments.texts);
    std::cout << "model: a small BERT of random weights, not a pretrained one (--model DIR)\n";
  }

  Model classifier = strategy.scope([&] { return make_classifier(folder, arguments); });
  classifier.summary();

  Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder);
  PaddingParameters padding = tokenizer.padding();  // at the side that the folder says
  padding.length = arguments.maxlen;
  tokenizer.set_padding(padding);
  tokenizer.set_truncation({.max_length = arguments.maxlen});
  const Literal x = tokenize(tokenizer, comments.texts, arguments);
  const Literal y = Literal::from(comments.labels, {x.shape()[0], 1});

  // A fifth validates.
  const data::Dataset all = data::from_tensor_slices(std::pair(x, y));
  const int64_t training = x.shape()[0] * 4 / 5;
  const data::Dataset train_dataset = all.take(training)
                                          .repeat()
                                          .shuffle(2048, {.seed = arguments.seed})
                                          .batch(arguments.batch)
                                          .prefetch(data::autotune);
  const data::Dataset valid_dataset = all.skip(training).batch(arguments.batch);
  const History history = classifier.fit(
      train_dataset, {.epochs = static_cast<int>(arguments.smoke > 0 ? 1 : arguments.epochs),
                      .steps_per_epoch = arguments.smoke > 0 ? arguments.smoke : arguments.steps,
                      .validation_data = valid_dataset});
  return history.last("val_auc") >= arguments.target ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tell insulting comments from others with BERT on TPU cores", "toxic");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return run(arguments); });
}
