#include "systolic/transformers/generation/generate_rounds.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/transformers/generation/stop_strings.h"
#include "systolic/transformers/generation/text_streamer.h"

namespace systolic::inline v0 {
namespace {

// Tokens between two looks for stop strings: what comes after one is thrown away.
constexpr int64_t tokens_of_round = 8;

class Rounds {
 public:
  Rounds(const CompiledGeneration& programs, const GenerationPlan& plan, const GenerateShape& shape,
         SourceLocation location)
      : programs_(programs),
        plan_(plan),
        shape_(shape),
        location_(location),
        stops_(plan.config.stop_strings, plan.config.tokenizer),
        lengths_(static_cast<size_t>(plan.prompt.rows()), -1) {}

  Generated run(const GenerateArguments& arguments, int64_t cores) {
    const std::vector<runtime::BufferPtr> given = generate_buffers(arguments, cores);
    starts_ = arguments.starts;
    if (streamer() != nullptr) streamer()->put(tokens(0, starts_.integer_at(0), shape_.prompt));
    std::vector<runtime::BufferPtr> state = programs_.begin->run(given, {.location = location_});
    while (read(state)) state = next(given, std::move(state));
    if (streamer() != nullptr) streamer()->end();
    return {.ids = ids_, .count = longest()};
  }

 private:
  enum State : size_t { count_at, ids_at, finished_at };

  Streamer* streamer() const { return plan_.config.streamer; }

  std::span<const int32_t> tokens(int64_t row, int64_t from, int64_t to) const {
    const Literal& ids = count_ == 0 ? plan_.prompt.ids : ids_;
    // The prompt as it was given ends where the program's does.
    const int64_t shift = count_ == 0 ? shape_.prompt - plan_.prompt.tokens() : 0;
    return ids.data<int32_t>().subspan(static_cast<size_t>(row * ids.shape()[1] + from - shift),
                                       static_cast<size_t>(to - from));
  }

  // Takes the tokens of the last round. False where no more are to come.
  bool read(std::vector<runtime::BufferPtr>& state) {
    const int64_t before = count_;
    ids_ = state[ids_at]->to_literal();
    count_ = state[count_at]->to_literal().integer_at(0);
    bool stops = false, goes_on = false;
    for (int64_t row = 0; row < plan_.prompt.rows(); ++row) {
      stops = end_row(row, before) || stops;
      goes_on = goes_on || lengths_[static_cast<size_t>(row)] < 0;
    }
    if (streamer() != nullptr) {
      for (int64_t i = before; i < std::min(count_, longest()); ++i)
        streamer()->put(tokens(0, shape_.prompt + i, shape_.prompt + i + 1));
    }
    if (stops) finish(state);
    return goes_on && count_ < plan_.count;
  }

  // Looks for the end of a row among its tokens from `from` on; true where a stop string is it.
  bool end_row(int64_t row, int64_t from) {
    int64_t& length = lengths_[static_cast<size_t>(row)];
    const int64_t start = starts_.integer_at(row);
    for (int64_t i = from; i < count_ && length < 0; ++i) {
      const auto text = tokens(row, start, shape_.prompt + i + 1);
      if (std::ranges::count(plan_.ends, text.back()) > 0) {
        length = i + 1;
      } else if (stops_.end_in_last(text)) {
        length = i + 1;
        const auto ids = ids_.mutable_data<int32_t>();
        const auto begin = ids.begin() + row * ids_.shape()[1] + shape_.prompt;
        std::fill(begin + length, begin + count_, static_cast<int32_t>(plan_.padding));
        return true;
      }
    }
    return false;
  }

  // Tells the device which rows have ended.
  void finish(std::vector<runtime::BufferPtr>& state) const {
    Literal finished = state[finished_at]->to_literal();
    for (size_t row = 0; row < lengths_.size(); ++row) {
      if (lengths_[row] >= 0) finished.mutable_data<bool>()[row] = true;
    }
    const runtime::ClientPtr client = default_client();
    state[finished_at] = client->from_host(finished, state[finished_at]->placement());
    state[ids_at] = client->from_host(ids_, state[ids_at]->placement());
  }

  std::vector<runtime::BufferPtr> next(std::vector<runtime::BufferPtr> arguments,
                                       std::vector<runtime::BufferPtr> state) const {
    const int64_t more = streamer() != nullptr ? 1 : tokens_of_round;
    const Literal until = Literal::scalar(static_cast<int32_t>(count_ + more));
    arguments.push_back(default_client()->from_host(until, {}));
    for (runtime::BufferPtr& one : state) arguments.push_back(std::move(one));
    return programs_.round->run(std::move(arguments), {.location = location_});
  }

  int64_t longest() const {
    int64_t most = 0;
    for (const int64_t length : lengths_) most = std::max(most, length < 0 ? count_ : length);
    return most;
  }

  const CompiledGeneration& programs_;
  const GenerationPlan& plan_;
  const GenerateShape& shape_;
  SourceLocation location_;
  StopStrings stops_;
  std::vector<int64_t> lengths_;  // of the rows; -1 while they go on
  Literal ids_, starts_;          // i32 [rows, prompt + room]; [rows]
  int64_t count_ = 0;             // of generated tokens
};

}  // namespace

Generated generate_in_rounds(const CompiledGeneration& programs, const GenerationPlan& plan,
                             const GenerateShape& shape, const GenerateArguments& arguments,
                             int64_t cores, SourceLocation location) {
  if (plan.config.streamer != nullptr && plan.prompt.rows() > 1)
    raise<InvalidArgument>({.what = str("generate of ", plan.prompt.rows(), " texts, streamed"),
                            .wanted = "one prompt, and num_return_sequences = 1",
                            .location = location});
  return Rounds(programs, plan, shape, location).run(arguments, cores);
}

}  // namespace systolic::inline v0
