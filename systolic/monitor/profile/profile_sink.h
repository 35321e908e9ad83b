// Records some steps of a run, and writes their profile (docs/profile.md).
//
//   TrainingRun run({.sinks = {ProfileSink({.steps = {10, 20}})}});
//   model.fit(train, {.profile = {.steps = {10, 20}}});             // adds one by itself
#pragma once

#include "systolic/base/source_location.h"
#include "systolic/events/event_sink.h"
#include "systolic/monitor/profile/profile_options.h"

namespace systolic::inline v0 {

// Steps that run in one execution are recorded together. The files are written as soon as the last
// step is done, or the run is over, and a line says where. That another profile is being recorded,
// and what the folder raises, is a warning; the run goes on. Steps that are not a range are an
// InvalidArgument.
EventSinkPtr ProfileSink(ProfileOptions options,
                         SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
