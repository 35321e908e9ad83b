#include "systolic/transformers/generation/program/generate_program.h"

#include "systolic/trace/device/default_client.h"
#include "systolic/trace/replica_context.h"
#include "systolic/transformers/generation/program/beam_search.h"
#include "systolic/transformers/generation/program/generate_parameters.h"
#include "systolic/transformers/generation/program/text_reading.h"
#include "systolic/transformers/generation/program/token_loop.h"

namespace systolic::inline v0 {
namespace {

ir::Sharding over_cores(const Shape& shape, int64_t cores) {
  return ir::Sharding::along(0, shape.rank(), cores);
}

std::vector<ProgramParameter> parameters_of(const Decoder& decoder, const GenerateShape& shape,
                                            int64_t cores) {
  std::vector<ProgramParameter> parameters;
  for (const GenerateParameter& one : generate_parameters(shape, decoder.sizes().vocabulary)) {
    parameters.push_back({.type = one.type});
    if (one.has_rows && cores > 1)
      parameters.back().parameter.sharding = over_cores(one.type.shape, cores);
  }
  return parameters;
}

}  // namespace

std::unique_ptr<Program> generate_program(const Decoders& decoders, const GenerateShape& shape,
                                          int64_t cores) {
  const ReplicaContextScope context({.replicas = cores, .per_core = false});
  return std::make_unique<Program>(
      parameters_of(decoders.target, shape, cores),
      [&](const Tensors& given) {
        if (shape.in_rounds) return begin_tokens(decoders, shape, given);
        if (shape.beams > 1) return beam_search(decoders.target, shape, given);
        return token_loop(decoders, shape, given);
      },
      ProgramOptions{.name = "generate", .partitions = cores});
}

std::unique_ptr<Program> generate_round(const Decoders& decoders, const GenerateShape& shape,
                                        const Program& begin, int64_t cores) {
  const ReplicaContextScope context({.replicas = cores, .per_core = false});
  std::vector<ProgramParameter> parameters = parameters_of(decoders.target, shape, cores);
  parameters.push_back({.type = {DType::i32, {}}});  // up to how many tokens
  const size_t given_count = parameters.size();
  // Each round writes where the one before did.
  for (const ir::Type& type : begin.result_types()) {
    ProgramParameter state{.type = type};
    state.parameter.aliases_result = static_cast<int64_t>(parameters.size() - given_count);
    if (cores > 1 && type.shape.rank() > 0)
      state.parameter.sharding = over_cores(type.shape, cores);
    parameters.push_back(std::move(state));
  }
  return std::make_unique<Program>(
      parameters,
      [&](const Tensors& all) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(given_count);
        const Tensors given(all.begin(), middle - 1), state(middle, all.end());
        return more_tokens(decoders, shape, given, state, *(middle - 1));
      },
      ProgramOptions{.name = "generate_round", .partitions = cores});
}

std::vector<runtime::BufferPtr> generate_buffers(const GenerateArguments& arguments,
                                                 int64_t cores) {
  const runtime::ClientPtr client = default_client();
  std::vector<runtime::BufferPtr> buffers;
  for (const GenerateParameter& one : generate_parameters({}, 1)) {  // the values are of any shape
    const Literal value = one.value(arguments);
    runtime::Placement placement;
    if (one.has_rows && cores > 1) {
      placement = {.kind = runtime::Placement::Kind::sharded,
                   .sharding = over_cores(value.shape(), cores)};
    }
    buffers.push_back(client->from_host(value, placement));
  }
  return buffers;
}

std::unique_ptr<Program> reading_program(const Decoder& decoder, const GenerateShape& shape,
                                         int64_t cores) {
  const ReplicaContextScope context({.replicas = cores, .per_core = false});
  std::vector<ProgramParameter> parameters = parameters_of(decoder, shape, cores);
  const size_t given_count = parameters.size();
  const Shape ids{shape.rows, shape.prompt + shape.room};
  parameters.push_back({.type = {DType::i32, ids}});
  if (cores > 1) parameters.back().parameter.sharding = over_cores(ids, cores);
  for (int scalars = 0; scalars < 2; ++scalars) parameters.push_back({.type = {DType::i32, {}}});
  return std::make_unique<Program>(
      parameters,
      [&](const Tensors& all) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(given_count);
        const Tensors given(all.begin(), middle);
        return read_texts(decoder, shape, given,
                          {.ids = middle[0], .slot = middle[1], .token = middle[2]});
      },
      ProgramOptions{.name = "read_texts", .partitions = cores});
}

TextReading run_reading(Program& program, const GenerateArguments& arguments,
                        const ReadingArguments& texts, int64_t cores, SourceLocation location) {
  const runtime::ClientPtr client = default_client();
  std::vector<runtime::BufferPtr> buffers = generate_buffers(arguments, cores);
  runtime::Placement placement;
  if (cores > 1) {
    placement = {.kind = runtime::Placement::Kind::sharded,
                 .sharding = over_cores(texts.ids.shape(), cores)};
  }
  buffers.push_back(client->from_host(texts.ids, placement));
  for (const int64_t scalar : {texts.slot, texts.token})
    buffers.push_back(client->from_host(Literal::scalar(static_cast<int32_t>(scalar)), {}));
  const auto results = program.run(std::move(buffers), {.location = location});
  return {.likelihoods = results[0]->to_literal(),
          .probabilities = results[1]->to_literal(),
          .attention = results.size() > 2 ? results[2]->to_literal() : Literal()};
}

Generated run_generate(Program& program, const GenerateArguments& arguments, int64_t cores,
                       SourceLocation location) {
  const auto results = program.run(generate_buffers(arguments, cores), {.location = location});
  return {.ids = results[0]->to_literal(), .count = results[1]->to_literal().integer_at(0)};
}

}  // namespace systolic::inline v0
