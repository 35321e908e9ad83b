#include "tools/systolic/fine_tune/add_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "systolic/base/text.h"
#include "tools/systolic/fine_tune/glue.h"
#include "tools/systolic/fine_tune/language_model.h"
#include "tools/systolic/fine_tune/ner.h"
#include "tools/systolic/fine_tune/squad.h"
#include "tools/systolic/fine_tune/writing.h"

namespace tool::fine_tune {
namespace {

using Commands = std::vector<std::pair<CLI::App*, std::function<int()>>>;

CLI::Validator at_least(int64_t least) { return CLI::Range(least, int64_t{1} << 40); }

// What all of them take.
void add_settings(CLI::App& command, Settings& settings) {
  const CLI::Validator positive = at_least(1), any = at_least(0);
  command.add_option("--model", settings.model, "a folder of a model and its tokenizer")
      ->required();
  command.add_option("--output-dir", settings.output_dir, "for the tuned model and the results")
      ->required();
  command.add_option("--train-file", settings.train_file, "to train with; none: only evaluates");
  command.add_option("--validation-file", settings.validation_file, "to evaluate on");
  command.add_option("--batch", settings.batch, "of training, of all cores together")
      ->capture_default_str()
      ->check(positive);
  command.add_option("--eval-batch", settings.eval_batch, "of evaluation")
      ->capture_default_str()
      ->check(positive);
  command.add_option("--epochs", settings.epochs)->capture_default_str()->check(positive);
  command.add_option("--max-steps", settings.max_steps, "of training, in place of epochs")
      ->check(positive);
  command
      .add_option("--learning-rate", settings.learning_rate,
                  "at first; it falls to 0 by a straight line")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  command.add_option("--warmup-steps", settings.warmup_steps, "over which it rises from 0 before")
      ->capture_default_str()
      ->check(any);
  command.add_option("--weight-decay", settings.weight_decay)
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--max-grad-norm", settings.max_grad_norm, "of all gradients; 0: any")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  command.add_option("--seed", settings.seed, "of a new head, dropout and shuffling")
      ->capture_default_str();
  command.add_flag("--file-order", settings.file_order, "no shuffling");
  command.add_option("--max-train-samples", settings.max_train_samples, "the first so many")
      ->check(positive);
  command.add_option("--max-eval-samples", settings.max_eval_samples, "the first so many")
      ->check(positive);
  command.add_option("--config-overrides", settings.config_overrides,
                     "NAME=VALUE, fields of config.json: hidden_dropout_prob=0");
}

void add_max_seq_length(CLI::App& command, Settings& settings) {
  command.add_option("--max-seq-length", settings.max_seq_length, "tokens at which texts are cut")
      ->check(at_least(1));
}

CLI::App& verb(CLI::App& app, const char* name, const char* what, const char* examples) {
  return *app.add_subcommand(name, what)->footer(std::string("examples\n") + examples);
}

void add_glue(CLI::App& app, Commands& commands) {
  struct Options {
    Settings settings;
    GlueSettings glue;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      verb(app, "glue", "fine-tune for GLUE, or to classify texts of one's own",
           "  systolic glue --model bert/ --task mrpc --data-dir glue_data --output-dir tuned\n"
           "  systolic glue --model bert/ --task stsb --train-file train.csv --validation-file "
           "dev.csv --output-dir tuned\n"
           "  systolic glue --model tuned/ --validation-file mine.json --output-dir results");
  command.add_option("--task", options->glue.task,
                     "cola, sst2, mrpc, qqp, stsb, mnli, qnli, rte or wnli (default: the columns "
                     "and classes that the files have)");
  command.add_option("--data-dir", options->glue.data_dir,
                     "of GLUE: MRPC/train.tsv and dev.tsv, or these files themselves");
  command.add_option("--test-file", options->settings.test_file, "to predict, without labels");
  command.add_flag("--no-train", options->glue.no_train, "only evaluate and predict");
  command.add_flag("--do-predict", options->glue.do_predict, "the test.tsv of --data-dir, too");
  add_max_seq_length(command, options->settings);
  add_settings(command, options->settings);
  commands.emplace_back(&command,
                        [options] { return glue(options->settings, options->glue, std::cout); });
}

void add_squad(CLI::App& app, Commands& commands) {
  struct Options {
    Settings settings;
    SquadSettings squad;
  };
  const auto options = std::make_shared<Options>();
  systolic::QaAnswerOptions& answers = options->squad.answers;
  CLI::App& command =
      verb(app, "squad", "fine-tune to find answers in texts",
           "  systolic squad --model bert/ --train-file train-v1.1.json --validation-file "
           "dev-v1.1.json --output-dir tuned\n"
           "  systolic squad --model tuned/ --validation-file dev-v2.0.json "
           "--version-2-with-negative --output-dir results");
  command.add_flag("--version-2-with-negative", answers.version_2_with_negative,
                   "SQuAD 2: some questions have no answer");
  command
      .add_option("--null-score-diff-threshold", answers.null_score_diff_threshold,
                  "by how much \"no answer\" must be better than the best answer")
      ->capture_default_str();
  command.add_option("--n-best-size", answers.n_best_size, "answers that are kept")
      ->capture_default_str()
      ->check(at_least(1));
  command.add_option("--max-answer-length", answers.max_answer_length, "tokens of an answer")
      ->capture_default_str()
      ->check(at_least(1));
  command
      .add_option("--doc-stride", options->squad.doc_stride,
                  "tokens of a long text that two parts of it share")
      ->capture_default_str()
      ->check(at_least(0));
  command.add_flag("!--no-pad-to-max-length", options->squad.pad_to_max_length,
                   "rows to learn from no longer than need be: faster, but another loss");
  command.add_option("--test-file", options->settings.test_file, "to answer, without answers");
  add_max_seq_length(command, options->settings);
  add_settings(command, options->settings);
  commands.emplace_back(&command,
                        [options] { return squad(options->settings, options->squad, std::cout); });
}

void add_ner(CLI::App& app, Commands& commands) {
  struct Options {
    Settings settings;
    NerSettings ner;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      verb(app, "ner", "fine-tune to find names, or another class for each word",
           "  systolic ner --model bert/ --train-file train.json --validation-file dev.json "
           "--output-dir tuned\n"
           "  systolic ner --model tuned/ --validation-file eng.testb --output-dir results");
  command.add_flag("--label-all-tokens", options->ner.label_all_tokens,
                   "all tokens of a word have its label, not the first alone");
  command.add_flag("--return-entity-level-metrics", options->ner.return_entity_level_metrics,
                   "scores of each type, too");
  command.add_option("--test-file", options->settings.test_file, "to tag: predictions.txt");
  add_max_seq_length(command, options->settings);
  add_settings(command, options->settings);
  commands.emplace_back(&command,
                        [options] { return ner(options->settings, options->ner, std::cout); });
}

void add_language_model(CLI::App& app, Commands& commands, bool causal) {
  struct Options {
    Settings settings;
    LanguageModelSettings language;
  };
  const auto options = std::make_shared<Options>();
  options->language.causal = causal;
  CLI::App& command =
      causal ? verb(app, "clm", "fine-tune to continue texts",
                    "  systolic clm --model gpt2/ --train-file book.txt --validation-file rest.txt "
                    "--output-dir tuned")
             : verb(app, "mlm", "fine-tune to know masked words",
                    "  systolic mlm --model bert/ --train-file book.txt --validation-file rest.txt "
                    "--output-dir tuned");
  command
      .add_option("--block-size", options->language.block_size,
                  "tokens of a row (default: what the model takes, at most 1024)")
      ->check(at_least(2));
  command.add_option("--text-column", options->language.text_column,
                     "of a table (default: \"text\", or the first)");
  if (!causal) {
    command
        .add_option("--mlm-probability", options->language.mlm_probability,
                    "the share of the tokens that are masked")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 1.0));
  }
  add_settings(command, options->settings);
  commands.emplace_back(&command, [options] {
    return language_model(options->settings, options->language, std::cout);
  });
}

void add_writing(CLI::App& app, Commands& commands, bool translates) {
  struct Options {
    Settings settings;
    WritingSettings writing;
  };
  const auto options = std::make_shared<Options>();
  WritingSettings& writing_options = options->writing;
  writing_options.translates = translates;
  CLI::App& command =
      translates
          ? verb(app, "translation", "fine-tune to translate; BLEU",
                 "  systolic translation --model t5-small/ --train-file train.json "
                 "--validation-file dev.json --source-lang en --target-lang de --source-prefix "
                 "\"translate English to German: \" --output-dir tuned")
          : verb(app, "summarization", "fine-tune to summarize; ROUGE",
                 "  systolic summarization --model t5-small/ --train-file train.csv "
                 "--validation-file dev.csv --source-prefix \"summarize: \" --output-dir tuned");
  command.add_option("--text-column", writing_options.text_column, "to read (default: the first)");
  command.add_option(translates ? "--target-column" : "--summary-column",
                     writing_options.target_column, "to write (default: the second)");
  if (translates) {
    CLI::Option* from = command.add_option("--source-lang", writing_options.source_lang,
                                           "of {\"translation\": {\"en\": ..., \"de\": ...}}");
    CLI::Option* to = command.add_option("--target-lang", writing_options.target_lang);
    from->needs(to), to->needs(from);
  }
  command.add_option("--source-prefix", writing_options.source_prefix, "before each text");
  command
      .add_option("--max-source-length", writing_options.max_source_length, "tokens that are read")
      ->capture_default_str()
      ->check(at_least(1));
  command
      .add_option("--max-target-length", writing_options.max_target_length,
                  "tokens that are written")
      ->capture_default_str()
      ->check(at_least(2));
  command.add_option("--num-beams", writing_options.num_beams, "of what is evaluated")
      ->check(at_least(1));
  add_settings(command, options->settings);
  commands.emplace_back(
      &command, [options] { return writing(options->settings, options->writing, std::cout); });
}

}  // namespace

void add_commands(CLI::App& app, Commands& commands) {
  add_glue(app, commands);
  add_squad(app, commands);
  add_ner(app, commands);
  for (const bool causal : {true, false}) add_language_model(app, commands, causal);
  for (const bool translates : {false, true}) add_writing(app, commands, translates);
}

}  // namespace tool::fine_tune
