#include "tools/systolic/fine_tune/writing.h"

#include <algorithm>
#include <memory>

#include "systolic/base/error.h"
#include "systolic/data/sources/sources.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/text/scores/bleu.h"
#include "systolic/text/scores/rouge.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/fine_tune/fine_tune.h"
#include "tools/systolic/fine_tune/text_table.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

// Tokens of the texts to read and of those to write.
struct Pairs {
  std::vector<std::vector<int32_t>> sources, targets;
  std::vector<std::string> texts;  // to write
};

int64_t longest_of(const std::vector<std::vector<int32_t>>& rows, int64_t multiple) {
  size_t longest = 1;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  return (static_cast<int64_t>(longest) + multiple - 1) / multiple * multiple;
}

// i32 [rows, length], filled up with `padding`.
Literal padded(const std::vector<std::vector<int32_t>>& rows, int64_t length, int32_t padding) {
  const auto count = static_cast<int64_t>(rows.size());
  Literal made = Literal::filled(DType::i32, {count, length}, padding);
  for (int64_t row = 0; row < count; ++row)
    std::ranges::copy(rows[static_cast<size_t>(row)],
                      made.mutable_data<int32_t>().begin() + row * length);
  return made;
}

Literal mask_of(const std::vector<std::vector<int32_t>>& rows, int64_t length) {
  std::vector<std::vector<int32_t>> ones;
  for (const auto& row : rows) ones.emplace_back(row.size(), 1);
  return padded(ones, length, 0);
}

// A sentence a line, as ROUGE's rougeLsum wants it: after ".", "!" and "?" before a space.
std::string with_lines(const std::string& text) {
  std::string lines;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = i > 0 && std::string_view(".!?").find(text[i - 1]) != std::string_view::npos;
    lines += ends && text[i] == ' ' ? '\n' : text[i];
  }
  return lines;
}

class WritingTask : public FineTuneTask {
 public:
  WritingTask(const Settings& settings, const WritingSettings& options)
      : settings_(settings),
        options_(options),
        tokenizer_(AutoTokenizer::from_pretrained(settings.model)) {
    if (settings.train_file.empty() && settings.validation_file.empty())
      raise<WrongUsage>({.what = "no data", .wanted = "--train-file or --validation-file"});
  }

  Task head() const override { return Task::seq2seq_lm; }
  bool trains() const override { return !settings_.train_file.empty(); }

  TrainingRows training(const PretrainedModel& model) override {
    Pairs pairs = read(model, settings_.train_file, settings_.max_train_samples);
    const auto count = static_cast<int64_t>(pairs.sources.size());
    return {batches(std::move(pairs), settings_.batch, !settings_.file_order), count};
  }

  std::vector<Evaluated> evaluate(const PretrainedModel& model) override {
    if (settings_.validation_file.empty()) return {};
    const Pairs pairs = read(model, settings_.validation_file, settings_.max_eval_samples);
    Evaluated result;
    result.samples = static_cast<int64_t>(pairs.sources.size());
    PretrainedModel handle = model;
    handle.compile({});
    result.measures["loss"] =
        handle.evaluate(batches(pairs, settings_.eval_batch, false), {.verbose = 0})["loss"];
    double tokens = 0;
    const std::vector<std::string> written = write(model, pairs, tokens);
    result.measures["gen_len"] = tokens / static_cast<double>(written.size());
    add_scores(result.measures, written, pairs.texts);
    std::string lines;
    for (const std::string& one : written) lines += one + "\n";
    io::write_file(settings_.output_dir + "/generated_predictions.txt", lines);
    return {result};
  }

  void save(const std::string& folder) const override { tokenizer_.save_pretrained(folder); }

 private:
  Pairs read(const PretrainedModel& model, const std::string& path, int64_t most) const {
    const TextTable table(path);
    const auto [from, to] = columns_of(table);
    std::vector<std::string> sources = table.texts(from), targets = table.texts(to);
    if (most > 0 && static_cast<size_t>(most) < sources.size())
      sources.resize(static_cast<size_t>(most)), targets.resize(static_cast<size_t>(most));
    for (std::string& text : sources) text = options_.source_prefix + text;
    const int64_t bound = model.config().architecture().max_tokens();
    const auto ids_of = [&](const std::vector<std::string>& texts, int64_t length) {
      const int64_t cut = bound > 0 ? std::min(length, bound) : length;
      std::vector<std::vector<int32_t>> ids;
      for (const Encoding& one :
           tokenizer_(texts, {.truncation = true, .max_length = cut}).encodings)
        ids.push_back(one.ids);
      return ids;
    };
    return {ids_of(sources, options_.max_source_length),
            ids_of(targets, options_.max_target_length), targets};
  }

