#include "cli/commands/layout/models_json.hpp"

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using pelayout::Sample;
using support::JsonWriter;

void write_fit(JsonWriter& json, const std::optional<pelayout::FitQuality>& fit) {
  if (!fit) {
    json.null();
    return;
  }
  json.begin_object()
      .member("a", fit->a)
      .member("b", fit->b)
      .member("c", fit->c)
      .member("d", fit->d)
      .member("r_squared", fit->r_squared)
      .member("typical_error", fit->typical_error)
      .key("outliers")
      .values(fit->outliers)
      .end_object();
}

void write_point(JsonWriter& json, const pelayout::ModelPoint& point, const Sample* sample) {
  json.begin_object()
      .member("tasks", point.tasks)
      .member("cost", point.cost)
      .member("extrapolated", point.extrapolated);
  if (sample != nullptr && !point.extrapolated)
    json.member("repeats", sample->repeats)
        .member("least", sample->minimum)
        .member("greatest", sample->maximum);
  json.end_object();
}

}  // namespace

void write_models(JsonWriter& json, const pelayout::Study& study) {
  json.begin_array();
  for (const pelayout::ComponentModel& model : study.models) {
    const pelayout::Component* component = study.problem.find(model.component);
    for (const auto& [threads, scaling] : model.by_threads) {
      json.begin_object()
          .member("component", model.component)
          .member("model", component == nullptr ? "" : component->model)
          .member("block_size", model.block_size)
          .member("threads", threads)
          .key("points")
          .begin_array();
      for (const pelayout::ModelPoint& point : scaling->points()) {
        write_point(json, point, component == nullptr ? nullptr : component->find(point.tasks, threads));
      }
      json.end_array();
      write_fit(json.key("fit"), scaling->quality());
      json.key("warnings").values(lines_of(scaling->warnings())).end_object();
    }
  }
  json.end_array();
}

}  // namespace plimsoll::cli
