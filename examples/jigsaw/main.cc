// Tells insulting comments from others as Kaggle's guide to TPUs in PyTorch does it: DistilBERT in
// bf16 on eight ordinals, each with its share of every batch.
//
//   jigsaw --epochs 3 --batch-size 4
//
// It draws comments and begins with random weights; --weights takes a state_dict of PyTorch's.
#include <CLI/CLI.hpp>
#include <iostream>
#include <numeric>
#include <optional>

#include "examples/common/command_line.h"
#include "examples/common/comments.h"
#include "examples/common/small_bert.h"
#include "examples/jigsaw/distilbert.h"
#include "systolic/systolic.h"

using namespace systolic;
using torch::utils::data::DataLoader;
using torch::utils::data::DistributedSampler;
using torch::utils::data::TensorDataset;

namespace {

struct Arguments {
  std::string cache = ".cache/jigsaw", weights;
  int64_t epochs = 3, batch_size = 4, maxlen = 24, drawn = 2000, smoke = 0;
  int cores = 8;
  double learning_rate = 1e-3, target = 0;
  bool f32 = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--cache", arguments.cache, "where vocabulary and model go")
      ->capture_default_str();
  app.add_option("--weights", arguments.weights, "a state_dict to begin with (torch.save)");
  const auto count = [&](const char* name, int64_t& value, const char* what) {
    app.add_option(name, value, what)->capture_default_str()->check(examples::at_least(1));
  };
  count("--epochs", arguments.epochs, "");
  count("--batch-size", arguments.batch_size, "of one core");
  count("--maxlen", arguments.maxlen, "tokens of every comment");
  count("--drawn", arguments.drawn, "how many comments to draw");
  app.add_option("--cores", arguments.cores)->capture_default_str()->check(examples::at_least(1));
  app.add_option("--learning-rate", arguments.learning_rate)->capture_default_str();
  app.add_flag("--f32", arguments.f32, "weights of 32 bits");
  app.add_option("--target", arguments.target, "exit code 1 below this accuracy in validation")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(examples::at_least(1));
}

// ids and mask [comments, maxlen], targets [comments, 1].
Example tokenized(const examples::LabelledTexts& comments, const Arguments& arguments,
                  int64_t& vocabulary) {
  const std::string folder = arguments.cache + "/small_bert";
  examples::make_small_bert(folder, comments.texts);
  Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder);
  PaddingParameters padding = tokenizer.padding();
  padding.length = arguments.maxlen;
  tokenizer.set_padding(padding);
  tokenizer.set_truncation({.max_length = arguments.maxlen});
  vocabulary = static_cast<int64_t>(tokenizer.vocab_size());
  std::vector<int64_t> ids, mask;
  std::vector<float> targets;
  for (const Encoding& encoding : tokenizer.encode_batch(comments.texts, {.offsets = false})) {
    ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
    mask.insert(mask.end(), encoding.attention_mask.begin(), encoding.attention_mask.end());
  }
  for (const auto label : comments.labels) targets.push_back(static_cast<float>(label));
  const auto rows = static_cast<int64_t>(targets.size());
  return {{"ids", Literal::from(ids, {rows, arguments.maxlen})},
          {"mask", Literal::from(mask, {rows, arguments.maxlen})},
          {"targets", Literal::from(targets, {rows, 1})}};
}

TensorDataset rows_of(const Example& all, int64_t begin, int64_t end) {
  Example part;
  for (const auto& array : all) part.set(array.name, array.value.rows(begin, end));
  return TensorDataset(part);
}

torch::Tensor logits_of(const examples::JigsawModel& model, const torch::utils::data::Batch& batch,
                        const torch::Device& device) {
  const torch::Tensor ids = batch["ids"].to(device, {.dtype = torch::long_});
  const torch::Tensor mask = batch["mask"].to(device, {.dtype = torch::bool_});
  return model(ids, mask).to(torch::float_);
}

// The share of samples of all ordinals whose sign is right.
double accuracy_of(const examples::JigsawModel& model, const DataLoader& loader,
                   const torch::Device& device) {
  const torch::no_grad guard;
  model.eval();
  std::vector<torch::Tensor> right;
  pl::ParallelLoader para_loader(loader, {device});
  for (const auto& batch : para_loader.per_device_loader(device)) {
    const torch::Tensor logits = logits_of(model, batch, device);
    right.push_back(
        torch::Tensor(cast((logits > 0) == (batch["targets"] > 0.5), DType::f32)).mean());
  }
  double sum = 0;
  for (const torch::Tensor& one : right) sum += one.item<float>();
  const double mine = sum / static_cast<double>(right.size());
  return xm::mesh_reduce("accuracy", mine, [](const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  });
}

