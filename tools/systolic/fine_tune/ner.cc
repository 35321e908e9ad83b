#include "tools/systolic/fine_tune/ner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "systolic/base/error.h"
#include "systolic/data/sources/sources.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/text/pieces/word_labels.h"
#include "systolic/text/scores/entities.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/fine_tune/fine_tune.h"
#include "tools/systolic/fine_tune/losses.h"
#include "tools/systolic/fine_tune/word_tags.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

using Sentences = std::vector<TaggedSentence>;
using TagLists = std::vector<std::vector<std::string>>;

struct TokenRow {
  std::vector<int32_t> input_ids, token_type_ids, labels;
};

class NerTask : public FineTuneTask {
 public:
  NerTask(const Settings& settings, const NerSettings& ner)
      : settings_(settings),
        ner_(ner),
        tokenizer_(AutoTokenizer::from_pretrained(settings.model)),
        names_(class_names()) {
    for (size_t i = 0; i < names_.size(); ++i) numbers_[names_[i]] = static_cast<int32_t>(i);
  }

  Task head() const override { return Task::token_classification; }
  PretrainedOptions model_options() const override { return {.id2label = names_}; }
  bool trains() const override { return !settings_.train_file.empty(); }

  TrainingRows training(const PretrainedModel& model) override {
    const Sentences sentences = read(settings_.train_file, settings_.max_train_samples, true);
    const auto rows = std::make_shared<const std::vector<TokenRow>>(rows_of(model, sentences));
    const data::Dataset dataset = dataset_of(rows, true);
    return {model
                .prepare_dataset(dataset, tokenizer_,
                                 {.batch_size = settings_.batch,
                                  .shuffle = !settings_.file_order,
                                  .seed = settings_.seed})
                .dataset,
            static_cast<int64_t>(rows->size())};
  }

  std::vector<Evaluated> evaluate(const PretrainedModel& model) override {
    if (settings_.validation_file.empty()) return {};
    const Sentences sentences = read(settings_.validation_file, settings_.max_eval_samples, true);
    const std::vector<TokenRow> rows = rows_of(model, sentences);
    const Literal logits = logits_of(model, rows);
    std::vector<std::vector<int32_t>> labels;
    for (const TokenRow& row : rows) labels.push_back(row.labels);
    Evaluated result{.samples = static_cast<int64_t>(rows.size())};
    result.measures["loss"] =
        token_loss(logits, labels, settings_.eval_batch, tokenizer_.padding().left);
    add_scores(result.measures, tags_of(logits, rows, true), tags_of(logits, rows, false));
    return {result};
  }

  void predict(const PretrainedModel& model) override {
    if (settings_.test_file.empty()) return;
    const Sentences sentences = read(settings_.test_file, 0, false);
    const std::vector<TokenRow> rows = rows_of(model, sentences);
    std::string lines;
    for (const std::vector<std::string>& tags : tags_of(logits_of(model, rows), rows, true))
      lines += join(tags, " ") + "\n";
    io::write_file(settings_.output_dir + "/predictions.txt", lines);
  }

  void save(const std::string& folder) const override { tokenizer_.save_pretrained(folder); }

 private:
  // The model's own, where they are all that the file has; else the file's, sorted.
  std::vector<std::string> class_names() const {
    const std::string& path =
        settings_.train_file.empty() ? settings_.validation_file : settings_.train_file;
    const std::vector<std::string> of_model =
        PretrainedConfig::from_pretrained(settings_.model).labels().names;
    if (path.empty() && !settings_.test_file.empty()) return of_model;
    if (path.empty()) {
      raise<WrongUsage>(
          {.what = "no data", .wanted = "--train-file, --validation-file or --test-file"});
    }
    std::set<std::string> found;
    for (const TaggedSentence& one : read_tagged_sentences(path))
      found.insert(one.tags.begin(), one.tags.end());
    if (std::ranges::includes(std::set(of_model.begin(), of_model.end()), found)) return of_model;
    return {found.begin(), found.end()};
  }

  Sentences read(const std::string& path, int64_t most, bool labelled) const {
    Sentences sentences = read_tagged_sentences(path);
    if (most > 0 && static_cast<size_t>(most) < sentences.size())
      sentences.resize(static_cast<size_t>(most));
    for (size_t i = 0; labelled && i < sentences.size(); ++i) {
      for (size_t word = 0; word < sentences[i].words.size(); ++word)
        check_tag(path, i, word, sentences[i]);
    }
    return sentences;
  }

  void check_tag(const std::string& path, size_t row, size_t word,
                 const TaggedSentence& sentence) const {
    const std::string tag = sentence.tags.empty() ? "" : sentence.tags[word];
    if (numbers_.contains(tag)) return;
    raise<DataLoss>({.what = str("'", path, "', sentence ", row + 1, ", word ", word + 1, ", '",
                                 sentence.words[word],
                                 "': ", tag.empty() ? "no tag" : str("the tag '", tag, "'")),
                     .wanted = join(names_, ", ")});
  }

