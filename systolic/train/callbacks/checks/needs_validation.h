// Refuses a fit that would not log what a callback needs of its validation. Internal to train.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

class Model;
struct FitOptions;

// For a name such as "val_loss", which would else be missed at the end of the first epoch, after
// hours maybe. `who` begins the error: "ModelCheckpoint names files by {val_loss}". `between`: it
// is asked for between validations, too. Other names are left alone.
void check_is_validated(std::string_view who, const std::string& name, const Model& model,
                        const FitOptions& options, bool between, SourceLocation location);

}  // namespace systolic::inline v0
