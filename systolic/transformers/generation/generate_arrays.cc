#include "systolic/transformers/generation/generate_arrays.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t default_top_k = 50;

// Lengths that share a program: powers of two, then multiples of 64.
int64_t bucket(int64_t length) {
  constexpr int64_t least = 8, step = 64;
  if (length > step) return (length + step - 1) / step * step;
  return std::max(least, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length))));
}

int64_t source_bucket(const GenerationPlan& plan, const GenerationSpec& sizes) {
  if (!plan.source) return 0;
  if (sizes.source->bins > 0) return sizes.source->frames;
  const int64_t tokens = bucket(plan.source->ids.shape()[1]), most = sizes.source->positions;
  return most > 0 ? std::min(tokens, most) : tokens;
}

// [rows, shape.bins, shape.source]: silence in rows that fill up the cores.
Literal sound_rows(const Literal& given, const GenerateShape& shape) {
  Literal result = Literal::zeros(DType::f32, {shape.rows, shape.bins, shape.source});
  std::copy_n(given.data<float>().begin(), given.size(), result.mutable_data<float>().begin());
  return result;
}

// Whether each token of the vocabulary is one of these; one column where there are none.
Literal among(const TokenIds& tokens, int64_t vocabulary) {
  Literal result = Literal::zeros(DType::pred, {1, tokens.ids.empty() ? 1 : vocabulary});
  for (const int64_t id : tokens.ids)
    if (id >= 0 && id < vocabulary) result.mutable_data<bool>()[static_cast<size_t>(id)] = true;
  return result;
}

// [rows, shape.source]: those of the plan, then 0; rows that fill up the cores read one token.
Literal source_rows(const Literal& given, const GenerateShape& shape, bool fills) {
  if (shape.bins > 0 && !fills) return sound_rows(given, shape);
  const int64_t columns = shape.bins > 0 ? 1 : std::max<int64_t>(shape.source, 1);
  Literal result = Literal::zeros(DType::i32, {shape.rows, columns});
  if (shape.source == 0 || shape.bins > 0) return result;
  const auto from = given.data<int32_t>();
  const auto to = result.mutable_data<int32_t>();
  const int64_t tokens = given.shape()[1];
  for (int64_t row = 0; row < shape.rows; ++row) {
    if (row < given.shape()[0]) {
      std::copy_n(from.begin() + row * tokens, tokens, to.begin() + row * shape.source);
    } else if (fills) {
      to[static_cast<size_t>(row * shape.source)] = 1;
    }
  }
  return result;
}

// What texts of 0, 1, ... tokens are divided by.
Literal length_weights(const GenerationConfig& config, int64_t room) {
  const double power = config.length_penalty.value_or(1);
  std::vector<float> weights{1};
  for (int64_t i = 1; i <= room; ++i)
    weights.push_back(static_cast<float>(std::pow(static_cast<double>(i), power)));
  return Literal::from(weights, {room + 1});
}

}  // namespace

GenerateShape generate_shape(const GenerationPlan& plan, const GenerationSpec& sizes,
                             int64_t cores) {
  const GenerationConfig& config = plan.config;
  const int64_t given = plan.prompt.tokens(), beams = plan.beams();
  GenerateShape shape{.rows = (plan.prompt.rows() + cores - 1) / cores * cores,
                      .source = source_bucket(plan, sizes),
                      .bins = plan.source ? sizes.source->bins : 0,
                      .prompt = plan.source && given == 1 ? 1 : bucket(given),
                      .room = bucket(plan.count),
                      .ends = static_cast<int64_t>(plan.ends.size()),
                      .do_sample = config.do_sample.value_or(false),
                      .penalizes = config.repetition_penalty.value_or(1) != 1,
                      .run = config.no_repeat_ngram_size.value_or(0),
                      .delays = plan.least_tokens() > 0,
                      .forces = plan.forced_begin() >= 0 || plan.forced_end() >= 0,
                      .suppresses = !config.suppress_tokens.ids.empty(),
                      .suppresses_first = !config.begin_suppress_tokens.ids.empty(),
                      .tells_times = plan.times.has_value(),
                      .beams = beams,
                      .returned = beams > 1 ? plan.returned() : 1,
                      .early_stopping = config.early_stopping.value_or(false),
                      .in_rounds = config.streamer != nullptr || !config.stop_strings.empty()};
  if (beams == 1) shape.early_stopping = false;
  if (!shape.do_sample) return shape;
  shape.top_k = config.top_k.value_or(default_top_k);
  shape.heats = config.temperature.value_or(1) != 1;
  shape.cuts = config.top_p.value_or(1) < 1;
  shape.has_min_p = config.min_p.value_or(0) > 0;
  shape.has_typical_p = config.typical_p.value_or(1) < 1;
  return shape;
}

