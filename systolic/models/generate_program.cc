#include "systolic/models/generate_program.h"

#include "systolic/models/next_token.h"
#include "systolic/trace/default_client.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"
#include "systolic/trace/replica_context.h"

namespace systolic::inline v0 {
namespace {

// The program's parameters, in order.
enum Argument : size_t {
  ids,
  starts,
  finished,
  seen,
  ends,
  padding,
  count,
  temperature,
  top_p,
  penalty,
  key
};

std::vector<ProgramParameter> parameters_for(const GenerateShape& shape, int64_t vocabulary,
                                             int64_t cores) {
  const int64_t rows = shape.rows;
  std::vector<ProgramParameter> result{
      {.type = {DType::i32, {rows, shape.prompt}}},
      {.type = {DType::i32, {rows}}},
      {.type = {DType::pred, {rows}}},
      {.type = {DType::pred, {rows, shape.penalizes ? vocabulary : 1}}},
      {.type = {DType::i32, {shape.ends}}},
      {.type = {DType::i32, {}}},
      {.type = {DType::i32, {}}},
      {.type = {DType::f32, {}}},
      {.type = {DType::f32, {}}},
      {.type = {DType::f32, {}}},
      {.type = {DType::u64, {2}}}};
  for (size_t i = ids; i <= seen && cores > 1; ++i) {
    result[i].parameter.sharding = ir::Sharding::along(0, result[i].type.shape.rank(), cores);
  }
  return result;
}

// The texts so far.
struct Texts {
  Tensor ids;       // i32 [rows, prompt + room]
  Tensor finished;  // pred [rows]
  Tensor seen;      // pred [rows, vocabulary], or [rows, 1] where nobody asks
};

class GenerateLoop {
 public:
  GenerateLoop(const Decoder& decoder, const GenerateShape& shape, const Tensors& given)
      : decoder_(decoder), shape_(shape), given_(given) {}

  // The texts, and how many tokens they got.
  Tensors run() const {
    Tensors caches = decoder_.empty(shape_.rows, shape_.prompt + shape_.room);
    const Tensor scores = decoder_.read(given_[ids], given_[starts], constant(0), caches);
    const Tensor room = zeros({shape_.rows, shape_.room}, DType::i32);
    const Tensor first = constant(0);
    Tensors state = joined(
        first + 1,
        extended({concat({given_[ids], room}, 1), given_[finished], given_[seen]}, scores, first),
        caches);
    state = while_loop(
        state,
        [&](const Tensors& now) { return logical_and(now[0] < given_[count], any(!now[2])); },
        [&](const Tensors& now) { return round(now); });
    return {state[1], state[0]};
  }

 private:
  static Tensors joined(const Tensor& step, const Texts& texts, const Tensors& caches) {
    Tensors state{step, texts.ids, texts.finished, texts.seen};
    state.insert(state.end(), caches.begin(), caches.end());
    return state;
  }

  Tensors round(const Tensors& now) const {
    const Texts texts{now[1], now[2], now[3]};
    Tensors caches(now.begin() + 4, now.end());
    const Tensor slot = now[0] + (shape_.prompt - 1);
    const Tensor last = expand_dims(texts.ids[{all, slot}], 1);
    const Tensor scores = decoder_.read(last, given_[starts], slot, caches);
    return joined(now[0] + 1, extended(texts, scores, now[0]), caches);
  }

  // By the token that these scores choose; `step` tokens were generated before it.
  Texts extended(const Texts& texts, const Tensor& scores, const Tensor& step) const {
    const Tensor chosen = next_token(scores, options_of(texts, step));
    const Tensor token = where(texts.finished, given_[padding], chosen);
    const Tensor column = expand_dims(token, 1);
    const Tensor ended = any(column == expand_dims(given_[ends], 0), {.axes = {1}});
    return {.ids = slice_update(texts.ids, {0, step + shape_.prompt}, column),
            .finished = logical_or(texts.finished, ended),
            .seen = logical_or(texts.seen, iota(texts.seen.shape(), 1) == column)};
  }

  NextTokenOptions options_of(const Texts& texts, const Tensor& step) const {
    const auto given = [&](bool is_used, Argument which) {
      return is_used ? std::optional<Tensor>(given_[which]) : std::nullopt;
    };
    // Far behind what the round before drew.
    const Tensor draws = cast(step, DType::u64) * (int64_t{1} << 40);
    const Tensor key_now = given_[key] + stack({zeros({}, DType::u64), draws});
    return {.seen = texts.seen,
            .repetition_penalty = given(shape_.penalizes, penalty),
            .do_sample = shape_.do_sample,
            .temperature = given(shape_.heats, temperature),
            .top_k = shape_.top_k,
            .top_p = given(shape_.cuts, top_p),
            .key = key_now};
  }

  const Decoder& decoder_;
  const GenerateShape& shape_;
  const Tensors& given_;
};

}  // namespace

std::unique_ptr<Program> generate_program(const Decoder& decoder, const GenerateShape& shape,
                                          int64_t cores) {
  const ReplicaContextScope context({.replicas = cores, .per_core = false});
  return std::make_unique<Program>(
      parameters_for(shape, decoder.sizes().vocabulary, cores),
      [&](const Tensors& given) { return GenerateLoop(decoder, shape, given).run(); },
      ProgramOptions{.name = "generate", .partitions = cores});
}

Generated run_generate(Program& program, const GenerateArguments& arguments, int64_t cores,
                       SourceLocation location) {
  const auto f32 = [](double value) { return Literal::scalar(static_cast<float>(value)); };
  const auto i32 = [](int64_t value) { return Literal::scalar(static_cast<int32_t>(value)); };
  const Literal given[] = {arguments.ids,
                           arguments.starts,
                           arguments.finished,
                           arguments.seen,
                           arguments.ends,
                           i32(arguments.padding),
                           i32(arguments.count),
                           f32(arguments.temperature),
                           f32(arguments.top_p),
                           f32(arguments.repetition_penalty),
                           Literal::of<uint64_t>({arguments.seed, uint64_t{0}})};
  const runtime::ClientPtr client = default_client();
  std::vector<runtime::BufferPtr> buffers;
  for (size_t i = ids; i <= key; ++i) {
    runtime::Placement placement;
    if (i <= seen && cores > 1) {
      placement = {.kind = runtime::Placement::Kind::sharded,
                   .sharding = ir::Sharding::along(0, given[i].rank(), cores)};
    }
    buffers.push_back(client->from_host(given[i], placement));
  }
  const auto results = program.run(std::move(buffers), {.location = location});
  return {.ids = results[0]->to_literal(), .count = results[1]->to_literal().integer_at(0)};
}

}  // namespace systolic::inline v0
