// Planned memory of training steps whose layers are computed again for gradients. That losses and
// weights stay the same is tested with each architecture (pretrained_test.cc, seq2seq_test.cc).
#include <gtest/gtest.h>

#include "systolic/nn/optimizers/sgd.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/random.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/peft/peft_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t batch = 8, tokens = 128, width = 32;

struct CheckpointedCase {
  const char* name;
  PretrainedModel (*make)(int64_t layers, const PretrainedOptions& options);
};

const CheckpointedCase checkpointed_cases[] = {
    {"bert",
     [](int64_t layers, const PretrainedOptions& options) {
       return BertForTokenClassification::from_config(BertConfig{.vocab_size = 50,
                                                                 .hidden_size = width,
                                                                 .num_hidden_layers = layers,
                                                                 .num_attention_heads = 4,
                                                                 .intermediate_size = 4 * width},
                                                      options);
     }},
    {"gpt2",
     [](int64_t layers, const PretrainedOptions& options) {
       return GPT2ForTokenClassification::from_config(
           GPT2Config{.vocab_size = 50, .n_embd = width, .n_layer = layers, .n_head = 4}, options);
     }},
    {"llama",
     [](int64_t layers, const PretrainedOptions& options) {
       return LlamaForTokenClassification::from_config(LlamaConfig{.vocab_size = 50,
                                                                   .hidden_size = width,
                                                                   .intermediate_size = 4 * width,
                                                                   .num_hidden_layers = layers,
                                                                   .num_attention_heads = 4},
                                                       options);
     }},
    {"xlnet",
     [](int64_t layers, const PretrainedOptions& options) {
       return XLNetForTokenClassification::from_config(XLNetConfig{.vocab_size = 50,
                                                                   .d_model = width,
                                                                   .n_layer = layers,
                                                                   .n_head = 4,
                                                                   .d_inner = 4 * width},
                                                       options);
     }},
};

struct Planned {
  int64_t bytes = 0, weights = 0;
};

Planned planned(const CheckpointedCase& one, int64_t layers, bool again) {
  set_default_client(runtime::open_client({.tpu = "v3-8", .cores = 1}));
  PretrainedModel model = one.make(layers, {.gradient_checkpointing = again});
  model.compile({.optimizer = SGD{.learning_rate = 0.01}});
  Example arrays;
  arrays.set("input_ids", Literal::zeros(DType::i32, {batch, tokens}));
  arrays.set("labels", Literal::zeros(DType::i32, {batch, tokens}));
  default_client()->reset_counters();
  model.fit(data::from_tensors(arrays), {.epochs = 1, .verbose = 0});
  const int64_t bytes = default_client()->counters(0).peak_memory_bytes;
  set_default_client(nullptr);
  Planned result{.bytes = bytes};
  for (const Literal& weight : model.get_weights())
    result.weights += static_cast<int64_t>(weight.byte_size());
  return result;
}

// A further layer takes its weights, their gradients at most, and what enters it; without the
// option also what it computes inside, among it probabilities for each pair of tokens.
TEST(GradientCheckpointing, FurtherLayersTakeWhatEntersThem) {
  constexpr int64_t entering = batch * tokens * width * 4, pairs = batch * 4 * tokens * tokens * 4;
  for (const CheckpointedCase& one : checkpointed_cases) {
    for (const bool again : {false, true}) {
      const Planned few = planned(one, 2, again), many = planned(one, 6, again);
      const int64_t each = (many.bytes - few.bytes) / 4, weights = (many.weights - few.weights) / 4;
      if (again) {
        EXPECT_LE(each, entering + 2 * weights) << one.name;
      } else {
        EXPECT_GE(each, 4 * entering + pairs + weights) << one.name;
      }
    }
  }
}

// Adapters lie in the layers that are computed again.
TEST(GradientCheckpointing, AdaptersTrainToTheSameNumbers) {
  set_default_client(runtime::open_client({.backend = "interpreter"}));
  const Golden golden("llama");
  std::vector<Literal> weights[2];
  for (const bool again : {false, true}) {
    set_seed(1);
    const PretrainedModel model =
        LlamaForCausalLM::from_pretrained(golden.folder(), {.gradient_checkpointing = again});
    PeftModel tuned = get_peft_model(model, {.r = 2, .lora_dropout = 0.2});
    tuned.compile({.optimizer = SGD{.learning_rate = 0.1}});
    const data::Dataset batch = golden.batch(model.input_names(), Task::causal_lm, {"labels"});
    tuned.fit(batch.repeat(), {.epochs = 1, .steps_per_epoch = 2, .verbose = 0});
    weights[again ? 1 : 0] = tuned.get_weights();
  }
  set_default_client(nullptr);
  EXPECT_TRUE(weights[1] == weights[0]);
}

}  // namespace
}  // namespace systolic