GenerateArguments generate_arguments(const GenerationPlan& plan, const GenerateShape& shape,
                                     int64_t vocabulary) {
  const Prompt& prompt = plan.prompt;
  GenerateArguments result;
  result.source = source_rows(plan.source ? plan.source->ids : Literal(), shape, false);
  result.source_mask = source_rows(plan.source ? plan.source->mask : Literal(), shape, true);
  result.forced_begin = plan.forced_begin();
  result.forced_end = plan.forced_end();
  result.suppressed = among(plan.config.suppress_tokens, vocabulary);
  result.first_suppressed = among(plan.config.begin_suppress_tokens, vocabulary);
  result.first_step = result.forced_begin >= 0 ? 1 : 0;
  if (plan.times) result.times = *plan.times;
  result.length_weights = length_weights(plan.config, shape.room);
  result.ids = Literal::zeros(DType::i32, {shape.rows, shape.prompt});
  result.starts = Literal::zeros(DType::i32, {shape.rows});
  result.finished = Literal::filled(DType::pred, {shape.rows}, 1);
  const int64_t columns = shape.penalizes ? vocabulary : 1;
  result.seen = Literal::zeros(DType::pred, {shape.rows, columns});
  const auto given = prompt.ids.data<int32_t>();
  auto ids = result.ids.mutable_data<int32_t>(), starts = result.starts.mutable_data<int32_t>();
  auto finished = result.finished.mutable_data<bool>(), seen = result.seen.mutable_data<bool>();
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t source = row < prompt.rows() ? row : 0;
    const int64_t begin = prompt.starts[static_cast<size_t>(source)];
    const int64_t shift = shape.prompt - prompt.tokens();
    finished[static_cast<size_t>(row)] = row >= prompt.rows();
    starts[static_cast<size_t>(row)] = static_cast<int32_t>(begin + shift);
    for (int64_t i = begin; i < prompt.tokens(); ++i) {
      const int32_t id = given[static_cast<size_t>(source * prompt.tokens() + i)];
      ids[static_cast<size_t>(row * shape.prompt + shift + i)] = id;
      if (shape.penalizes) seen[static_cast<size_t>(row * columns + id)] = true;
    }
  }
  result.ends = Literal::from(plan.ends, {shape.ends}).convert(DType::i32);
  result.padding = plan.padding;
  result.count = plan.count;
  result.temperature = plan.config.temperature.value_or(1);
  result.top_p = plan.config.top_p.value_or(1);
  result.min_p = plan.config.min_p.value_or(0);
  result.typical_p = plan.config.typical_p.value_or(1);
  result.least = plan.least_tokens();
  result.repetition_penalty = plan.config.repetition_penalty.value_or(1);
  result.seed = plan.config.seed ? *plan.config.seed : next_seed();
  return result;
}

Literal texts_in_slots(const Literal& ids, const Prompt& prompt, const GenerateShape& shape) {
  const int64_t columns = shape.prompt + shape.room, tokens = ids.shape()[1];
  const int64_t shift = shape.prompt - prompt.tokens();
  Literal result = Literal::zeros(DType::i32, {shape.rows, columns});
  const auto from = ids.data<int32_t>().begin();
  auto to = result.mutable_data<int32_t>().begin();
  for (int64_t row = 0; row < ids.shape()[0]; ++row)
    std::copy_n(from + row * tokens, tokens, to + row * columns + shift);
  return result;
}

Literal with_prompts(const Generated& generated, const Prompt& prompt, const GenerateShape& shape) {
  const int64_t length = prompt.tokens() + generated.count, columns = generated.ids.shape()[1];
  const int64_t rows = prompt.rows() * shape.returned;
  Literal result(DType::i32, {rows, length});
  const auto from = generated.ids.data<int32_t>(), given = prompt.ids.data<int32_t>();
  auto to = result.mutable_data<int32_t>();
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(given.begin() + row / shape.returned * prompt.tokens(), prompt.tokens(),
                to.begin() + row * length);
    std::copy_n(from.begin() + row * columns + shape.prompt, generated.count,
                to.begin() + row * length + prompt.tokens());
  }
  return result;
}

}  // namespace systolic::inline v0
