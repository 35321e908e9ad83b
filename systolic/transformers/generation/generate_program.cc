#include "systolic/transformers/generation/generate_program.h"

#include <array>

#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"
#include "systolic/trace/replica_context.h"
#include "systolic/transformers/generation/next_token.h"

namespace systolic::inline v0 {
namespace {

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
  key,
  how_many
};

// A parameter of the program: what it is compiled for, and what a run gives it.
struct Parameter {
  ir::Type type;
  Literal (*value)(const GenerateArguments&);
  bool has_rows = false;  // along its first axis, which lies over the cores
};

Literal f32(double value) { return Literal::scalar(static_cast<float>(value)); }
Literal i32(int64_t value) { return Literal::scalar(static_cast<int32_t>(value)); }

std::array<Parameter, how_many> parameters_of(const GenerateShape& shape, int64_t vocabulary) {
  using Given = const GenerateArguments&;
  const int64_t rows = shape.rows;
  std::array<Parameter, how_many> all;
  all[ids] = {{DType::i32, {rows, shape.prompt}}, [](Given given) { return given.ids; }, true};
  all[starts] = {{DType::i32, {rows}}, [](Given given) { return given.starts; }, true};
  all[finished] = {{DType::pred, {rows}}, [](Given given) { return given.finished; }, true};
  all[seen] = {{DType::pred, {rows, shape.penalizes ? vocabulary : 1}},
               [](Given given) { return given.seen; },
               true};
  all[ends] = {{DType::i32, {shape.ends}}, [](Given given) { return given.ends; }};
  all[padding] = {{DType::i32, {}}, [](Given given) { return i32(given.padding); }};
  all[count] = {{DType::i32, {}}, [](Given given) { return i32(given.count); }};
  all[temperature] = {{DType::f32, {}}, [](Given given) { return f32(given.temperature); }};
  all[top_p] = {{DType::f32, {}}, [](Given given) { return f32(given.top_p); }};
  all[penalty] = {{DType::f32, {}}, [](Given given) { return f32(given.repetition_penalty); }};
  all[key] = {{DType::u64, {2}}, [](Given given) {
                return Literal::of<uint64_t>({given.seed, uint64_t{0}});
              }};
  return all;
}

ir::Sharding over_cores(const Shape& shape, int64_t cores) {
  return ir::Sharding::along(0, shape.rank(), cores);
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
    // Far past what the round before drew.
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
  std::vector<ProgramParameter> parameters;
  for (const Parameter& one : parameters_of(shape, decoder.sizes().vocabulary)) {
    parameters.push_back({.type = one.type});
    if (one.has_rows && cores > 1)
      parameters.back().parameter.sharding = over_cores(one.type.shape, cores);
  }
  return std::make_unique<Program>(
      parameters, [&](const Tensors& given) { return GenerateLoop(decoder, shape, given).run(); },
      ProgramOptions{.name = "generate", .partitions = cores});
}

Generated run_generate(Program& program, const GenerateArguments& arguments, int64_t cores,
                       SourceLocation location) {
  const runtime::ClientPtr client = default_client();
  std::vector<runtime::BufferPtr> buffers;
  for (const Parameter& one : parameters_of({}, 1)) {  // the values are of any shape
    const Literal value = one.value(arguments);
    runtime::Placement placement;
    if (one.has_rows && cores > 1) {
      placement = {.kind = runtime::Placement::Kind::sharded,
                   .sharding = over_cores(value.shape(), cores)};
    }
    buffers.push_back(client->from_host(value, placement));
  }
  const auto results = program.run(std::move(buffers), {.location = location});
  return {.ids = results[0]->to_literal(), .count = results[1]->to_literal().integer_at(0)};
}

}  // namespace systolic::inline v0
