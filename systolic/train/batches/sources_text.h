// What a dataset reads, as a text that tells other data from the same: for runs that are taken up.
// Internal to train.
#pragma once

#include <string>

#include "systolic/data/dataset.h"

namespace systolic::inline v0 {

// What each source is, as far as that shows without reading files: names and bytes of files, names,
// types, shapes and a checksum of arrays. "12000 bytes;a.tfrec;b.tfrec; (5f3a9c01)": long ones are
// cut, and end in the checksum of the whole. Folders of files do not count: they may have moved.
std::string text_of_sources(const data::Dataset& dataset);

}  // namespace systolic::inline v0
