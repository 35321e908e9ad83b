// The steps of models with embedding tables, as a TPU's compiler is given them: each core looks up
// and moves its own rows and exchanges the others by all_to_all, which gives what the program over
// whole tables gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/passes/exchange/core_exchange.h"
#include "systolic/passes/exchange/exchange_rows.h"
#include "systolic/runtime/tpu_compiler.h"
#include "systolic/systolic.h"
#include "systolic/trace/device/default_client.h"
#include "tests/tpu/recording_client.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;
using tfrs::layers::embedding::TPUEmbedding;

constexpr int64_t table_batch = 64, most_watched = 4;

// A model of two tables, of which one is looked up by two features, one ragged.
Network two_tables(int64_t users, int64_t movies, int64_t dim,
                   const embedding::EmbeddingOptimizer& rule) {
  const embedding::TableConfig user_table{.vocabulary_size = users, .dim = dim, .name = "users"};
  const embedding::TableConfig movie_table{.vocabulary_size = movies, .dim = dim, .name = "movies"};
  const Symbol user = input({.shape = Shape{}, .dtype = DType::i32, .name = "user"});
  const Symbol movie = input({.shape = Shape{}, .dtype = DType::i32, .name = "movie"});
  const Symbol watched = input({.shape = {most_watched}, .dtype = DType::i32, .name = "watched"});
  const Symbol weights = input({.shape = {most_watched}, .name = "watched_weights"});
  const std::vector<Symbol> vectors =
      TPUEmbedding{.feature_config = {{.table = user_table, .name = "user"},
                                      {.table = movie_table, .name = "movie"},
                                      {.table = movie_table, .name = "watched", .ragged = true}},
                   .optimizer = rule}({user, movie, watched, weights});
  return Network({user, movie, watched, weights}, Dense{.units = 1}(Concatenate{}(vectors)));
}

struct StepOptions {
  int64_t steps_per_execution = 1;
  bool runs = true;
};

// What fit compiles for its step on eight cores.
ir::Module step_with(const std::function<Network()>& network, StepOptions options = {}) {
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  const auto recorder = std::make_shared<RecordingClient>(default_client(), options.runs);
  set_default_client(recorder);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([&] { return Model(network()); });
  model.compile({.optimizer = SGD{.learning_rate = 0.1},
                 .loss = MeanSquaredError{},
                 .metrics = {},
                 .steps_per_execution = options.steps_per_execution});
  const int64_t rows = 2 * table_batch;
  const Literal ids = Literal::zeros(DType::i32, {rows});
  const auto fit = [&] {
    model.fit({{"user", ids},
               {"movie", ids},
               {"watched", Literal::zeros(DType::i32, {rows, most_watched})},
               {"watched_weights", Literal::zeros(DType::f32, {rows, most_watched})}},
              Literal::zeros(DType::f32, {rows, 1}), {.batch_size = table_batch, .verbose = 0});
  };
  if (options.runs) {
    fit();
  } else {
    EXPECT_THROW(fit(), Unimplemented);
  }
  set_default_client(nullptr);
  const auto modules = recorder->modules();
  const auto step = modules.find("train_step");
  if (step != modules.end()) return step->second;
  ADD_FAILURE() << "no train_step";
  return {};
}

const std::vector<embedding::EmbeddingOptimizer> all_rules{
    embedding::SGD{.learning_rate = 0.1, .clipvalue = 0.5},
    embedding::Adagrad{.learning_rate = 0.1},
    embedding::AdagradMomentum{.learning_rate = 0.1, .momentum = 0.8},
    embedding::FTRL{.learning_rate = 0.1, .l1_regularization_strength = 0.1},
    embedding::Adam{.learning_rate = 0.1, .weight_decay_factor = 0.01}};

int64_t functions_named(const ir::Module& module, const std::string& begin) {
  return std::count_if(module.functions.begin(), module.functions.end(),
                       [&](const ir::Function& one) { return one.name.starts_with(begin); });
}

// Collectives between the cores of a program for each of them.
void clear_channels(ir::Block& block) {
  for (ir::Op& op : block.ops) {
    if (auto* a = std::get_if<ir::CollectiveAttributes>(&op.attributes)) *a = {};
    if (auto* a = std::get_if<ir::AllToAllAttributes>(&op.attributes)) a->collective = {};
    for (ir::Block& region : op.regions) clear_channels(region);
  }
}

