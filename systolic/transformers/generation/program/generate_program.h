// The program of PretrainedModel::generate: what is given at once, then a loop on the device that
// adds one token a round (token_loop.h, beam_search.h), until all texts have ended. Internal to
// transformers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/runtime/buffer.h"
#include "systolic/trace/program/program.h"
#include "systolic/transformers/generation/program/beam_stopping.h"
#include "systolic/transformers/generation/program/time_rules.h"
#include "systolic/transformers/layers/decoder.h"

namespace systolic::inline v0 {

// All that the program is compiled for.
struct GenerateShape {
  int64_t rows = 0;
  int64_t source = 0;  // tokens, or moments of sound, that an encoder reads; 0: there is none
  int64_t bins = 0;    // of sound; 0: texts
  int64_t prompt = 0;  // slots in front of what is generated
  int64_t room = 0;    // slots for that
  int64_t ends = 0;    // tokens that end a text
  bool do_sample = false;
  int64_t top_k = 0;
  bool heats = false;      // by a temperature
  bool cuts = false;       // by top_p
  bool penalizes = false;  // what is in the text already
  int64_t run = 0;         // tokens that are not to stand in a text twice
  bool delays = false;     // the end
  bool has_min_p = false;
  bool has_typical_p = false;
  bool forces = false;                  // the first token or the last
  bool suppresses = false;              // tokens that never come
  bool suppresses_first = false;        // tokens that do not come first
  bool tells_times = false;             // by rules of their own (time_rules.h)
  int64_t beams = 1;                    // texts of which the best are kept, for each row
  int64_t returned = 1;                 // the best of them, at the end
  BeamStopping early_stopping = false;  // of beams
  bool in_rounds = false;  // the host looks at the tokens as they come (generate_rounds.h)
  int64_t drafts = 0;      // tokens that an assistant drafts; 0: there is none
  std::shared_ptr<const int> assistant = {};  // which network that is
  // {layer, head} whose attention to the source is asked for, by a program that reads.
  std::vector<std::pair<int64_t, int64_t>> kept_heads = {};

  friend bool operator==(const GenerateShape&, const GenerateShape&) = default;
};

// What one run takes, and gives.
struct GenerateArguments {
  // i32 [rows, source]; [rows, 1] where there is none; of sound f32 [rows, bins, source], and
  // [rows, 1].
  Literal source, source_mask;
  Literal ids;       // i32 [rows, prompt]: texts end at the last
  Literal starts;    // i32 [rows]: slots of padding before each
  Literal finished;  // pred [rows]: those that nobody asked for
  Literal seen;      // pred [rows, vocabulary]; [rows, 1] where nothing is penalized
  Literal ends;      // i32 [ends], at least one; -1 is no token
  int64_t padding = 0;
  int64_t count = 0;                           // tokens at most, up to `room`
  int64_t least = 0;                           // tokens before a text may end
  int64_t forced_begin = -1, forced_end = -1;  // tokens; -1: any
  Literal suppressed, first_suppressed;        // pred [1, vocabulary]; [1, 1] where there are none
  int64_t first_step = 0;                      // the token that first_suppressed is about
  TimeTokens times = {};
  Literal length_weights;  // f32 [room + 1]: what scores of texts of so many tokens are divided by
  double temperature = 1, top_p = 1, min_p = 0, typical_p = 1, repetition_penalty = 1;
  uint64_t seed = 0;
};
struct Generated {
  Literal ids;        // i32 [rows * returned, prompt + room]
  int64_t count = 0;  // tokens that were generated, the most of a row
};

// The model that writes, and one that drafts, where shape.drafts says so.
struct Decoders {
  const Decoder& target;
  const Decoder* draft = nullptr;
};

// Rows lie over `cores` cores.
std::unique_ptr<Program> generate_program(const Decoders& decoders, const GenerateShape& shape,
                                          int64_t cores);
// The program that goes on, some tokens at a time, from what `begin`, that of a shape in rounds,
// gives: takes its results and, before them, what it takes and up to how many tokens.
std::unique_ptr<Program> generate_round(const Decoders& decoders, const GenerateShape& shape,
                                        const Program& begin, int64_t cores);
// The arguments in the order in which the programs take them.
std::vector<runtime::BufferPtr> generate_buffers(const GenerateArguments& arguments, int64_t cores);
// The program that reads what was written (text_reading.h).
std::unique_ptr<Program> reading_program(const Decoder& decoder, const GenerateShape& shape,
                                         int64_t cores);
// What it takes besides.
struct ReadingArguments {
  Literal ids;  // i32 [rows, prompt + room]
  int64_t slot = 0, token = 0;
};
struct TextReading {
  Literal likelihoods;    // f32 [rows], sums of logarithms
  Literal probabilities;  // f32 [rows]
  Literal attention;      // f32 [rows, heads, prompt + room, source]; empty where nobody asked
};
TextReading run_reading(Program& program, const GenerateArguments& arguments,
                        const ReadingArguments& texts, int64_t cores, SourceLocation location);

Generated run_generate(Program& program, const GenerateArguments& arguments, int64_t cores,
                       SourceLocation location);

}  // namespace systolic::inline v0
