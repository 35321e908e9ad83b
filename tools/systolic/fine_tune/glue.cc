#include "tools/systolic/fine_tune/glue.h"

#include <algorithm>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/text/scores/glue.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/fine_tune/fine_tune.h"
#include "tools/systolic/fine_tune/losses.h"
#include "tools/systolic/fine_tune/text_classes.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

// A file to evaluate on or to predict, and what its names end with.
struct Part {
  std::string path, suffix;
};

struct GlueFiles {
  std::string train;
  std::vector<Part> validation, test;
};

std::string folder_of(const GlueTask& task, const std::string& data_dir) {
  const std::string inner = str(data_dir, "/", task.folder);
  return io::exists(inner) ? inner : data_dir;
}

std::vector<Part> parts_of(const GlueTask& task, const std::string& folder, const char* split) {
  if (task.name == "mnli") {
    return {{str(folder, "/", split, "_matched.tsv"), ""},
            {str(folder, "/", split, "_mismatched.tsv"), "_mm"}};
  }
  return {{str(folder, "/", split, ".tsv"), ""}};
}

GlueFiles files_of(const GlueTask* task, const Settings& settings, const GlueSettings& glue) {
  GlueFiles files;
  if (!glue.data_dir.empty()) {
    if (task == nullptr) raise<WrongUsage>({.what = "--data-dir without --task"});
    const std::string folder = folder_of(*task, glue.data_dir);
    files.train = folder + "/train.tsv";
    files.validation = parts_of(*task, folder, "dev");
    if (glue.do_predict) files.test = parts_of(*task, folder, "test");
  }
  if (!settings.train_file.empty()) files.train = settings.train_file;
  if (!settings.validation_file.empty()) files.validation = {{settings.validation_file, ""}};
  if (!settings.test_file.empty()) files.test = {{settings.test_file, ""}};
  if (files.train.empty() && files.validation.empty() && files.test.empty()) {
    raise<WrongUsage>({.what = "no data",
                       .wanted = "--train-file, --validation-file or --test-file; or --data-dir, "
                                 "GLUE's folder"});
  }
  return files;
}

// CoLA's own files have no heading.
TextTable table_of(const GlueTask* task, const std::string& path) {
  const bool is_cola = task != nullptr && task->name == "cola" && path.ends_with(".tsv");
  if (!is_cola) return TextTable(path);
  return TextTable(path, {{"source", "label", "", "sentence"}, {"index", "sentence"}});
}

class GlueTextTask : public FineTuneTask {
 public:
  GlueTextTask(const Settings& settings, const GlueSettings& glue, const GlueTask* task)
      : settings_(settings),
        task_(task),
        files_(files_of(task, settings, glue)),
        trains_(!glue.no_train && !files_.train.empty()),
        tokenizer_(AutoTokenizer::from_pretrained(settings.model)),
        reader_(reader()) {}

  Task head() const override { return Task::sequence_classification; }
  bool trains() const override { return trains_; }

  PretrainedOptions model_options() const override {
    if (reader_.of_numbers()) return {.num_labels = 1};
    return {.id2label = reader_.classes()};
  }

  TrainingRows training(const PretrainedModel& model) override {
    TextClasses rows = reader_.read(table_of(task_, files_.train), true);
    rows.cut(settings_.max_train_samples);
    return {model
                .prepare_dataset(rows.dataset(true, reader_.of_numbers()), tokenizer_,
                                 {.batch_size = settings_.batch,
                                  .shuffle = !settings_.file_order,
                                  .seed = settings_.seed,
                                  .text = "text",
                                  .pair = rows.pairs.empty() ? "" : "pair",
                                  .max_length = max_length(model)})
                .dataset,
            rows.rows()};
  }

  std::vector<Evaluated> evaluate(const PretrainedModel& model) override {
    std::vector<Evaluated> results;
    for (const Part& part : files_.validation) {
      TextClasses rows = reader_.read(table_of(task_, part.path), true);
      rows.cut(settings_.max_eval_samples);
      results.push_back({measures(rows, logits_of(model, rows)), rows.rows(), part.suffix});
    }
    return results;
  }

