#include "tools/systolic/fine_tune/language_model.h"

#include <cmath>
#include <memory>

#include "systolic/base/error.h"
#include "systolic/data/sources/sources.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/fine_tune/fine_tune.h"
#include "tools/systolic/fine_tune/text_table.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

using Blocks = std::vector<std::vector<int32_t>>;

// .csv, .tsv and JSON: a column; else a text a line.
std::vector<std::string> texts_of(const std::string& path, const std::string& column) {
  if (datasets::is_table_file(path)) {
    const TextTable table(path);
    const std::string found = column.empty() ? table.find({"text"}) : table.require({column});
    return table.texts(found.empty() ? table.column_names().front() : found);
  }
  const std::string text = io::read_file(path);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

class LanguageModelTask : public FineTuneTask {
 public:
  LanguageModelTask(const Settings& settings, const LanguageModelSettings& options)
      : settings_(settings),
        options_(options),
        tokenizer_(AutoTokenizer::from_pretrained(settings.model)) {
    if (settings.train_file.empty() && settings.validation_file.empty())
      raise<WrongUsage>({.what = "no data", .wanted = "--train-file or --validation-file"});
  }

  Task head() const override { return options_.causal ? Task::causal_lm : Task::masked_lm; }
  bool trains() const override { return !settings_.train_file.empty(); }

  TrainingRows training(const PretrainedModel& model) override {
    Blocks blocks = blocks_of(model, settings_.train_file, settings_.max_train_samples);
    const auto count = static_cast<int64_t>(blocks.size());
    return {prepared(model, std::move(blocks), settings_.batch, !settings_.file_order), count};
  }

  std::vector<Evaluated> evaluate(const PretrainedModel& model) override {
    if (settings_.validation_file.empty()) return {};
    Blocks blocks = blocks_of(model, settings_.validation_file, settings_.max_eval_samples);
    Evaluated result;
    result.samples = static_cast<int64_t>(blocks.size());
    PretrainedModel handle = model;
    handle.compile({});
    const double loss = handle.evaluate(
        prepared(model, std::move(blocks), settings_.eval_batch, false), {.verbose = 0})["loss"];
    result.measures = {{"loss", loss}, {"perplexity", std::exp(loss)}};
    return {result};
  }

  void save(const std::string& folder) const override { tokenizer_.save_pretrained(folder); }

 private:
  int64_t block_size(const PretrainedModel& model) const {
    constexpr int64_t usual = 1024;
    int64_t size = options_.block_size > 0 ? options_.block_size : usual;
    for (const int64_t bound :
         {tokenizer_.model_max_length(), model.config().architecture().max_tokens()}) {
      if (bound > 0) size = std::min(size, bound);
    }
    return size;
  }

  // The tokens of all texts after each other, cut into rows of one length (group_texts); what is
  // left at the end is dropped.
  Blocks blocks_of(const PretrainedModel& model, const std::string& path, int64_t most) const {
    const int64_t size = block_size(model);
    Blocks blocks(1);
    const std::vector<std::string> texts = texts_of(path, options_.text_column);
    for (const Encoding& one : tokenizer_.encode_batch(texts, {.offsets = false})) {
      for (const int32_t id : one.ids) {
        if (static_cast<int64_t>(blocks.back().size()) == size) blocks.emplace_back();
        blocks.back().push_back(id);
      }
    }
    if (static_cast<int64_t>(blocks.back().size()) < size) blocks.pop_back();
    if (blocks.empty()) {
      raise<DataLoss>({.what = str("'", path, "' holds fewer than ", size, " tokens"),
                       .wanted = "at least one block of them",
                       .hint = "--block-size"});
    }
    if (most > 0 && static_cast<size_t>(most) < blocks.size())
      blocks.resize(static_cast<size_t>(most));
    return blocks;
  }

  data::Dataset prepared(const PretrainedModel& model, Blocks blocks, int64_t batch,
                         bool shuffle) const {
    const auto rows = std::make_shared<const Blocks>(std::move(blocks));
    const bool labelled = options_.causal;
    const data::Dataset dataset =
        data::range(static_cast<int64_t>(rows->size())).map([rows, labelled](const Example& each) {
          const auto& ids = (*rows)[static_cast<size_t>(each["value"].integer_at(0))];
          const Literal tokens = Literal::from(ids, {static_cast<int64_t>(ids.size())});
          Example made{{"input_ids", tokens}};
          if (labelled) made.set("labels", tokens);
          return made;
        });
    return model
        .prepare_dataset(dataset, tokenizer_,
                         {.batch_size = batch,
                          .shuffle = shuffle,
                          .seed = settings_.seed,
                          .mlm_probability = labelled ? 0 : options_.mlm_probability,
                          .pad_to_multiple_of = static_cast<int64_t>(rows->front().size())})
        .dataset;
  }

  Settings settings_;
  LanguageModelSettings options_;
  Tokenizer tokenizer_;
};

}  // namespace

int language_model(const Settings& settings, const LanguageModelSettings& options,
                   std::ostream& out) {
  LanguageModelTask task(settings, options);
  return fine_tune(task, settings, out);
}

}  // namespace tool::fine_tune
