// Time of a call of generate(): GPT-2 small with random weights continues random prompts, the
// likeliest token each time (benchmarks/peers/torch_generate.py).
//
//   generate_text [--batch N] [--prompt TOKENS] [--tokens N] ...
#include <CLI/CLI.hpp>
#include <random>

#include "benchmarks/measure.h"
#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  int64_t batch = 1;
  int64_t prompt = 32;
  int64_t tokens = 64;
  int64_t steps = 3;
  int64_t warm_up = 1;
};

Literal random_prompts(int64_t batch, int64_t length) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> token(0, 50000);
  Literal ids(DType::i32, {batch, length});
  for (int32_t& value : ids.mutable_data<int32_t>()) value = token(bits);
  return ids;
}

void run(const Arguments& arguments) {
  const PretrainedModel model = AutoModelForCausalLM::from_config(GPT2Config{});
  const Literal prompts = random_prompts(arguments.batch, arguments.prompt);
  History history;
  for (int64_t step = 0; step < arguments.warm_up + arguments.steps; ++step) {
    const Stopwatch watch;
    const Literal ids =
        model.generate(prompts, {.max_new_tokens = arguments.tokens, .eos_token_id = -1});
    history.step_milliseconds.push_back(watch.milliseconds());
    ensure(ids.shape()[1] == arguments.prompt + arguments.tokens, "no token ends a text");
  }
  const double first = history.step_milliseconds.front();
  print_result("generate", history, arguments.warm_up, first);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures generate() of GPT-2 small.");
  systolic::Arguments arguments;
  app.add_option("--batch", arguments.batch, "texts")->capture_default_str();
  app.add_option("--prompt", arguments.prompt, "tokens of a prompt")->capture_default_str();
  app.add_option("--tokens", arguments.tokens, "tokens to generate")->capture_default_str();
  app.add_option("--steps", arguments.steps, "calls that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "calls before them")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
