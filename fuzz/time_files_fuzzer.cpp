// Feeds bytes to the readers of time files; the first byte selects the reader. Rereading a written profile
// must give no diagnostic, and writing it again must give the same bytes.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/time_files/time_files.hpp"

namespace collectives = plimsoll::collectives;

namespace {

constexpr const char* names[] = {
    "alltoallv_execution_times.rank0_comm1_job0.md",
    "alltoallv_timestamps.rank0_comm1_job0.md",
    "alltoallv_locations_comm1_rank0.md",
    "alltoallv_comm_data_rank0.md",
    "alltoallv_backtrace_rank0_trace0.md",
    "collectives.job0.json",
};

struct NamedText {
  collectives::FileName name;
  std::string text;
};

std::vector<NamedText> written(const collectives::Profile& profile) {
  std::vector<NamedText> files;
  collectives::write_time_files(profile, [&](const collectives::FileName& name, const std::string& text) {
    files.push_back({name, text});
  });
  return files;
}

collectives::Profile read_again(const std::vector<NamedText>& files) {
  collectives::Profile profile;
  std::vector<plimsoll::Diagnostic> findings;
  for (const NamedText& file : files)
    collectives::read_time_file(file.name.text(), file.name, file.text, profile, findings, {});
  if (!findings.empty()) std::abort();
  return profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  collectives::Profile profile;
  std::vector<plimsoll::Diagnostic> findings;
  collectives::read_time_file("input",
                              collectives::FileName::parse(names[data[0] % std::size(names)]).value(), text,
                              profile, findings, {});

  // Compares only after the second reading, when the index also contains communicators that other files
  // mention.
  const auto files = written(read_again(written(profile)));
  const auto again = written(read_again(files));
  if (files.size() != again.size()) std::abort();
  for (std::size_t k = 0; k < files.size(); ++k)
    if (files[k].name.text() != again[k].name.text() || files[k].text != again[k].text) std::abort();
  return 0;
}
