// How fast a tokenizer is on one thread: the lines of a file, again and again, in batches.
//
//   tokenizer_bench tokenizer.json LINES offsets|ids SECONDS
//
// SYSTOLIC_THREADS=n in the environment makes it n threads.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/text/tokenizer.h"

using namespace systolic;

namespace {

using Clock = std::chrono::steady_clock;

int run(const char* file, const char* lines, const std::string& what, double seconds) {
  Tokenizer tokenizer = Tokenizer::from_file(file);
  tokenizer.no_truncation();
  tokenizer.no_padding();
  const std::vector<std::string> texts = split(io::read_file(lines), '\n');
  size_t bytes = 0, tokens = 0;
  for (const std::string& text : texts) bytes += text.size();
  double best = 0;
  const auto begin = Clock::now();
  const auto since = [](Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  };
  do {
    const auto start = Clock::now();
    const auto encodings = tokenizer.encode_batch(texts, {.offsets = what == "offsets"});
    const double time = since(start);
    if (best == 0 || time < best) best = time;
    tokens = 0;
    for (const Encoding& encoding : encodings) tokens += encoding.size();
  } while (since(begin) < seconds);
  std::printf("{\"texts_per_s\": %.0f, \"mb_per_s\": %.2f, \"tokens\": %zu}\n",
              static_cast<double>(texts.size()) / best, static_cast<double>(bytes) / best / 1e6,
              tokens);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  setenv("SYSTOLIC_THREADS", "1", /*overwrite=*/0);
  try {
    return run(argv[1], argv[2], argv[3], std::atof(argv[4]));
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