// A core's part of what it holds whole, or the whole of all parts.
ir::Value without_mark(ir::Builder& b, const ir::Op& mark, int64_t cores) {
  const ir::Value x = b.value(mark.operands[0]);
  const std::string& name = mark.get<ir::CustomCallAttributes>().call_target_name;
  const ir::Type result = b.type(mark.results[0]);
  if (name == passes::shard_to_full_call) return all_gather(x, 0, cores);
  if (name == passes::sharding_call || x.type() == result)
    return b.append_one(ir::OpCode::reshape, {x}, {}, {}, {result});
  const ir::Value zero = b.constant(Literal::zeros(DType::i32, {}));
  std::vector<ir::Value> starts(static_cast<size_t>(x.rank()), zero);
  starts[0] = convert(replica_id(b), DType::i32) * static_cast<double>(result.shape[0]);
  return dynamic_slice(x, starts, result.shape.to_vector());
}

// The program as eight cores run it: each holds whole what the program over whole arrays does, and
// the functions that the pass made get the core's part.
ir::Module on_each_core(ir::Module module) {
  const int64_t cores = std::exchange(module.num_partitions, 1);
  module.num_replicas = cores;
  for (ir::Function& function : module.functions) clear_channels(function.body);
  for (ir::Parameter& argument : module.main().arguments)
    argument = {.name = argument.name, .uniform = true};
  for (ir::Parameter& result : module.main().results) result = {.name = result.name};
  for (ir::Function& function : module.functions) {
    ir::Builder b(function, &module);
    std::vector<ir::Op> ops = std::move(function.body.ops);
    function.body.ops.clear();
    for (ir::Op& op : ops) {
      if (op.code != ir::OpCode::custom_call) {
        b.block().ops.push_back(std::move(op));
        continue;
      }
      without_mark(b, op, cores);
      b.block().ops.back().results = op.results;
    }
  }
  return module;
}

// Ids of the smaller table, and positive numbers for all else: accumulators are never below zero.
std::vector<Literal> drawn_arguments(const ir::Module& module, int64_t ids) {
  std::mt19937 random(11);
  std::vector<Literal> result;
  for (const ir::ValueId argument : module.main().body.arguments) {
    const ir::Type& type = module.main().type(argument);
    Literal numbers(DType::f64, type.shape);
    for (double& x : numbers.mutable_data<double>()) {
      const auto drawn = static_cast<double>(random() % 1000);
      x = is_float(type.dtype) ? (drawn + 1) / 1000 : static_cast<double>(random() % ids);
    }
    result.push_back(numbers.convert(type.dtype));
  }
  return result;
}

TEST(EmbeddingSteps, GiveWhatTheProgramOverWholeTablesGives) {
  for (const embedding::EmbeddingOptimizer& rule : all_rules) {
    SCOPED_TRACE(rule.index());
    // The first core has all movies that are drawn: more than fit one round.
    const ir::Module step = step_with([&] { return two_tables(50, 800, 3, rule); });
    const ir::Module exchanged = passes::exchange_rows(step);
    ir::verify(exchanged);
    EXPECT_EQ(functions_named(exchanged, "look_up_rows"), 3);
    EXPECT_EQ(functions_named(exchanged, "move_rows"), 2);
    const std::vector<Literal> arguments = drawn_arguments(step, 30);
    const std::vector<Literal> wanted = interpreter::evaluate(step, arguments);
    const ir::Module by_core = on_each_core(exchanged);
    ir::verify(by_core);
    const std::vector<Literal> got = interpreter::evaluate(by_core, arguments);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const int64_t size = wanted[i].size();
      ASSERT_EQ(got[i].size(), 8 * size) << i;
      for (int64_t k = 0; k < got[i].size(); ++k)
        ASSERT_NEAR(got[i].number_at(k), wanted[i].number_at(k % size), 1e-5) << i << " " << k;
    }
  }
}

TEST(EmbeddingSteps, AreExchangedInLoopsOfStepsToo) {
  const ir::Module step = step_with([] { return two_tables(50, 30, 3, embedding::Adagrad{}); },
                                    {.steps_per_execution = 2});
  const ir::Module exchanged = passes::exchange_rows(step);
  ir::verify(exchanged);
  EXPECT_EQ(functions_named(exchanged, "look_up_rows"), 3);
  EXPECT_EQ(functions_named(exchanged, "move_rows"), 2);
}

