#include "systolic/transformers/generation/generate.h"

#include <algorithm>
#include <bit>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/io/files/file.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/function/retrace.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/state/model_state.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/generation/prompt.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t default_new_tokens = 20, default_top_k = 50;
constexpr const char* no_more_positions = "as many positions as the model has";

// Lengths that share a program: powers of two, then multiples of 64.
int64_t bucket(int64_t length) {
  constexpr int64_t least = 8, step = 64;
  if (length > step) return (length + step - 1) / step * step;
  return std::max(least, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length))));
}

// One call, with everything decided.
struct Plan {
  Prompt prompt;
  int64_t count = 0;  // tokens to generate, at most
  GenerationConfig config;
  std::vector<int64_t> ends;
  int64_t padding = 0;
};

// The folder's fields, then those that config.json has of them, then the architecture's.
GenerationConfig config_of(const Generation& generation, const DecoderSizes& sizes,
                           const Config& model_config, const GenerationConfig& options,
                           SourceLocation location) {
  GenerationConfig folder;
  ConfigFields reader(generation.entries, generation.file, location);
  folder.transfer(reader);
  GenerationConfig model{.eos_token_id = -1};
  if (generation.has_file) return options.over(folder).over(model);
  const Config* end = model_config.find("eos_token_id");
  if (end == nullptr) model.eos_token_id = sizes.eos_token_id;
  Config tokens{Config::Map{}};
  for (const char* name : {"eos_token_id", "pad_token_id"}) {
    const Config* found = model_config.find(name);
    if (found != nullptr) tokens.set(name, *found);
  }
  ConfigFields token_reader(tokens, "config.json", location);
  model.transfer(token_reader);
  return options.over(folder).over(model);
}

int64_t tokens_to_generate(const GenerationConfig& config, const Prompt& prompt, int64_t positions,
                           SourceLocation location) {
  const int64_t given = prompt.longest();
  const std::string text = str("generate: a prompt of ", given, given == 1 ? " token" : " tokens");
  const bool says_length = config.max_new_tokens || config.max_length;
  // The last token is not read, and needs no position. A text as long as the model has positions
  // is the longest by default.
  const int64_t most = positions - given + (says_length ? 1 : 0);
  if (most < 1) {
    raise<InvalidArgument>(
        {.what = text,
         .wanted =
             str(says_length ? "at most " : "fewer than ", positions, ", ", no_more_positions),
         .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", positions - 1, "})"),
         .location = location});
  }
  if (config.max_new_tokens) {
    if (*config.max_new_tokens <= most) return *config.max_new_tokens;
    raise<InvalidArgument>({.what = str(text, " and max_new_tokens = ", *config.max_new_tokens),
                            .wanted = str("at most ", positions + 1, " together: ", positions,
                                          " positions, and a last token that takes none"),
                            .hint = str(".max_new_tokens = ", most, ", or a shorter prompt"),
                            .location = location});
  }
  if (!config.max_length) return std::min(default_new_tokens, most);
  const int64_t room = std::min(*config.max_length - prompt.tokens(), most);
  if (room >= 1) return room;
  raise<InvalidArgument>(
      {.what = str("generate: prompts of ", prompt.tokens(),
                   " tokens, padding with them, and max_length = ", *config.max_length),
       .wanted = "a max_length above that: it counts the prompt too",
       .hint = "max_new_tokens counts what is generated",
       .location = location});
}

Plan make_plan(const GenerationConfig& config, const DecoderSizes& sizes, int64_t positions,
               const ModelArrays& prompts, SourceLocation location) {
  Plan plan{.prompt = {}, .config = config, .ends = {}};
  for (const int64_t id : config.eos_token_id.ids) {
    if (id >= 0 && id < sizes.vocabulary) plan.ends.push_back(id);
  }
  std::optional<int64_t> padding = config.pad_token_id;
  if (padding && *padding < 0) padding.reset();
  const bool ends_too =
      padding && std::find(plan.ends.begin(), plan.ends.end(), *padding) != plan.ends.end();
  plan.prompt = prompt_of(prompts, {.vocabulary = sizes.vocabulary,
                                    .padding = ends_too ? std::nullopt : padding,
                                    .location = location});
  plan.count = tokens_to_generate(config, plan.prompt, positions, location);
  if (plan.ends.empty()) plan.ends.push_back(-1);
  plan.padding = padding.value_or(plan.ends.front());
  return plan;
}

GenerateShape shape_of(const Plan& plan, int64_t cores) {
  const GenerationConfig& config = plan.config;
  GenerateShape shape{.rows = (plan.prompt.rows() + cores - 1) / cores * cores,
                      .prompt = bucket(plan.prompt.tokens()),
                      .room = bucket(plan.count),
                      .ends = static_cast<int64_t>(plan.ends.size()),
                      .do_sample = config.do_sample.value_or(false),
                      .penalizes = config.repetition_penalty.value_or(1) != 1};
  if (!shape.do_sample) return shape;
  shape.top_k = config.top_k.value_or(default_top_k);
  shape.heats = config.temperature.value_or(1) != 1;
  shape.cuts = config.top_p.value_or(1) < 1;
  return shape;
}

// Rows that only fill up the cores are copies of the first, and finished.
GenerateArguments arguments_of(const Plan& plan, const GenerateShape& shape, int64_t vocabulary) {
  const Prompt& prompt = plan.prompt;
  GenerateArguments result;
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
  result.repetition_penalty = plan.config.repetition_penalty.value_or(1);
  result.seed = plan.config.seed ? *plan.config.seed : next_seed();
  return result;
}