DataLoader loader_of(const TensorDataset& dataset, const DistributedSampler& sampler,
                     const Arguments& arguments) {
  return DataLoader(dataset, {.batch_size = arguments.batch_size,
                              .sampler = sampler,
                              .num_workers = 1,
                              .drop_last = true});
}

// What --monitor and --tensorboard show, told by the first ordinal.
std::optional<TrainingRunOptions> told_of(const examples::JigsawModel& model,
                                          const Arguments& arguments) {
  if (!xm::is_master_ordinal()) return std::nullopt;
  const auto read_weights = [&model] {
    std::vector<events::NamedValues> all;
    for (const auto& [name, parameter] : model.named_parameters()) {
      const Literal numbers = parameter.literal().convert(DType::f32);
      const auto values = numbers.data<float>();
      all.push_back({.name = name, .values = {values.begin(), values.end()}});
    }
    return all;
  };
  return TrainingRunOptions{.name = "jigsaw",
                            .epochs = static_cast<int>(arguments.epochs),
                            .batch_size = arguments.batch_size * xm::xrt_world_size(),
                            .read_weights = read_weights};
}

struct Run {
  const Arguments& arguments;
  const xmp::MpModelWrapper<examples::JigsawModel>& MX;
  const TensorDataset &train, &valid;
};

// What each ordinal does; the accuracy after the last epoch.
double mp_fn(const Run& run) {
  const Arguments& arguments = run.arguments;
  const torch::Device device = xm::xla_device();
  const examples::JigsawModel& model = run.MX.to(device);
  torch::optim::AdamW optimizer(model.parameters(), {.lr = arguments.learning_rate});
  const torch::nn::BCEWithLogitsLoss criterion;
  const auto sampler_of = [](const TensorDataset& dataset, bool shuffle) {
    return DistributedSampler(
        dataset.size(),
        {.num_replicas = xm::xrt_world_size(), .rank = xm::get_ordinal(), .shuffle = shuffle});
  };
  const DistributedSampler train_sampler = sampler_of(run.train, true);
  std::optional<TrainingRun> told;
  if (const auto options = told_of(model, arguments)) told.emplace(*options);
  double accuracy = 0;
  for (int64_t epoch = 0; epoch < arguments.epochs; ++epoch) {
    if (told) told->begin_epoch(static_cast<int>(epoch));
    train_sampler.set_epoch(epoch);
    model.train();
    int64_t steps = 0;
    torch::Tensor last_loss;
    pl::ParallelLoader para_loader(loader_of(run.train, train_sampler, arguments), {device});
    for (const auto& batch : para_loader.per_device_loader(device)) {
      if (arguments.smoke > 0 && steps++ == arguments.smoke) break;
      const torch::Tensor targets = batch["targets"].to(device, {.dtype = torch::float_});
      optimizer.zero_grad();
      const torch::Tensor loss = criterion(logits_of(model, batch, device), targets);
      loss.backward();
      xm::optimizer_step(optimizer);
      last_loss = loss;
      if (told) told->end_step();
    }
    const auto loss = last_loss.item<float>();
    accuracy =
        accuracy_of(model, loader_of(run.valid, sampler_of(run.valid, false), arguments), device);
    if (told) told->end_epoch({{"loss", loss}, {"val_accuracy", accuracy}});
    xm::master_print("epoch", epoch + 1, "of", arguments.epochs, "accuracy", accuracy);
  }
  xm::save(model.state_dict(), arguments.cache + "/model.bin");
  return accuracy;
}

int train(const Arguments& arguments) {
  torch::manual_seed(1);
  int64_t vocabulary = 0;
  const Example all = tokenized(examples::draw_comments(arguments.drawn, 1), arguments, vocabulary);
  const int64_t training = arguments.drawn * 4 / 5;
  const TensorDataset train_dataset = rows_of(all, 0, training);
  const TensorDataset valid_dataset = rows_of(all, training, arguments.drawn);

  examples::JigsawModel model({.vocab_size = vocabulary,
                               .max_position_embeddings = arguments.maxlen,
                               .dim = 64,
                               .hidden_dim = 128,
                               .n_layers = 2,
                               .n_heads = 4});
  if (!arguments.weights.empty()) model.load_state_dict(torch::load(arguments.weights));
  if (!arguments.f32) model.to(torch::bfloat16);
  const xmp::MpModelWrapper MX(model);

  double accuracy = 0;
  xmp::spawn(
      [&](int index) {
        const double reached = mp_fn({arguments, MX, train_dataset, valid_dataset});
        if (index == 0) accuracy = reached;
      },
      {.nprocs = arguments.cores, .start_method = "fork"});
  return accuracy >= arguments.target ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tell insulting comments from others, in PyTorch/XLA's way, on TPU cores", "jigsaw");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return train(arguments); });
}
