// Writing PyTorch's files: what torch.save of a state_dict gives, and torch.load(weights_only=True)
// reads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace io {

using NamedLiterals = std::vector<std::pair<std::string, Literal>>;

// An OrderedDict of contiguous tensors on the processor, in this order, in a ZIP archive of
// stored members (PyTorch 1.6 and newer). The file gets its name when it is complete. Unimplemented
// for element types that torch keeps no storage of (u16, f8, strings) and for 4 GiB or more.
void write_torch_file(const std::string& path, const NamedLiterals& tensors,
                      SourceLocation location = SourceLocation::current());

// One tensor by itself: torch.save(tensor, path).
void write_torch_tensor(const std::string& path, const Literal& tensor,
                        SourceLocation location = SourceLocation::current());

// An archive of PyTorch with that pickle, and storages "0", "1", ... Internal.
void write_torch_archive(const std::string& path, const std::string& pickle,
                         const std::vector<const Literal*>& storages, SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
