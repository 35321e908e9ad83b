#include "systolic/train/options/evaluation.h"

#include <ostream>

namespace systolic::inline v0 {

double Evaluation::operator[](std::string_view name) const { return log_value(logs, name, {}); }
std::ostream& operator<<(std::ostream& out, const Evaluation& evaluation) {
  return out << logs_text(evaluation.logs);
}

}  // namespace systolic::inline v0
