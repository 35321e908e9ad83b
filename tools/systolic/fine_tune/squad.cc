#include "tools/systolic/fine_tune/squad.h"

#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/text/scores/squad.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/fine_tune/fine_tune.h"
#include "tools/systolic/fine_tune/squad_file.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

using Examples = std::vector<QaExample>;
using Predictions = std::vector<QaPrediction>;

void cut(Examples& examples, int64_t most) {
  if (most > 0 && static_cast<size_t>(most) < examples.size())
    examples.resize(static_cast<size_t>(most));
}

NamedScores scores_of(const Examples& examples, const Predictions& predictions, bool version_2) {
  std::vector<SquadPrediction> given;
  std::vector<SquadReference> references;
  for (size_t i = 0; i < examples.size(); ++i) {
    given.push_back({.id = examples[i].id, .text = predictions[i].text});
    references.push_back({.id = examples[i].id, .answers = examples[i].answers});
  }
  return version_2 ? squad_v2_scores(given, references) : squad_scores(given, references);
}

// eval_predictions.json, eval_nbest_predictions.json and, for SQuAD 2, eval_null_odds.json.
void write_answers(const std::string& prefix, const Examples& examples,
                   const Predictions& predictions, bool version_2) {
  using Json = nlohmann::ordered_json;
  constexpr int indent = 4;
  Json texts = Json::object(), best = Json::object(), odds = Json::object();
  for (size_t i = 0; i < examples.size(); ++i) {
    const QaPrediction& one = predictions[i];
    texts[examples[i].id] = one.text;
    odds[examples[i].id] = one.score_diff;
    Json& list = best[examples[i].id] = Json::array();
    for (const QaAnswer& answer : one.n_best) {
      list.push_back({{"start_logit", answer.start_logit},
                      {"end_logit", answer.end_logit},
                      {"text", answer.text},
                      {"probability", answer.probability}});
    }
  }
  io::write_file(prefix + "_predictions.json", texts.dump(indent) + "\n");
  io::write_file(prefix + "_nbest_predictions.json", best.dump(indent) + "\n");
  if (version_2) io::write_file(prefix + "_null_odds.json", odds.dump(indent) + "\n");
}

class SquadTask : public FineTuneTask {
 public:
  SquadTask(const Settings& settings, const SquadSettings& squad)
      : settings_(settings),
        squad_(squad),
        tokenizer_(AutoTokenizer::from_pretrained(settings.model)) {
    squad_.answers.pads_in_front = tokenizer_.padding().left;
    if (settings.train_file.empty() && settings.validation_file.empty() &&
        settings.test_file.empty()) {
      raise<WrongUsage>(
          {.what = "no data", .wanted = "--train-file, --validation-file or --test-file"});
    }
  }

  Task head() const override { return Task::question_answering; }
  PretrainedOptions model_options() const override { return {.num_labels = 2}; }
  bool trains() const override { return !settings_.train_file.empty(); }

  TrainingRows training(const PretrainedModel& model) override {
    Examples examples = read_squad_file(settings_.train_file);
    cut(examples, settings_.max_train_samples);
    std::vector<QaFeature> rows = features(model, examples);
    const auto count = static_cast<int64_t>(rows.size());
    return {model
                .prepare_dataset(
                    qa_dataset(std::move(rows)), tokenizer_,
                    {.batch_size = settings_.batch,
                     .shuffle = !settings_.file_order,
                     .seed = settings_.seed,
                     .pad_to_multiple_of = squad_.pad_to_max_length ? max_length(model) : 0})
                .dataset,
            count};
  }

  std::vector<Evaluated> evaluate(const PretrainedModel& model) override {
    if (settings_.validation_file.empty()) return {};
    Examples examples = read_squad_file(settings_.validation_file);
    cut(examples, settings_.max_eval_samples);
    check_answers(examples);
    Evaluated result;
    const Predictions predictions = answer(model, examples, "eval", result.samples);
    const bool version_2 = squad_.answers.version_2_with_negative;
    for (const auto& [name, value] : scores_of(examples, predictions, version_2)) {
      if (name.ends_with("total")) {
        result.measures[name] = static_cast<int64_t>(value);
      } else {
        result.measures[name] = value;
      }
    }
    return {result};
  }

  void predict(const PretrainedModel& model) override {
    if (settings_.test_file.empty()) return;
    int64_t rows = 0;
    answer(model, read_squad_file(settings_.test_file), "predict", rows);
  }

  void save(const std::string& folder) const override { tokenizer_.save_pretrained(folder); }

 private:
  int64_t max_length(const PretrainedModel& model) const {
    int64_t length = settings_.max_seq_length > 0 ? settings_.max_seq_length : 384;
    for (const int64_t bound :
         {tokenizer_.model_max_length(), model.config().architecture().max_tokens()}) {
      if (bound > 0) length = std::min(length, bound);
    }
    return length;
  }

  std::vector<QaFeature> features(const PretrainedModel& model, const Examples& examples) const {
    return qa_features(tokenizer_, examples,
                       {.max_seq_length = max_length(model), .doc_stride = squad_.doc_stride});
  }

  Predictions answer(const PretrainedModel& model, const Examples& examples, const char* split,
                     int64_t& rows) const {
    const std::vector<QaFeature> asked = features(model, examples);
    rows = static_cast<int64_t>(asked.size());
    const Example scores = qa_scores(model, tokenizer_, asked, settings_.eval_batch);
    const Predictions predictions = postprocess_qa_predictions(
        examples, asked, scores["start_logits"], scores["end_logits"], squad_.answers);
    write_answers(str(settings_.output_dir, "/", split), examples, predictions,
                  squad_.answers.version_2_with_negative);
    return predictions;
  }

  void check_answers(const Examples& examples) const {
    if (squad_.answers.version_2_with_negative) return;
    for (const QaExample& one : examples) {
      if (!one.answers.empty()) continue;
      raise<DataLoss>(
          {.what = str("'", settings_.validation_file, "': question '", one.id, "' has no answer"),
           .wanted = "one for each question, as in SQuAD 1",
           .hint = "--version-2-with-negative"});
    }
  }

  Settings settings_;
  SquadSettings squad_;
  Tokenizer tokenizer_;
};

}  // namespace

int squad(const Settings& settings, const SquadSettings& options, std::ostream& out) {
  SquadTask task(settings, options);
  return fine_tune(task, settings, out);
}

}  // namespace tool::fine_tune
