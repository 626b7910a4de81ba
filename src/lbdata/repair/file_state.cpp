#include "lbdata/repair/file_state.hpp"

#include <set>

#include <plimsoll/support/error.hpp>

#include "lbdata/json/data_file_format.hpp"
#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Reader that notices the same damage as PhaseRescue, and the same evidence of an LB data file.
class DamageFinder : public RecordSink, public FindingSink {
 public:
  void metadata_so_far(const RankMetadata& metadata) override {
    recognised_ = recognised_ || metadata.type == "LBDatafile" || metadata.top_level_type == "LBDatafile";
  }
  void end_phase(PhaseHeader&& header, bool complete) override {
    has_phase_ = has_phase_ || complete;
    damaged_ = damaged_ || !complete || !ids_.insert(header.id).second;
  }
  void add(Diagnostic&&, bool readable) override { damaged_ = damaged_ || !readable; }

  FileState state_of_complete_text() const {
    if (!damaged_) return FileState::whole;
    return has_phase_ ? FileState::repairable : FileState::unusable;
  }
  FileState state_of_damaged_text() const {
    return recognised_ || has_phase_ ? FileState::repairable : FileState::unusable;
  }

 private:
  std::set<std::int64_t> ids_;
  bool damaged_ = false;
  bool recognised_ = false;
  bool has_phase_ = false;
};

}  // namespace

FileState file_state(const std::string& path, const support::SizeLimits& limits) {
  DamageFinder finder;
  try {
    support::TextSource source(path, data_file_format, limits);
    DocumentParser(source, SchemaVersion::current, finder, finder).parse_data_file();
    return finder.state_of_complete_text();
  } catch (const IsStatisticsFile&) {
    return FileState::unusable;
  } catch (const support::SizeLimitError&) {
    return FileState::unusable;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::bad_input ? finder.state_of_damaged_text() : FileState::unusable;
  }
}

}  // namespace plimsoll::lbdata
