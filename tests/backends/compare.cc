#include "tests/backends/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/client.h"
#include "backends/interpreter/evaluate.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
  // In [0, 1).
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ / 4294967296.0;
  }

 private:
  uint32_t state_;
};

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::c128:
      return std::numeric_limits<double>::epsilon() * 64;
    case DType::f16:
      return 1.0 / 1024;
    case DType::bf16:
      return 1.0 / 128;
    case DType::f8e4m3fn:
      return 1.0 / 8;
    case DType::f8e5m2:
      return 1.0 / 4;
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

// The real numbers of an array: complex ones as pairs.
std::vector<double> numbers_of(const Literal& literal) {
  std::vector<double> result;
  const auto complex = [&](auto tag) {
    for (const auto& z : literal.data<decltype(tag)>()) {
      result.push_back(z.real());
      result.push_back(z.imag());
    }
  };
  if (literal.dtype() == DType::c64) {
    complex(std::complex<float>());
  } else if (literal.dtype() == DType::c128) {
    complex(std::complex<double>());
  } else {
    for (int64_t i = 0; i < literal.size(); ++i) result.push_back(literal.number_at(i));
  }
  return result;
}

bool same_number(double a, double b, double slack) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= slack;
}

void compare(const Literal& got, const Literal& wanted, double tolerance, const std::string& what) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  ASSERT_EQ(got.shape(), wanted.shape()) << what;
  const bool exact = !is_float(wanted.dtype()) && !is_complex(wanted.dtype());
  const std::vector<double> a = numbers_of(got), b = numbers_of(wanted);
  double magnitude = 1;
  for (double x : b) {
    if (std::isfinite(x)) magnitude = std::max(magnitude, std::abs(x));
  }
  const double slack = exact ? 0 : tolerance * epsilon_of(wanted.dtype()) * magnitude;
  int shown = 0;
  for (size_t i = 0; i < a.size() && shown < 3; ++i) {
    if (same_number(a[i], b[i], slack)) continue;
    ++shown;
    ADD_FAILURE() << what << ": element " << i << " of " << to_string(wanted.dtype())
                  << to_string(wanted.shape()) << " is " << a[i] << ", expected " << b[i];
  }
}

}  // namespace

Literal random_literal(DType dtype, const Shape& shape, uint32_t seed, Numbers numbers) {
  Literal literal(dtype, shape);
  Random random(seed);
  for (int i = 0; i < 8; ++i) random.next();
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* data = reinterpret_cast<T*>(literal.mutable_raw());
    const auto draw = [&] { return numbers.low + (numbers.high - numbers.low) * random.next(); };
    for (int64_t i = 0; i < literal.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        data[i] = random.next() < 0.5;
      } else if constexpr (std::is_unsigned_v<T>) {
        data[i] = static_cast<T>(std::abs(std::floor(draw())));
      } else if constexpr (std::is_integral_v<T>) {
        data[i] = static_cast<T>(std::floor(draw()));
      } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                           std::is_same_v<T, std::complex<double>>) {
        const double real = draw();
        data[i] = T(static_cast<typename T::value_type>(real),
                    static_cast<typename T::value_type>(draw()));
      } else {
        data[i] = T(static_cast<float>(draw()));
      }
    }
  });
  return literal;
}

ir::Module make_module(const std::function<void(ir::Builder&)>& build) {
  ir::Module module;
  module.functions.emplace_back();
  ir::Builder builder(module.main());
  build(builder);
  return module;
}

void expect_same(const ir::Module& module, const std::vector<Literal>& arguments, double tolerance,
                 const std::string& what) {
  try {
    const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
    const auto program = client->compile(module, {.name = what.empty() ? "test" : what});
    std::vector<runtime::BufferPtr> buffers;
    for (const Literal& argument : arguments) buffers.push_back(client->from_host(argument));
    const auto got = program->execute(std::move(buffers));
    const std::vector<Literal> wanted = interpreter::evaluate(module, arguments);
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (size_t i = 0; i < got.size(); ++i) {
      compare(got[i]->to_literal(), wanted[i], tolerance, str(what, " result ", i));
    }
  } catch (const Error& error) {
    ADD_FAILURE() << what << ": " << error.what();
  }
}

void expect_result(const ir::Module& module, const std::vector<Literal>& arguments,
                   const Literal& wanted) {
  expect_same(module, arguments, 0);
  const std::vector<Literal> got = interpreter::evaluate(module, arguments);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0], wanted);
}

void expect_same(const ir::Module& module, double tolerance, const std::string& what,
                 Numbers numbers) {
  std::vector<Literal> arguments;
  for (ir::ValueId argument : module.main().body.arguments) {
    const ir::Type& type = module.main().type(argument);
    arguments.push_back(random_literal(type.dtype, type.shape,
                                       static_cast<uint32_t>(arguments.size() + 1), numbers));
  }
  expect_same(module, arguments, tolerance, what);
}

void expect_same_op(ir::OpCode code, const std::vector<ir::Type>& types,
                    const ir::Attributes& attributes, double tolerance, Numbers numbers,
                    const std::vector<ir::Type>& requested) {
  std::string what(ir::info(code).name);
  for (const ir::Type& type : types) what += ' ' + ir::to_string(type);
  ir::Module module;
  try {
    module = make_module([&](ir::Builder& b) {
      std::vector<ir::Value> arguments;
      for (const ir::Type& type : types) arguments.push_back(b.argument(type));
      for (ir::Value result : b.append(code, arguments, attributes, {}, requested)) {
        b.result(result);
      }
    });
  } catch (const Error& error) {
    ADD_FAILURE() << what << ": " << error.what();
    return;
  }
  expect_same(module, tolerance, what, numbers);
}

}  // namespace systolic
