// What the commands that fine-tune are told. Names and defaults are those of transformers' example
// programs and of its TrainingArguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tool::fine_tune {

struct Settings {
  std::string model;       // a folder as transformers writes it, with its tokenizer
  std::string output_dir;  // for the tuned model, its tokenizer and the results
  std::string train_file, validation_file, test_file;  // "": none
  std::vector<std::string> config_overrides;           // "hidden_dropout_prob=0"

  int64_t batch = 8;       // per_device_train_batch_size, of all cores together
  int64_t eval_batch = 8;  // per_device_eval_batch_size
  int64_t epochs = 3;
  int64_t max_steps = 0;  // of training, in place of epochs; 0: none
  double learning_rate = 5e-5;
  double weight_decay = 0;
  double max_grad_norm = 1;  // 0: gradients stay as they are
  int64_t warmup_steps = 0;
  uint64_t seed = 42;
  bool file_order = false;        // no shuffling
  int64_t max_train_samples = 0;  // 0: all
  int64_t max_eval_samples = 0;   // 0: all
  int64_t max_seq_length = 0;     // 0: what the task usually has
};

}  // namespace tool::fine_tune
