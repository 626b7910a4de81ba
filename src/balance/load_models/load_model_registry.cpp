#include <algorithm>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

const std::vector<LoadModelInfo>& load_models() {
  static const std::vector<LoadModelInfo> models = {CommOverhead::info(),
                                                    LinearModel::info(),
                                                    MultiplePhases::info(),
                                                    NaivePersistence::info(),
                                                    Norm::info(),
                                                    PerCollection::info(),
                                                    PersistenceMedianLastN::info(),
                                                    RawData::info(),
                                                    SelectSubphases::info(),
                                                    WeightedCommunicationVolume::info(),
                                                    WeightedMessages::info()};
  return models;
}

const LoadModelInfo& load_model_info(const std::string& name) {
  const auto found = std::ranges::find(load_models(), name, &LoadModelInfo::name);
  if (found != load_models().end()) return *found;
  std::vector<std::string> names;
  for (const LoadModelInfo& info : load_models()) names.push_back(info.name);
  throw support::unknown_name("load model", name, names);
}

}  // namespace plimsoll::balance