  void predict(const PretrainedModel& model) override {
    for (const Part& part : files_.test) {
      const TextClasses rows = reader_.read(table_of(task_, part.path), false);
      const std::vector<double> answers = answers_of(logits_of(model, rows));
      std::string lines = "index\tprediction\n";
      for (size_t i = 0; i < answers.size(); ++i) {
        const std::string answer = reader_.of_numbers()
                                       ? fixed(answers[i], 3)
                                       : reader_.classes()[static_cast<size_t>(answers[i])];
        lines += str(i, "\t", answer, "\n");
      }
      const std::string name = task_ == nullptr ? "None" : std::string(task_->name);
      io::write_file(str(settings_.output_dir, "/predict_results_", name,
                         part.suffix.empty() ? "" : "-mm", ".txt"),
                     lines);
    }
  }

  void save(const std::string& folder) const override { tokenizer_.save_pretrained(folder); }

 private:
  // The classes of files of one's own are those of the first that has labels.
  TextClassReader reader() const {
    const std::string path = !files_.train.empty()        ? files_.train
                             : !files_.validation.empty() ? files_.validation.front().path
                                                          : files_.test.front().path;
    return TextClassReader(task_, table_of(task_, path),
                           PretrainedConfig::from_pretrained(settings_.model).labels().names);
  }

  int64_t max_length(const PretrainedModel& model) const {
    constexpr int64_t usual = 128;
    const int64_t asked = settings_.max_seq_length > 0 ? settings_.max_seq_length : usual;
    int64_t most = asked;
    for (const int64_t bound :
         {tokenizer_.model_max_length(), model.config().architecture().max_tokens()}) {
      if (bound > 0) most = std::min(most, bound);
    }
    return most;
  }

  // f32 [rows, classes]
  Literal logits_of(const PretrainedModel& model, const TextClasses& rows) const {
    return model
        .predict(model.prepare_dataset(rows.dataset(false, false), tokenizer_,
                                       {.batch_size = settings_.eval_batch,
                                        .shuffle = false,
                                        .text = "text",
                                        .pair = rows.pairs.empty() ? "" : "pair",
                                        .max_length = max_length(model)}))
        .convert(DType::f32);
  }

  std::vector<double> answers_of(const Literal& logits) const {
    const auto width = static_cast<size_t>(logits.shape()[1]);
    const auto values = logits.data<float>();
    std::vector<double> answers;
    for (size_t at = 0; at < values.size(); at += width) {
      const auto row = values.subspan(at, width);
      answers.push_back(reader_.of_numbers()
                            ? row[0]
                            : static_cast<double>(std::ranges::max_element(row) - row.begin()));
    }
    return answers;
  }

  double loss_of(const std::vector<double>& labels, const Literal& logits) const {
    const auto width = static_cast<size_t>(logits.shape()[1]);
    const auto values = logits.data<float>();
    double sum = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      const auto row = values.subspan(i * width, width);
      sum += reader_.of_numbers() ? (row[0] - labels[i]) * (row[0] - labels[i])
                                  : cross_entropy(row, static_cast<size_t>(labels[i]));
    }
    return sum / static_cast<double>(labels.size());
  }

  Measures measures(const TextClasses& rows, const Literal& logits) const {
    const std::vector<double> answers = answers_of(logits);
    Measures result{{"loss", loss_of(rows.labels, logits)}};
    if (task_ == nullptr && reader_.of_numbers()) {
      result["mse"] = loss_of(rows.labels, logits);
      return result;
    }
    const NamedScores scores =
        glue_scores(task_ == nullptr ? "sst2" : task_->name, answers, rows.labels);
    double sum = 0;
    for (const auto& [name, value] : scores) {
      result[name] = value;
      sum += value;
    }
    if (scores.size() > 1) result["combined_score"] = sum / static_cast<double>(scores.size());
    return result;
  }

  Settings settings_;
  const GlueTask* task_;
  GlueFiles files_;
  bool trains_;
  Tokenizer tokenizer_;
  TextClassReader reader_;
};

}  // namespace

int glue(const Settings& settings, const GlueSettings& options, std::ostream& out) {
  const GlueTask* task = options.task.empty() ? nullptr : &glue_task(options.task);
  GlueTextTask texts(settings, options, task);
  return fine_tune(texts, settings, out);
}

}  // namespace tool::fine_tune