  std::vector<TokenRow> rows_of(const PretrainedModel& model, const Sentences& sentences) const {
    std::vector<std::vector<std::string>> words;
    for (const TaggedSentence& one : sentences) words.push_back(one.words);
    int64_t most = settings_.max_seq_length;
    for (const int64_t bound :
         {tokenizer_.model_max_length(), model.config().architecture().max_tokens()}) {
      if (bound > 0) most = most == 0 ? bound : std::min(most, bound);
    }
    const BatchEncoding batch =
        tokenizer_(words, {.truncation = true, .max_length = most, .return_offsets_mapping = true});
    std::vector<TokenRow> rows;
    for (size_t i = 0; i < sentences.size(); ++i) {
      const Encoding& encoding = batch.encodings[i];
      std::vector<int32_t> labels(sentences[i].words.size(), 0);
      for (size_t word = 0; word < sentences[i].tags.size(); ++word) {
        const auto found = numbers_.find(sentences[i].tags[word]);
        if (found != numbers_.end()) labels[word] = found->second;
      }
      rows.push_back({encoding.ids, encoding.type_ids,
                      align_labels(encoding.word_ids, labels,
                                   {.label_all_tokens = ner_.label_all_tokens,
                                    .inside = inside_labels(names_)})});
    }
    return rows;
  }

  static data::Dataset dataset_of(std::shared_ptr<const std::vector<TokenRow>> rows,
                                  bool labelled) {
    return data::range(static_cast<int64_t>(rows->size()))
        .map([rows, labelled](const Example& each) {
          const TokenRow& row = (*rows)[static_cast<size_t>(each["value"].integer_at(0))];
          const auto tokens = static_cast<int64_t>(row.input_ids.size());
          Example made{{"input_ids", Literal::from(row.input_ids, {tokens})},
                       {"token_type_ids", Literal::from(row.token_type_ids, {tokens})}};
          if (labelled) made.set("labels", Literal::from(row.labels, {tokens}));
          return made;
        });
  }

  // f32 [rows, tokens, classes]
  Literal logits_of(const PretrainedModel& model, const std::vector<TokenRow>& rows) const {
    size_t longest = 1;
    for (const TokenRow& row : rows) longest = std::max(longest, row.input_ids.size());
    const auto shared = std::make_shared<const std::vector<TokenRow>>(rows);
    return model
        .predict(model.prepare_dataset(dataset_of(shared, false), tokenizer_,
                                       {.batch_size = settings_.eval_batch,
                                        .shuffle = false,
                                        .pad_to_multiple_of = static_cast<int64_t>(longest)}))
        .convert(DType::f32);
  }

  // For the tokens that have a label: what the model says, or the labels.
  TagLists tags_of(const Literal& logits, const std::vector<TokenRow>& rows, bool predicted) const {
    const auto length = static_cast<size_t>(logits.shape()[1]), classes = names_.size();
    const bool pads_in_front = tokenizer_.padding().left;
    TagLists lists;
    for (size_t i = 0; i < rows.size(); ++i) {
      lists.emplace_back();
      const size_t begin = pads_in_front ? length - rows[i].labels.size() : 0;
      for (size_t token = 0; token < rows[i].labels.size(); ++token) {
        const int32_t label = rows[i].labels[token];
        if (label < 0) continue;
        const auto scores =
            logits.data<float>().subspan((i * length + begin + token) * classes, classes);
        const auto best = static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
        lists.back().push_back(names_[predicted ? best : static_cast<size_t>(label)]);
      }
    }
    return lists;
  }

  void add_scores(Measures& measures, const TagLists& predicted, const TagLists& there) const {
    const EntityScores scores = entity_scores(predicted, there);
    const auto add = [&](const std::string& prefix, const EntityScore& score) {
      measures[prefix + "precision"] = score.precision;
      measures[prefix + "recall"] = score.recall;
      measures[prefix + "f1"] = score.f1;
    };
    if (ner_.return_entity_level_metrics) {
      for (const auto& [type, score] : scores.types) {
        add(type + "_", score);
        measures[type + "_number"] = score.number;
      }
    }
    const std::string prefix = ner_.return_entity_level_metrics ? "overall_" : "";
    add(prefix, scores.overall);
    measures[prefix + "accuracy"] = scores.accuracy;
  }

  Settings settings_;
  NerSettings ner_;
  Tokenizer tokenizer_;
  std::vector<std::string> names_;
  std::map<std::string, int32_t> numbers_;
};

}  // namespace

int ner(const Settings& settings, const NerSettings& options, std::ostream& out) {
  NerTask task(settings, options);
  return fine_tune(task, settings, out);
}

}  // namespace tool::fine_tune
