// Text as a language model writes it, a piece at a time.
//
//   TextStreamer streamer(tokenizer, {.skip_prompt = true});
//   model.generate(tokenizer("The boat"), {.max_new_tokens = 40, .streamer = &streamer});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

// What generate() tells of its tokens, on the calling thread. Derive from it for tokens; what it
// throws ends the call.
//   struct Count : Streamer { void put(std::span<const int32_t> ids) override { n += ids.size(); }
//                             void end() override {} size_t n = 0; };
class Streamer {
 public:
  Streamer() = default;
  Streamer(const Streamer&) = default;
  Streamer& operator=(const Streamer&) = default;
  virtual ~Streamer() = default;
  virtual void put(std::span<const int32_t> ids) = 0;  // the prompt's, then each new token
  virtual void end() = 0;
};

// Settings of a TextStreamer.
//   const TextStreamerOptions answer_alone{.skip_prompt = true, .skip_special_tokens = true};
struct TextStreamerOptions {
  bool skip_prompt = false;          // the prompt is not shown
  bool skip_special_tokens = false;  // nor are tokens such as "<|endoftext|>"
  // What is done with each piece, the last of which has stream_end: written to standard output, and
  // a newline after the last.
  std::function<void(std::string_view text, bool stream_end)> on_finalized_text = {};
};

// Shows text as soon as whole words of it are there, as transformers' TextStreamer does.
//   TextStreamer streamer(tokenizer);
class TextStreamer : public Streamer {
 public:
  explicit TextStreamer(Tokenizer tokenizer, TextStreamerOptions options = {});
  void put(std::span<const int32_t> ids) override;
  void end() override;

 private:
  void show(size_t end, bool stream_end);

  Tokenizer tokenizer_;
  TextStreamerOptions options_;
  std::vector<int32_t> ids_;  // since the last line began
  std::string text_;          // of these
  size_t shown_ = 0;          // bytes of it
  bool is_prompt_ = true;
};

}  // namespace systolic::inline v0
