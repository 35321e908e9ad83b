// Eager use on TPU cores, as the guide "Use TPUs" begins: devices, a matmul on one core, the same
// on all of them.
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

namespace {

int run() {
  TPUClusterResolver resolver("");
  experimental_connect_to_cluster(resolver);
  initialize_tpu_system(resolver);
  std::cout << "All devices:\n";
  for (const LogicalDevice& device : list_logical_devices("TPU"))
    std::cout << "  " << to_string(device) << "\n";

  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  const Tensor c = device("/TPU:0", [&] { return matmul(a, b); });
  std::cout << "c device: " << c.device() << "\n" << c << "\n";

  TPUStrategy strategy(resolver);
  auto matmul_fn = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  std::cout << strategy.run(matmul_fn, a, b) << "\n";
  const bool right = c.literal() == Literal::of<float>({{22, 28}, {49, 64}});
  return right ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const Error& error) {
    std::cerr << error.kind() << ": " << error.what() << "\n";
    return 1;
  }
}
