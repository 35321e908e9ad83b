// Checkpoints of loops of one's own, and the folder that a manager keeps.
#include "systolic/train/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensor_bundle/checkpoint_state.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/checkpoint/checkpoint_manager.h"
#include "systolic/train/test_models.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

// A loop of one's own: model, optimizer, place in shuffled data, and numbers of the program.
struct OwnLoop {
  Model model = [] {
    set_seed(11);
    return Model(Sequential({Input{.shape = {6}}, Dense{.units = 5, .activation = "relu"},
                             Dropout{.rate = 0.3}, Dense{.units = 3}}));
  }();
  Optimizer optimizer = Adam{.learning_rate = 0.05};
  data::Dataset dataset =
      data::from_tensor_slices(std::pair(three_classes(40).x, three_classes(40).y))
          .shuffle(20, {.seed = 3})
          .repeat()
          .batch(4);
  data::Iterator iterator = dataset.iterator();
  int64_t step = 0;
  double best = 0;
  std::string note;
  Checkpoint checkpoint{{{"model", model},
                         {"optimizer", optimizer},
                         {"data", iterator},
                         {"step", step},
                         {"best", best},
                         {"note", note}}};

  double train() {
    const Example batch = next(iterator);
    GradientTape tape;
    const Tensor logits = model(Tensor(batch.begin()[0].value), {.training = true});
    const Tensor value = mean(sparse_categorical_crossentropy(Tensor(batch.begin()[1].value),
                                                              logits, {.from_logits = true}));
    const std::vector<Variable> variables = model.trainable_variables();
    optimizer.apply_gradients(tape.gradient(value, variables), variables);
    ++step;
    best = value.item<float>();
    return best;
  }
};

// A value that the program keeps in its own way, and options with a name.
TEST(Checkpoint, KeepsWhatSaveGivesForRestore) {
  const TemporaryFolder folder;
  std::vector<float> scores = {1, 2, 3};
  const SavedValue value{[&] { return Literal::from(scores, {3}); },
                         [&](const Literal& saved) {
                           for (size_t i = 0; i < scores.size(); ++i)
                             scores[i] =
                                 static_cast<float>(saved.number_at(static_cast<int64_t>(i)));
                         }};
  const Trackable tracked(value);
  const CheckpointManagerOptions options{.max_to_keep = 1, .checkpoint_name = "scores"};
  CheckpointManager manager(Checkpoint{{{"scores", tracked}}}, folder / "run", options);
  EXPECT_EQ(manager.save(), folder / "run/scores-1");
  scores = {0, 0, 0};
  Checkpoint again{{{"scores", tracked}}};
  RestoreStatus status = again.restore(folder / "run/scores-1");
  status.assert_existing_objects_matched().expect_partial();
  EXPECT_EQ(scores, (std::vector<float>{1, 2, 3}));
}

TEST(Checkpoint, GoesOnToTheBit) {
  const TemporaryFolder folder;
  OwnLoop loop;
  for (int i = 0; i < 3; ++i) loop.train();
  loop.note = "after three";
  const std::string path = loop.checkpoint.save(folder / "run/ckpt");
  EXPECT_EQ(path, folder / "run/ckpt-1");
  EXPECT_EQ(latest_checkpoint(folder / "run"), path);
  OwnLoop again;
  again.train();
  again.checkpoint.restore(path).assert_consumed();
  EXPECT_EQ(again.step, 3);
  EXPECT_EQ(again.note, "after three");
  EXPECT_EQ(again.best, loop.best);
  EXPECT_EQ(again.checkpoint.save_counter(), 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(again.train(), loop.train());
  EXPECT_EQ(again.model.get_weights(), loop.model.get_weights());
  EXPECT_EQ(again.checkpoint.save(folder / "run/ckpt"), folder / "run/ckpt-2");
}

// An optimizer that has made no step yet gets its slots.
TEST(Checkpoint, RestoresBeforeTheFirstStep) {
  const TemporaryFolder folder;
  OwnLoop loop;
  loop.train();
  loop.checkpoint.write(folder / "w");
  OwnLoop fresh;
  fresh.checkpoint.read(folder / "w").assert_consumed();
  EXPECT_EQ(fresh.checkpoint.save_counter(), 0);
  EXPECT_EQ(fresh.train(), loop.train());
  EXPECT_EQ(fresh.model.get_weights(), loop.model.get_weights());
}

TEST(Checkpoint, SaysWhatWasNotMatched) {
  const TemporaryFolder folder;
  Variable a(constant(1), {.name = "a"}), b(constant(2), {.name = "b"});
  Checkpoint({{"a", a}, {"list", std::vector<Variable>{b}}}).write(folder / "w");
  a.assign(5);
  b.assign(6);
  double other = 7;
  Checkpoint partial({{"a", a}, {"other", other}});
  EXPECT_CONTAINS(message_of<FailedPrecondition>(
                      [&] { partial.restore(folder / "w").assert_existing_objects_matched(); }),
                  "other");
  EXPECT_EQ(a.item<int32_t>(), 1);
  EXPECT_EQ(other, 7);
  partial.restore(folder / "w").assert_nontrivial_match().expect_partial();
  Checkpoint only({{"a", a}});
  EXPECT_CONTAINS(
      message_of<FailedPrecondition>([&] { only.restore(folder / "w").assert_consumed(); }),
      "list/0");
  EXPECT_CONTAINS(message_of<FailedPrecondition>([&] { only.restore("").assert_consumed(); }),
                  "there is no checkpoint");
  only.restore("").expect_partial();
  // Where a shape is another, nothing is set.
  Variable wide(constant({1, 2}), {.name = "wide"});
  b.assign(6);
  message_of<InvalidArgument>([&] {
    Checkpoint({{"a", wide}, {"list", std::vector<Variable>{b}}}).restore(folder / "w");
  });
  EXPECT_EQ(b.item<int32_t>(), 6);
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    Checkpoint({{"a", a}, {"a", b}});
                  }),
                  "a name that no other has");
}

