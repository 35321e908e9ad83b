// Which events fit and a loop of one's own tell, in which order, and that whoever hears them
// changes nothing.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/events/training_run.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/logging/csv_logger.h"
#include "systolic/train/callbacks/saving/backup_and_restore.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

// Writes down what it hears, without the programs that read metrics.
class EventRecorder : public EventSink {
 public:
  explicit EventRecorder(bool compilations = true) : compilations_(compilations) {}
  void handle(const events::Moment& at, const Event& event) override {
    std::visit([&](const auto& one) { on(at, one); }, event);
  }
  std::string text;
  std::vector<float> losses;

 private:
  template <class Other>
  void on(const events::Moment&, const Other& one) {
    add(event_name(Event(one)));
  }
  void on(const events::Moment& at, const events::StepEnd& end) {
    add(str("step", at.step, "/", end.samples));
  }
  void on(const events::Moment&, const events::LossKnown& known) { losses.push_back(known.loss); }
  void on(const events::Moment&, const events::EvaluationStep&) {}
  void on(const events::Moment& at, const events::EpochEnd& end) {
    add(str(end.cut_short ? "cut" : "epoch_end", at.epoch));
  }
  void on(const events::Moment&, const events::Compilation& one) {
    if (compilations_ && one.program.find("step") != std::string::npos)
      add("compiled:" + one.program);
  }
  void on(const events::Moment&, const events::Recompilation& one) {
    EXPECT_FALSE(one.reason.empty());
    add(str("recompiled:", one.programs));
  }
  void add(std::string_view word) { text.append(word) += ' '; }

  const bool compilations_;
};

// Writes down what advice a run gives.
struct Advices : EventSink {
  void handle(const events::Moment&, const Event& event) override {
    if (const auto* advice = std::get_if<events::Advice>(&event))
      texts.push_back(advice->line.text);
  }
  std::vector<std::string> texts;
};

// How many steps are over whose loss is not known, at most, when a step ends.
struct UnknownLosses : EventSink {
  void handle(const events::Moment& at, const Event& event) override {
    if (std::holds_alternative<events::LossKnown>(event)) ++known;
    if (std::holds_alternative<events::StepEnd>(event)) most = std::max(most, at.step - known);
  }
  int64_t known = 0, most = 0;
};

// Has a width of its own: no other test has compiled its steps.
Model model_of_width(int64_t units) {
  set_seed(7);
  Model model = Sequential(
      {Input{.shape = {6}}, Dense{.units = units, .activation = "relu"}, Dense{.units = 3}});
  model.compile({.optimizer = Adam{.learning_rate = 0.02},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true}});
  return model;
}

CallbackPtr at_step(int64_t at, std::function<void()> body) {
  return LambdaCallback({.on_train_batch_end = [=](int64_t step, const Logs&) {
    if (step == at) body();
  }});
}

// Ends a run as what kills a process does, after a save in the same moment.
struct FailsLast : Callback {
  bool comes_last() const override { return true; }
  void on_train_batch_end(int64_t step, const Logs&) override {
    if (step == 1) throw std::runtime_error("ended");
  }
};

// A run that dies leaves the losses up to its last step.
TEST(FitEvents, TheLossOfAStepIsKnownBeforeTheNext) {
  for (const int64_t steps_per_execution : {1, 4}) {
    const auto unknown = std::make_shared<UnknownLosses>();
    Model model = model_of_width(29);
    model.compile({.loss = SparseCategoricalCrossentropy{.from_logits = true},
                   .steps_per_execution = steps_per_execution});
    model.fit(batches(three_classes(240), 10),
              {.callbacks = {LambdaCallback({.on_train_begin = [&] { add_to_run(unknown); }})},
               .verbose = 0});
    EXPECT_EQ(unknown->known, 24);
    EXPECT_EQ(unknown->most, steps_per_execution);
  }
}

