// Trains the model on eight TPU cores: a real TPU's where there is one, else those of the software
// TPU.
#include <systolic/systolic.h>

#include "model.h"
#include "spirals.h"

using namespace systolic;

int main() {
  TPUStrategy strategy(TPUClusterResolver("local"));
  Model model = strategy.scope(new_model);
  model.summary();
  const auto train = spirals(8192, 1).shuffle(8192).batch(128).prefetch(data::autotune);
  const auto validation = spirals(1024, 2).batch(128);
  model.fit(train, {.epochs = 20, .validation_data = validation});
  model.save("@NAME@.keras");
}