// tf.train.Checkpoint(model=..., optimizer=...) of Keras 3.
TEST(Checkpoint, OfTensorFlow) {
  Model model =
      Sequential({Input{.shape = {5}}, Dense{.units = 4, .activation = "tanh"},
                  LayerNormalization{}, Sequential({Dense{.units = 3}}), Dense{.units = 3}});
  Optimizer optimizer = SGD{.learning_rate = 0.5, .momentum = 0.9};
  Checkpoint checkpoint({{"model", model}, {"optimizer", optimizer}});
  checkpoint.restore(test::source_path("systolic/train/weights/golden/keras3"))
      .assert_existing_objects_matched();
  EXPECT_EQ(optimizer.iterations().item<int32_t>(), 2);
  EXPECT_FLOAT_EQ(optimizer.learning_rate().item<float>(), 0.05f);
}

TEST(CheckpointManager, KeepsTheLast) {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  int64_t step = 0;
  int initialized = 0;
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run)) {
      if (entry.path().extension() == ".index") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  {
    CheckpointManager manager(Checkpoint({{"step", step}}), run,
                              {.max_to_keep = 2, .init_fn = [&] { ++initialized; }});
    EXPECT_EQ(manager.restore_or_initialize(), "");
    EXPECT_EQ(initialized, 1);
    for (step = 1; step <= 4; ++step) manager.save();
    EXPECT_EQ(manager.checkpoints(), (std::vector<std::string>{run + "/ckpt-3", run + "/ckpt-4"}));
    EXPECT_EQ(files(), (std::vector<std::string>{"ckpt-3", "ckpt-4"}));
    // Another run may look, not write.
    CheckpointManager second(Checkpoint({{"step", step}}), run);
    EXPECT_EQ(second.latest_checkpoint(), run + "/ckpt-4");
    message_of<FailedPrecondition>([&] { second.save(); });
  }
  CheckpointManager next(Checkpoint({{"step", step}}), run, {.max_to_keep = 2});
  EXPECT_EQ(next.restore_or_initialize(), run + "/ckpt-4");
  EXPECT_EQ(step, 4);
  EXPECT_EQ(next.save(), run + "/ckpt-5");
  EXPECT_EQ(next.save(70), run + "/ckpt-70");
  EXPECT_EQ(files(), (std::vector<std::string>{"ckpt-5", "ckpt-70"}));
  EXPECT_EQ(latest_checkpoint(run), run + "/ckpt-70");
}

TEST(CheckpointManager, KeepsSomeForGood) {
  const TemporaryFolder folder;
  int64_t step = 0;
  CheckpointManager manager(Checkpoint({{"step", step}}), folder / "run",
                            {.max_to_keep = 1, .keep_checkpoint_every_n_hours = 0.0});
  for (int i = 0; i < 3; ++i) manager.save();
  EXPECT_TRUE(io::exists(folder / "run/ckpt-1.index"));
  EXPECT_EQ(manager.checkpoints().size(), 1u);
}

TEST(CheckpointManager, SavesByStepsAndInTheBackground) {
  const TemporaryFolder folder;
  Variable counter(constant(0), {.name = "counter"});
  int64_t step = 0;
  CheckpointManager manager(
      Checkpoint({{"counter", counter}}), folder / "run",
      {.step_counter = [&] { return step; }, .checkpoint_interval = 2, .asynchronous = true});
  std::vector<std::string> saved;
  for (; step < 5; ++step) {
    counter.assign(static_cast<int>(step));
    saved.push_back(manager.save());
    counter.assign(-1);  // what is written is what was there when save() was called
  }
  const std::string run = folder / "run";
  EXPECT_EQ(saved,
            (std::vector<std::string>{run + "/ckpt-1", "", run + "/ckpt-2", "", run + "/ckpt-3"}));
  EXPECT_EQ(manager.latest_checkpoint(), run + "/ckpt-3");
  manager.checkpoint().restore(run + "/ckpt-2").assert_consumed();
  EXPECT_EQ(counter.item<int32_t>(), 2);
}

// A run that ends between any two steps of a save finds the last whole one.
TEST(CheckpointManager, AHalfWrittenOneDoesNotCount) {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  int64_t step = 1;
  CheckpointManager manager(Checkpoint({{"step", step}}), run);
  manager.save();
  step = 2;
  manager.save();
  std::filesystem::remove(run + "/ckpt-2.index");
  EXPECT_EQ(latest_checkpoint(run), "");
  put_file(run + "/checkpoint",
           "model_checkpoint_path: \"ckpt-1\"\nall_model_checkpoint_paths: \"ckpt-1\"\n");
  EXPECT_EQ(latest_checkpoint(run), run + "/ckpt-1");
  for (const char* text :
       {"model_checkpoint_path: \"", "model_checkpoint_path", "a: \"\\",
        "model_checkpoint_path: \"/etc/passwd\"", "model_checkpoint_path: \"a/../../b\"",
        "all_model_checkpoint_timestamps: 1e", "model_checkpoint_path: \"gs://b/c\""}) {
    SCOPED_TRACE(text);
    put_file(run + "/checkpoint", text);
    message_of<DataLoss>([&] { latest_checkpoint(run); });
  }
}

}  // namespace
}  // namespace systolic
