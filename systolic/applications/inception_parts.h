// Layers that the Inception networks are made of. Internal to applications.
#pragma once

#include <string>
#include <vector>

#include "systolic/applications/architecture.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size2.h"

namespace systolic::inline v0 {
namespace applications {

class InceptionParts {
 public:
  explicit InceptionParts(Architecture& net) : net_(net) {}

 protected:
  // Without a bias, then normalized without a scale, then ReLU.
  Symbol convolution(const Symbol& x, int64_t filters, Size2 kernel_size, int64_t stride = 1,
                     Padding padding = "same");
  // The largest of each 3 x 3 window, at a stride of 2.
  Symbol reduced(const Symbol& x);
  // The mean of each 3 x 3 window, then a convolution of size 1.
  Symbol averaged(const Symbol& x, int64_t filters);
  // Both networks begin so: [batch, 299, 299, 3] -> [batch, 35, 35, 192].
  Symbol stem_convolutions(const Symbol& image);
  static Symbol joined(const std::vector<Symbol>& branches, const std::string& name);

  std::string next(const std::string& kind) { return net_.next(kind); }

 private:
  Architecture& net_;
};

}  // namespace applications
}  // namespace systolic::inline v0
