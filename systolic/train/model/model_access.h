// What folders above this one may ask of a model's state, and the verbs by which they change it.
// Internal to train, saving, transformers and tools.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/train/model/model.h"
#include "systolic/train/state/model_view.h"
#include "systolic/train/step/metric_totals.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {

// Nobody else changes the model while the view lives.
ModelView view_of(const Model& model);
bool is_compiled(const Model& model);
// Whether the run is asked to end after the current step.
bool is_stopped(const Model& model);
// Whether each process of the run that is under way has its own place in the data.
bool reads_own_rows(const Model& model);
// As those of a step's state say them (step_logs.h, metric_totals.h).
bool is_logged(const Model& model, std::string_view name);
LogDirection log_direction(const Model& model, std::string_view name);
Example metric_totals(const Model& model);

// Sequences, [batch, length, ...], have these lengths in data that was prepared for the model:
// fit does not warn of a program for each.
void announce_lengths(const Model& model, const std::vector<int64_t>& lengths);
// What compile() takes where it is given no loss. Before the model is compiled.
void bring_loss(const Model& model, OwnLoss loss);
// Looks in each step for what is not finite; nullptr: no longer.
void watch_finite(const Model& model, std::shared_ptr<FiniteWatch> watch);
std::shared_ptr<FiniteWatch> finite_watch(const Model& model);
// Changes layers, such as what is trainable, between two steps; training steps are made anew.
void change_layers(const Model& model, const std::function<void()>& change);
// `by`, as errors name it, also takes back compile(). `also` is what else changes with it.
void replace_network(const Model& model, Network other, const std::string& by,
                     const std::function<void()>& also);

}  // namespace systolic::inline v0
