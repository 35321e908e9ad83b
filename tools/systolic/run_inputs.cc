#include "tools/systolic/run_inputs.h"

#include <random>

#include "systolic/base/error.h"
#include "systolic/io/tensors/npy.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

using namespace systolic;
using Kind = InputSpec::Kind;

bool ends_in(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

[[noreturn]] void raise_unknown(const std::string& text) {
  raise<WrongUsage>(
      {.what = str("--input ", text),
       .wanted = "zeros, ones, random, random:SEED, FILE.npy, FILE.npz or FILE.npz:NAME"});
}

void add_arrays(const std::string& text, std::vector<InputSpec>& specs) {
  if (ends_in(text, ".npy")) {
    specs.push_back({.kind = Kind::array, .array = io::read_npy(text), .text = text});
    return;
  }
  if (ends_in(text, ".npz")) {
    for (const auto& [name, value] : io::read_npz(text)) {
      specs.push_back({.kind = Kind::array, .array = value, .text = str(text, ":", name)});
    }
    return;
  }
  const size_t colon = text.rfind(".npz:");
  if (colon == std::string::npos) raise_unknown(text);
  const Example arrays = io::read_npz(text.substr(0, colon + 4));
  specs.push_back({.kind = Kind::array, .array = arrays[text.substr(colon + 5)], .text = text});
}

// Uniform in [0, 1), by the standard's definition of the engine.
Literal random_array(const ir::Type& type, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const bool whole = is_integer(type.dtype) || type.dtype == DType::pred;
  if (whole) {
    std::vector<int32_t> bits(static_cast<size_t>(type.shape.elements()));
    for (int32_t& bit : bits) bit = static_cast<int32_t>(engine() >> 63);
    return Literal::from(bits, type.shape).convert(type.dtype);
  }
  std::vector<double> numbers(static_cast<size_t>(type.shape.elements()));
  for (double& number : numbers) number = static_cast<double>(engine() >> 11) * 0x1p-53;
  return Literal::from(numbers, type.shape).convert(type.dtype);
}

}  // namespace

std::vector<InputSpec> parse_inputs(const std::vector<std::string>& texts) {
  constexpr std::string_view random = "random";
  std::vector<InputSpec> specs;
  for (const std::string& text : texts) {
    if (text == "zeros") {
      specs.push_back({.kind = Kind::zeros, .text = text});
    } else if (text == "ones") {
      specs.push_back({.kind = Kind::ones, .text = text});
    } else if (text == random) {
      specs.push_back({.kind = Kind::random, .text = text});
    } else if (text.rfind("random:", 0) == 0) {
      int64_t seed = 0;
      if (!parse_number(text.substr(random.size() + 1), seed)) raise_unknown(text);
      specs.push_back({.kind = Kind::random, .seed = static_cast<uint64_t>(seed), .text = text});
    } else {
      add_arrays(text, specs);
    }
  }
  return specs;
}

Literal make_input(const InputSpec& spec, const ir::Type& type, size_t position) {
  switch (spec.kind) {
    case Kind::zeros:
      return Literal::zeros(type.dtype, type.shape);
    case Kind::ones:
      return Literal::filled(type.dtype, type.shape, 1);
    case Kind::random:
      return random_array(type, spec.seed + 0x9E3779B97F4A7C15u * position);
    case Kind::array:
      break;
  }
  const ir::Type given{spec.array.dtype(), spec.array.shape()};
  if (given == type) return spec.array;
  raise<InvalidArgument>({.what = str("--input ", spec.text, " for argument ", position),
                          .got = ir::to_string(given),
                          .wanted = ir::to_string(type)});
}

}  // namespace tool