TEST(FitEvents, AreInOrder) {
  const TemporaryFolder folder;
  const data::Dataset four = batches(three_classes(40), 10), two = batches(three_classes(20), 10);
  const BackupAndRestore backup{.backup_dir = folder / "run", .save_freq = 1};
  const auto press = at_step(1, [] { std::raise(SIGINT); });
  const CallbackPtr fail = std::make_shared<FailsLast>();
  const struct {
    const char* what;
    data::Dataset data;
    FitOptions options;
    std::string told;
    bool compilations = true;
  } table[] = {
      {"a validation",
       two,
       {.validation_data = two},
       "run_begin epoch_begin compiled:train_step step_shapes step1/10 step2/10 evaluation_begin "
       "compiled:test_step evaluation_end epoch_end0 run_end "},
      {"an interruption",
       four,
       {.epochs = 2, .callbacks = {press}, .on_interrupt = OnInterrupt::stop},
       "run_begin epoch_begin compiled:train_step step_shapes step1/10 step2/10 cut0 interruption "
       "run_end "},
      {"a longer batch",
       two.take(1).concatenate(batches(three_classes(24), 12)),
       {},
       "run_begin epoch_begin compiled:train_step step_shapes step1/10 recompiled:2 "
       "step_shapes compiled:train_step step2/12 step3/12 epoch_end0 run_end "},
      {"data that ends",
       two,
       {.epochs = 2, .steps_per_epoch = 3},
       "run_begin epoch_begin step_shapes step1/10 step2/10 data_ended epoch_end0 run_end ",
       false},
      {"a run that is ended",
       four,
       {.callbacks = {backup, fail}},
       "run_begin epoch_begin step_shapes step1/10 checkpoint_written step2/10 checkpoint_written "
       "failure ",
       false},
      {"and taken up",
       four,
       {.callbacks = {backup}},
       "notice run_begin epoch_begin step_shapes step3/10 checkpoint_written step4/10 "
       "checkpoint_written "
       "epoch_end0 run_end ",
       false},
  };
  int64_t width = 31;
  for (const auto& row : table) {
    const CaughtLog log;
    Model model = model_of_width(row.compilations ? width++ : 30);
    const auto recorder = std::make_shared<EventRecorder>(row.compilations);
    FitOptions options = row.options;
    options.verbose = 0;
    options.event_sinks = {recorder};
    try {
      model.fit(row.data, options);
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "ended") << row.what;
    }
    EXPECT_EQ(recorder->text, row.told) << row.what;
  }
}

struct FailingTest : Callback {
  void on_test_batch_end(int64_t, const Logs&) override { throw std::runtime_error("ended"); }
};

TEST(FitEvents, EvaluateTellsItsOwn) {
  const data::Dataset two = batches(three_classes(20), 10);
  const CallbackPtr fail = std::make_shared<FailingTest>();
  const struct {
    EvaluateOptions options;
    std::string told;
  } table[] = {
      {{}, "run_begin evaluation_begin evaluation_end run_end "},
      {{.steps = 3}, "run_begin evaluation_begin evaluation_end notice run_end "},
      {{.callbacks = {fail}}, "run_begin evaluation_begin failure "},
  };
  Model model = small_model(3);
  for (const auto& row : table) {
    const CaughtLog log;
    const auto recorder = std::make_shared<EventRecorder>(false);
    EvaluateOptions options = row.options;
    options.event_sinks = {recorder};
    options.verbose = 0;
    try {
      EXPECT_EQ(model.evaluate(two, options).samples, 20);
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "ended");
    }
    EXPECT_EQ(recorder->text, row.told);
  }
}

TEST(FitEvents, NullPointersAreNoSinks) {
  EXPECT_CONTAINS(error_of([] {
                    small_model(3).fit(batches(three_classes(10), 10),
                                       {.event_sinks = {nullptr}, .verbose = 0});
                  }),
                  "one of the event sinks is a null pointer");
}

TEST(FitEvents, TheLossOfEachStepIsKnown) {
  const auto recorder = std::make_shared<EventRecorder>();
  Model model = small_model(3);
  const History history =
      model.fit(batches(three_classes(40), 2), {.event_sinks = {recorder}, .verbose = 0});
  EXPECT_EQ(recorder->losses, history.step_losses);
  EXPECT_EQ(history.step_losses.size(), 20u);
}