  std::pair<std::string, std::string> columns_of(const TextTable& table) const {
    if (!options_.source_lang.empty()) {
      return {table.require({"translation." + options_.source_lang, options_.source_lang}),
              table.require({"translation." + options_.target_lang, options_.target_lang})};
    }
    const std::vector<std::string> names = table.column_names();
    if (names.size() < 2 && (options_.text_column.empty() || options_.target_column.empty()))
      table.require({"a column to read and one to write"});
    return {options_.text_column.empty() ? names[0] : table.require({options_.text_column}),
            options_.target_column.empty() ? names[1] : table.require({options_.target_column})};
  }

  data::Dataset batches(Pairs given, int64_t batch, bool shuffle) const {
    constexpr int64_t multiple = 16;
    constexpr int32_t ignored = -100;
    const auto pairs = std::make_shared<const Pairs>(std::move(given));
    const int32_t padding = tokenizer_.padding().id;
    data::Dataset rows = data::range(static_cast<int64_t>(pairs->sources.size()));
    if (shuffle)
      rows = rows.shuffle(static_cast<int64_t>(pairs->sources.size()), {.seed = settings_.seed});
    return rows.batch(batch)
        .map([pairs, padding](const Example& element) -> Example {
          std::vector<std::vector<int32_t>> sources, targets;
          for (const int64_t row : element["value"].data<int64_t>()) {
            sources.push_back(pairs->sources[static_cast<size_t>(row)]);
            targets.push_back(pairs->targets[static_cast<size_t>(row)]);
          }
          const int64_t length = longest_of(sources, multiple);
          return {{"input_ids", padded(sources, length, padding)},
                  {"attention_mask", mask_of(sources, length)},
                  {"labels", padded(targets, longest_of(targets, multiple), ignored)}};
        })
        .prefetch(data::autotune);
  }

  // `tokens` counts those that are written, the one that ends a text included.
  std::vector<std::string> write(const PretrainedModel& model, const Pairs& pairs,
                                 double& tokens) const {
    constexpr int64_t multiple = 16;
    const int32_t padding = tokenizer_.padding().id;
    const auto batch = static_cast<size_t>(settings_.eval_batch);
    std::vector<std::string> texts;
    GenerationConfig how{.max_length = options_.max_target_length};
    if (options_.num_beams > 0) how.num_beams = options_.num_beams;
    for (size_t begin = 0; begin < pairs.sources.size(); begin += batch) {
      const size_t end = std::min(pairs.sources.size(), begin + batch);
      const std::vector<std::vector<int32_t>> sources(
          pairs.sources.begin() + static_cast<std::ptrdiff_t>(begin),
          pairs.sources.begin() + static_cast<std::ptrdiff_t>(end));
      const int64_t length = longest_of(sources, multiple);
      const Literal ids = model.generate(Example{{"input_ids", padded(sources, length, padding)},
                                                 {"attention_mask", mask_of(sources, length)}},
                                         how);
      for (int64_t row = 0; row < ids.shape()[0]; ++row) {
        const Literal one = ids.row(row);
        for (const int32_t id : one.data<int32_t>()) tokens += id == padding ? 0 : 1;
        texts.push_back(tokenizer_.decode(one));
      }
    }
    return texts;
  }

  void add_scores(Measures& measures, const std::vector<std::string>& written,
                  const std::vector<std::string>& wanted) const {
    if (options_.translates) {
      std::vector<std::vector<std::string>> references;
      for (const std::string& text : wanted) references.push_back({text});
      measures["bleu"] = bleu(written, references).score;
      return;
    }
    std::vector<std::string> here, there;
    for (const std::string& text : written) here.push_back(with_lines(text));
    for (const std::string& text : wanted) there.push_back(with_lines(text));
    const RougeScores scores = rouge(here, there, {.use_stemmer = true});
    measures["rouge1"] = 100 * scores.rouge1.fmeasure;
    measures["rouge2"] = 100 * scores.rouge2.fmeasure;
    measures["rougeL"] = 100 * scores.rougeL.fmeasure;
    measures["rougeLsum"] = 100 * scores.rougeLsum.fmeasure;
  }

  Settings settings_;
  WritingSettings options_;
  Tokenizer tokenizer_;
};

}  // namespace

int writing(const Settings& settings, const WritingSettings& options, std::ostream& out) {
  WritingTask task(settings, options);
  return fine_tune(task, settings, out);
}

}  // namespace tool::fine_tune