// The prompts as they were given, followed by what was generated.
Literal with_prompts(const Generated& generated, const Prompt& prompt, int64_t slots) {
  const int64_t length = prompt.tokens() + generated.count, columns = generated.ids.shape()[1];
  Literal result(DType::i32, {prompt.rows(), length});
  const auto from = generated.ids.data<int32_t>(), given = prompt.ids.data<int32_t>();
  auto to = result.mutable_data<int32_t>();
  for (int64_t row = 0; row < prompt.rows(); ++row) {
    std::copy_n(given.begin() + row * prompt.tokens(), prompt.tokens(), to.begin() + row * length);
    std::copy_n(from.begin() + row * columns + slots, generated.count,
                to.begin() + row * length + prompt.tokens());
  }
  return result;
}

std::vector<std::string> changes_between(const GenerateShape& a, const GenerateShape& b) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, auto before, auto now) {
    if (before != now) changes.push_back(str(name, " was ", before, ", is ", now));
  };
  add("the number of rows", a.rows, b.rows);
  add("the length of the prompts, rounded up,", a.prompt, b.prompt);
  add("the number of new tokens, rounded up,", a.room, b.room);
  add("the number of eos_token_id", a.ends, b.ends);
  add("do_sample", a.do_sample, b.do_sample);
  add("top_k", a.top_k, b.top_k);
  add("whether there is a temperature", a.heats, b.heats);
  add("whether there is a top_p", a.cuts, b.cuts);
  add("whether there is a repetition_penalty", a.penalizes, b.penalizes);
  return changes;
}

std::shared_ptr<Program> program_for(Generation& generation, const GenerateShape& shape,
                                     const Decoder& decoder, const Model& model,
                                     SourceLocation location) {
  const std::lock_guard lock(generation.mutex);
  GeneratePrograms& programs = generation.programs;
  if (auto known = programs.find(shape)) return known;
  Retrace retrace{.program = str("generate of model '", model.name(), "'"),
                  .changes = {},
                  .hint = {},
                  .programs = programs.made() + 1,
                  .called = location};
  for (const auto& kept : programs.kept()) {
    std::vector<std::string> changes = changes_between(kept.first, shape);
    // Among equally near ones, the one that was asked for last.
    if (retrace.changes.empty() || changes.size() <= retrace.changes.size())
      retrace.changes = std::move(changes);
  }
  if (retrace.programs > 1)
    report_retrace(retrace, model.state()->compiled().strict_shapes || strict_shapes());
  std::shared_ptr<Program> made = generate_program(decoder, shape, model.num_replicas());
  programs.add(shape, made);
  return made;
}

// Those that a caller gives are tokens, or -1 for none. A folder's may belong to the vocabulary
// that its model was cut out of: no text ends by it, which needs no log line for the architecture's
// own default.
void check_tokens(const GenerationConfig& options, const GenerationConfig& config,
                  const DecoderSizes& sizes, SourceLocation location) {
  const auto is_unknown = [&](int64_t id) { return id < -1 || id >= sizes.vocabulary; };
  const std::string tokens = str("0 to ", sizes.vocabulary - 1);
  const auto check = [&](const char* name, int64_t id, bool is_given, const char* otherwise) {
    if (!is_unknown(id)) return;
    if (is_given) {
      raise<InvalidArgument>({.what = str("generate with ", name, " = ", id),
                              .wanted = str("a token, ", tokens, "; -1 is none"),
                              .location = location});
    }
    if (id == sizes.eos_token_id) return;
    log_once(LogLevel::warning, str("generate: the model's ", name, " is ", id,
                                    ", no token of its own (", tokens, "): ", otherwise));
  };
  for (const int64_t id : config.eos_token_id.ids)
    check("eos_token_id", id, !options.eos_token_id.ids.empty(), "no text ends by it");
  if (config.pad_token_id)
    check("pad_token_id", *config.pad_token_id, options.pad_token_id.has_value(),
          "texts that have ended are padded with it all the same");
}

constexpr const char* drawn_only =
    " without effect: tokens are drawn only where .do_sample = true.";

void warn_of_unused(const GenerationConfig& options, const GenerationConfig& config) {
  if (config.do_sample.value_or(false)) return;
  std::vector<std::string> names;
  if (options.temperature) names.emplace_back("temperature");
  if (options.top_k) names.emplace_back("top_k");
  if (options.top_p) names.emplace_back("top_p");
  if (options.seed) names.emplace_back("seed");
  if (!names.empty()) log_warning(str("generate: ", join(names), drawn_only));
}

}  // namespace

std::shared_ptr<Generation> read_generation(const std::string& folder, SourceLocation location) {
  auto generation = std::make_shared<Generation>();
  const std::string path = folder + "/generation_config.json";
  if (!io::exists(path)) return generation;
  generation->entries = read_config_file(path, location);
  generation->file = path;
  generation->has_file = true;
  return generation;
}

Literal run_generation(Generation& generation, const Model& model, const Architecture& architecture,
                       const Config& model_config, const ModelArrays& prompts,
                       const GenerationConfig& options, SourceLocation location) {
  const DecoderSizes sizes = *architecture.decoder();
  const GenerationConfig config = config_of(generation, sizes, model_config, options, location);
  config.check(location);
  check_tokens(options, config, sizes, location);
  warn_of_unused(options, config);
  const int64_t positions =
      architecture.max_tokens() > 0 ? architecture.max_tokens() : limits::positions;
  const Plan plan = make_plan(config, sizes, positions, prompts, location);
  const int64_t cores = model.num_replicas();
  const GenerateShape shape = shape_of(plan, cores);
  const Decoder decoder(model.network(), architecture.body_name(), sizes);
  const auto program = program_for(generation, shape, decoder, model, location);
  const Generated generated =
      run_generate(*program, arguments_of(plan, shape, sizes.vocabulary), cores, location);
  return with_prompts(generated, plan.prompt, shape.prompt);
}

}  // namespace systolic::inline v0
