// Uses an installed Systolic as a stranger would: one include, one target. Trains a line through
// four points.
#include <systolic/systolic.h>

#include <cmath>
#include <cstdio>

using namespace systolic;

int main() {
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{.learning_rate = 0.1}, .loss = "mse"});
  const Literal x = Literal::of<float>({{0}, {1}, {2}, {3}});
  const Literal y = Literal::of<float>({{1}, {3}, {5}, {7}});
  model.fit(x, y, {.epochs = 200, .batch_size = 4, .verbose = 0});
  const double at_ten = model.predict(Literal::of<float>({{10}})).number_at(0);
  std::printf("2 * 10 + 1 = %.2f\n", at_ten);
  return std::abs(at_ten - 21) < 0.1 ? 0 : 1;
}