struct ThrowingSink : EventSink {
  void handle(const events::Moment&, const Event&) override {
    throw std::runtime_error("of the sink");
  }
};

// Waits at the first step until the training is over.
struct WaitsForTheEnd : EventSink {
  void handle(const events::Moment&, const Event& event) override {
    if (std::holds_alternative<events::StepEnd>(event)) trained.wait();
  }
  std::latch trained{1};
};

TEST(FitEvents, SinksThatThrowOrAreSlowChangeNothing) {
  const data::Dataset data = batches(three_classes(40), 10);
  Model alone = small_model(), heard = small_model();
  const History wanted = alone.fit(data, {.epochs = 3, .verbose = 0});
  const CaughtLog log;
  const auto waits = std::make_shared<WaitsForTheEnd>();
  const CallbackPtr end =
      LambdaCallback({.on_train_end = [&](const Logs&) { waits->trained.count_down(); }});
  const History history = heard.fit(data, {.epochs = 3,
                                           .callbacks = {end},
                                           .event_sinks = {std::make_shared<ThrowingSink>(), waits},
                                           .verbose = 0});
  EXPECT_EQ(history.step_losses, wanted.step_losses);
  EXPECT_EQ(heard.get_weights(), alone.get_weights());
  EXPECT_EQ(log.lines(),
            "An event sink failed and is told nothing more; the run goes on. It said: of the "
            "sink\n");
}

TEST(FitEvents, AFileThatCannotBeWrittenEndsNoTraining) {
  const CaughtLog log;
  const History history = small_model().fit(
      batches(three_classes(40), 10),
      {.epochs = 2, .callbacks = {CSVLogger{.filename = "/proc/none/log.csv"}}, .verbose = 0});
  EXPECT_EQ(history.epoch.size(), 2u);
  EXPECT_CONTAINS(log.warnings(), "An event sink failed");
  EXPECT_CONTAINS(log.warnings(), "/proc/none");
}

TEST(TrainingRun, HearsOfTheProgramsOfItsLoop) {
  const TemporaryFolder folder;
  const CaughtLog log;
  const auto recorder = std::make_shared<EventRecorder>();
  const std::string file = folder / "log.csv";
  auto step = function([](const Tensor& x) { return x * 3.0f + x; }, {.name = "own_step"});
  {
    TrainingRun run(
        {.epochs = 1, .batch_size = 5, .sinks = {recorder, CSVLogger{.filename = file}}});
    run.begin_epoch(0);
    for (const int64_t size : {61, 61, 67}) {
      step(Tensor(Literal::filled(DType::f32, {size}, 1.0)));
      run.end_step();
    }
    run.end_epoch({{"loss", 0.5}});
  }
  EXPECT_EQ(recorder->text,
            "run_begin epoch_begin compiled:own_step step1/5 step2/5 recompiled:2 "
            "compiled:own_step step3/5 epoch_end0 run_end ");
  EXPECT_EQ(io::read_file(file), "epoch,loss\n0,0.5\n");
}

TEST(FitEvents, TellWhatLossesOptimizersAndLayersFind) {
  const CaughtLog log;
  const auto advices = std::make_shared<Advices>();
  Model model = Sequential({Input{.shape = {6}}, Dense{.units = 1, .activation = "softmax"},
                            Dense{.units = 3, .activation = "softmax"}});
  model.compile({.optimizer = AdamW{.exclude_from_weight_decay = {"LayerNorm"}},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true}});
  model.fit(batches(three_classes(40), 10), {.epochs = 2, .event_sinks = {advices}, .verbose = 0});
  const char* parts[] = {"over an axis of size 1", "from_logits = true is given probabilities",
                         "exclude_from_weight_decay has 'LayerNorm'"};
  ASSERT_EQ(advices->texts.size(), std::size(parts));
  for (size_t i = 0; i < std::size(parts); ++i) {
    EXPECT_NE(advices->texts[i].find(parts[i]), std::string::npos) << advices->texts[i];
    EXPECT_NE(log.lines().find(parts[i]), std::string::npos) << log.lines();
  }
}

}  // namespace
}  // namespace systolic
