// The model learns: after some epochs it is right about points that it has not seen.
#include "model.h"

#include <systolic/systolic.h>

#include <cstdio>

#include "spirals.h"

using namespace systolic;

int main() {
  set_seed(1);
  Model model = new_model();
  model.fit(spirals(2048, 1).shuffle(2048).batch(64), {.epochs = 30, .verbose = 0});
  const double accuracy = model.evaluate(spirals(512, 2).batch(64), {.verbose = 0})["accuracy"];
  std::printf("accuracy of unseen points: %.3f\n", accuracy);
  return accuracy > 0.95 ? 0 : 1;
}
