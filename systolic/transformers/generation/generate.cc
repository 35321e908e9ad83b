#include "systolic/transformers/generation/generate.h"

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/function/retrace.h"
#include "systolic/train/model/model_access.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/generation/generate_arrays.h"
#include "systolic/transformers/generation/generate_rounds.h"
#include "systolic/transformers/generation/generation_checks.h"

namespace systolic::inline v0 {
namespace {

// The folder's fields, then those that config.json has of them, then the architecture's.
GenerationConfig config_of(const Generation& generation, const GenerationSpec& sizes,
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
  for (const char* name : {"eos_token_id", "pad_token_id", "decoder_start_token_id",
                           "forced_bos_token_id", "forced_eos_token_id"}) {
    const Config* found = model_config.find(name);
    if (found != nullptr) tokens.set(name, *found);
  }
  ConfigFields token_reader(tokens, "config.json", location);
  model.transfer(token_reader);
  return options.over(folder).over(model);
}

CompiledGeneration program_for(Generation& generation, const GenerateShape& shape,
                               const Decoders& decoders, const Model& model,
                               SourceLocation location) {
  const std::lock_guard lock(generation.mutex);
  GeneratePrograms& programs = generation.programs;
  if (const CompiledGeneration known = programs.find(shape); known.begin) return known;
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
    report_retrace(retrace, view_of(model).compiled().strict_shapes || strict_shapes());
  CompiledGeneration made{.begin = generate_program(decoders, shape, model.num_replicas()),
                          .round = {}};
  if (shape.in_rounds)
    made.round = generate_round(decoders, shape, *made.begin, model.num_replicas());
  programs.add(shape, made);
  return made;
}

void check_assistant(const GenerationConfig& config, const Architecture& architecture,
                     const Assistant& assistant, SourceLocation location) {
  const GenerationSpec sizes = *architecture.decoder(), drafts = *assistant.architecture.decoder();
  if (architecture.model_type() == "xlnet") {
    raise<Unimplemented>({.what = "generate of an xlnet model with an assistant_model",
                          .wanted = "a model that scores each token of a text at once",
                          .location = location});
  }
  if (sizes.source || drafts.source || config.num_beams.value_or(1) > 1) {
    const bool has_beams = config.num_beams.value_or(1) > 1;
    raise<Unimplemented>({.what = str("generate with an assistant_model, ",
                                      has_beams ? "and by beams" : "of an encoder-decoder"),
                          .wanted = "num_beams = 1, and models that continue texts",
                          .location = location});
  }
  if (sizes.vocabulary == drafts.vocabulary) return;
  raise<InvalidArgument>(
      {.what = str("generate with an assistant_model of ", drafts.vocabulary, " tokens"),
       .wanted = str("the same vocabulary, of ", sizes.vocabulary, " tokens"),
       .location = location});
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

GenerationConfig settled_config(const Generation& generation, const Architecture& architecture,
                                const Config& model_config, const GenerationConfig& options,
                                SourceLocation location) {
  const GenerationSpec sizes = *architecture.decoder();
  const GenerationConfig config = config_of(generation, sizes, model_config, options, location);
  config.check(location);
  check_generation_tokens(options, config, sizes, location);
  check_generation_rounds(config, location);
  warn_of_unused(options, config);
  return config;
}

int64_t most_positions(const Architecture& architecture) {
  return architecture.max_tokens() > 0 ? architecture.max_tokens() : limits::positions;
}

Literal run_plan(Generation& generation, const Model& model, const Architecture& architecture,
                 const GenerationPlan& plan, SourceLocation location, const Assistant* assistant) {
  const GenerationSpec sizes = *architecture.decoder();
  const int64_t cores = model.num_replicas();
  GenerateShape shape = generate_shape(plan, sizes, cores);
  const Decoder decoder(model.network(), architecture.body_name(), sizes);
  std::optional<Decoder> draft;
  if (assistant != nullptr) {
    constexpr int64_t usual_drafts = 5;
    shape.drafts = plan.config.num_assistant_tokens.value_or(usual_drafts);
    shape.room += shape.drafts + 1;  // what is drafted beyond the end
    shape.assistant = assistant->network;
    draft.emplace(assistant->model.network(), assistant->architecture.body_name(),
                  *assistant->architecture.decoder());
  }
  const CompiledGeneration programs =
      program_for(generation, shape, {decoder, draft ? &*draft : nullptr}, model, location);
  const GenerateArguments arguments = generate_arguments(plan, shape, sizes.vocabulary);
  const Generated generated =
      shape.in_rounds ? generate_in_rounds(programs, plan, shape, arguments, cores, location)
                      : run_generate(*programs.begin, arguments, cores, location);
  return with_prompts(generated, plan.prompt, shape);
}

PlanReading read_plan(Generation& generation, const Model& model, const Architecture& architecture,
                      const GenerationPlan& plan, const Literal& ids, const ReadingRequest& request,
                      SourceLocation location) {
  const GenerationSpec sizes = *architecture.decoder();
  const int64_t cores = model.num_replicas();
  GenerationPlan one_text = plan;
  one_text.config.num_beams = 1;
  one_text.config.seed = 0;  // nothing is drawn
  GenerateShape shape = generate_shape(one_text, sizes, cores);
  shape.kept_heads = request.heads;
  std::shared_ptr<Program> program;
  {
    const std::lock_guard lock(generation.mutex);
    program = generation.readings.find(shape).begin;
    if (!program) {
      program =
          reading_program(Decoder(model.network(), architecture.body_name(), sizes), shape, cores);
      generation.readings.add(shape, {.begin = program, .round = {}});
    }
  }
  const int64_t shift = shape.prompt - plan.prompt.tokens();
  const ReadingArguments texts{.ids = texts_in_slots(ids, plan.prompt, shape),
                               .slot = request.place + shift,
                               .token = request.token};
  const GenerateArguments arguments = generate_arguments(one_text, shape, sizes.vocabulary);
  return {.reading = run_reading(*program, arguments, texts, cores, location), .first_slot = shift};
}

Literal run_generation(Generation& generation, const Model& model, const Architecture& architecture,
                       const Config& model_config, const ModelArrays& prompts,
                       const GenerationConfig& options, SourceLocation location,
                       const Assistant* assistant) {
  const GenerationConfig config =
      settled_config(generation, architecture, model_config, options, location);
  check_no_speech_options(options, location);
  if (assistant != nullptr) check_assistant(config, architecture, *assistant, location);
  return run_plan(generation, model, architecture,
                  make_generation_plan(config, *architecture.decoder(),
                                       most_positions(architecture), prompts, location),
                  location, assistant);
}

}  // namespace systolic::inline v0
