// The program of PretrainedModel::generate: the prompt at once, then a loop on the device that adds
// one token a round, until all texts have ended. Internal to transformers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systolic/runtime/buffer.h"
#include "systolic/trace/program/program.h"
#include "systolic/transformers/layers/decoder.h"

namespace systolic::inline v0 {

// All that the program is compiled for.
struct GenerateShape {
  int64_t rows = 0;
  int64_t prompt = 0;  // slots in front of what is generated
  int64_t room = 0;    // slots for that
  int64_t ends = 0;    // tokens that end a text
  bool do_sample = false;
  int64_t top_k = 0;
  bool heats = false;      // by a temperature
  bool cuts = false;       // by top_p
  bool penalizes = false;  // what is in the text already

  friend bool operator==(const GenerateShape&, const GenerateShape&) = default;
};

// What one run takes, and gives.
struct GenerateArguments {
  Literal ids;       // i32 [rows, prompt]: texts end at the last
  Literal starts;    // i32 [rows]: slots of padding before each
  Literal finished;  // pred [rows]: those that nobody asked for
  Literal seen;      // pred [rows, vocabulary]; [rows, 1] where nothing is penalized
  Literal ends;      // i32 [ends], at least one; -1 is no token
  int64_t padding = 0;
  int64_t count = 0;  // tokens at most, up to `room`
  double temperature = 1, top_p = 1, repetition_penalty = 1;
  uint64_t seed = 0;
};
struct Generated {
  Literal ids;        // i32 [rows, prompt + room]
  int64_t count = 0;  // tokens that were generated
};

// Rows lie over `cores` cores.
std::unique_ptr<Program> generate_program(const Decoder& decoder, const GenerateShape& shape,
                                          int64_t cores);
Generated run_generate(Program& program, const GenerateArguments& arguments, int64_t cores,
                       SourceLocation location);

}  // namespace systolic::inline v0