TEST(EmbeddingSteps, AreLeftAloneWhereNoTableIsSplit) {
  const ir::Module step = step_with([] {
    const Symbol user = input({.shape = Shape{}, .dtype = DType::i32, .name = "user"});
    const Symbol movie = input({.shape = Shape{}, .dtype = DType::i32, .name = "movie"});
    const Symbol watched = input({.shape = {most_watched}, .dtype = DType::i32, .name = "watched"});
    const Symbol weights = input({.shape = {most_watched}, .name = "watched_weights"});
    const Symbol vectors =
        Concatenate{}({Embedding{.input_dim = 50, .output_dim = 3}(user),
                       Embedding{.input_dim = 30, .output_dim = 3}(movie),
                       Flatten{}(Embedding{.input_dim = 30, .output_dim = 3}(watched)), weights});
    return Network({user, movie, watched, weights}, Dense{.units = 1}(vectors));
  });
  EXPECT_EQ(ir::to_text(passes::exchange_rows(step)), ir::to_text(step));
}

bool has_no_tpu_compiler() {
  if (!runtime::find_libtpu().empty()) return false;
  std::cerr << "NOT CHECKED BY THE TPU'S COMPILER: there is no libtpu.so; `./run fetch` gets it\n";
  return true;
}

TEST(EmbeddingSteps, CompileForTpusWithEachOptimizer) {
  if (has_no_tpu_compiler()) GTEST_SKIP() << "no libtpu.so";
  const auto compile = [](const ir::Module& step) {
    return runtime::compile_for_tpu(step,
                                    {.topology = "v5e:2x4", .effort = runtime::CompileEffort::o0});
  };
  for (const embedding::EmbeddingOptimizer& rule : all_rules) {
    SCOPED_TRACE(rule.index());
    EXPECT_EQ(compile(step_with([&] { return two_tables(5000, 3000, 16, rule); })).cores, 8);
  }
  const auto adagrad = [] { return two_tables(5000, 3000, 16, embedding::Adagrad{}); };
  EXPECT_EQ(compile(step_with(adagrad, {.steps_per_execution = 2})).cores,
            8);  // two steps in an execution
}

TEST(EmbeddingSteps, CompileForTpusWithinAShareOfTheTables) {
  if (has_no_tpu_compiler()) GTEST_SKIP() << "no libtpu.so";
  // Rows of 128 numbers: narrower ones are kept turned, and each step turns its table.
  const ir::Module step =
      step_with([] { return two_tables(200'000, 100'000, 128, embedding::Adagrad{}); });
  const int64_t tables = 2 * int64_t{300'000} * 128 * 4;  // and their accumulators
  for (const char* topology : {"v3-8", "v5e:2x4"}) {
    const runtime::TpuProgram program = runtime::compile_for_tpu(
        step, {.topology = topology, .effort = runtime::CompileEffort::o0});
    EXPECT_EQ(program.cores, 8);
    EXPECT_LT(program.memory.arguments, tables / 8 * 1.01);
    EXPECT_GT(program.memory.aliased, tables / 8);
    EXPECT_LT(program.memory.temporaries, tables / 8 / 10);  // no copy of a table
    std::cout << program.kind << ": " << bytes_text(program.memory.arguments) << " of arguments, "
              << bytes_text(program.memory.temporaries) << " of temporaries, peak "
              << bytes_text(program.memory.peak) << " a core, compiled in "
              << fixed(program.seconds, 1) << " s\n";
  }
}

// A table of 68.7 GB, which no core holds, is never made here.
TEST(EmbeddingSteps, CompileForATableOfFourTimesACoresMemory) {
  if (has_no_tpu_compiler()) GTEST_SKIP() << "no libtpu.so";
  constexpr int64_t known = (int64_t{1} << 27) - 1, bytes = (known + 1) * 128 * 4;
  const ir::Module step =
      step_with([] { return two_tables(known, 1000, 128, embedding::SGD{}); }, {.runs = false});
  for (const char* topology : {"v3-8", "v5e:2x4"}) {
    const runtime::TpuProgram program = runtime::compile_for_tpu(
        step, {.topology = topology, .effort = runtime::CompileEffort::o0});
    EXPECT_GT(bytes, 4 * program.memory.limit) << topology;
    EXPECT_GE(program.memory.aliased, bytes / 8) << topology;
    EXPECT_LT(program.memory.peak, program.memory.limit) << topology;
    std::cout << program.kind << ": a table of " << bytes_text(bytes) << ", peak "
              << bytes_text(program.memory.peak) << " of " << bytes_text(program.memory.limit)
              << " a core\n";
  }
}

}  // namespace
}  // namespace systolic
