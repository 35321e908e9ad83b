#include "systolic/transformers/generation/program/generate_programs.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

std::vector<std::string> changes_between(const GenerateShape& a, const GenerateShape& b) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, auto before, auto now) {
    if (before != now) changes.push_back(str(name, " was ", before, ", is ", now));
  };
  add("the number of rows", a.rows, b.rows);
  add("the length of the texts to read, rounded up,", a.source, b.source);
  add("the number of the features' bins", a.bins, b.bins);
  add("the length of the prompts, rounded up,", a.prompt, b.prompt);
  add("the number of new tokens, rounded up,", a.room, b.room);
  add("the number of eos_token_id", a.ends, b.ends);
  add("do_sample", a.do_sample, b.do_sample);
  add("top_k", a.top_k, b.top_k);
  add("whether there is a temperature", a.heats, b.heats);
  add("whether there is a top_p", a.cuts, b.cuts);
  add("whether there is a repetition_penalty", a.penalizes, b.penalizes);
  add("no_repeat_ngram_size", a.run, b.run);
  add("whether there is a min_new_tokens", a.delays, b.delays);
  add("whether there is a min_p", a.has_min_p, b.has_min_p);
  add("whether there is a typical_p", a.has_typical_p, b.has_typical_p);
  add("whether there is a forced token", a.forces, b.forces);
  add("whether there are suppress_tokens", a.suppresses, b.suppresses);
  add("whether there are begin_suppress_tokens", a.suppresses_first, b.suppresses_first);
  add("return_timestamps", a.tells_times, b.tells_times);
  add("num_beams", a.beams, b.beams);
  add("num_return_sequences", a.returned, b.returned);
  add("early_stopping", static_cast<int>(a.early_stopping.when()),
      static_cast<int>(b.early_stopping.when()));
  add("whether there is a streamer or a stop string", a.in_rounds, b.in_rounds);
  add("num_assistant_tokens", a.drafts, b.drafts);
  if (a.assistant != b.assistant) changes.emplace_back("there is another assistant_model");
  return changes;
}

}  // namespace systolic::inline v0
