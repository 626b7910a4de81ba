#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/profile_file/checked_stream.hpp"

/// The profile file, collectives.job<J>.profile, contains the profile of a job in a compact binary form.
/// docs/reference/collective-files.md describes it.
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A text file with a part of the profile, as it was when the profile file was written.
struct TextFile {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< time of the last change since 1970
  std::uint64_t hash = 0;        ///< support::hash_bytes() of the content
  friend bool operator==(const TextFile&, const TextFile&) = default;
};

/// Beginning of a profile file.
struct ProfileFileHead {
  std::uint64_t job = 0;
  std::vector<TextFile> text_files;  ///< those that were written together with the profile file
};

/// Writes the part of a profile that belongs to a job, as it would be read from the text files: times are
/// rounded to ns, and data that text files cannot contain are omitted. Data of the profile as a whole are
/// included only if `with_profile` is true. Memory: O(ranks of a communicator).
void write_profile_file(const Profile& profile, const ProfileFileHead& head, bool with_profile,
                        const CheckedWriter::Sink& sink);

/// Reads a profile file: first the head, so that the caller can decide whether to read the rest.
/// All functions throw Error (bad_input) that names file and byte.
class ProfileFileReader {
 public:
  /// Opens a file. Throws Error (system) if it cannot be opened. `budget` limits the numbers of read(), and
  /// must outlive this object.
  ProfileFileReader(const std::string& path, Budget& budget);
  /// Reads the content of a file. `name` is used in errors.
  ProfileFileReader(std::string name, std::uint64_t file_bytes, CheckedReader::Source source, Budget& budget);

  const ProfileFileHead& head() const { return head_; }
  /// Reads the rest of the file and adds it to a profile, which lacks leads of this job. If the file is
  /// invalid, the profile remains unchanged. May be called once.
  void read(Profile& profile);

 private:
  CheckedReader input_;
  Budget& budget_;
  ProfileFileHead head_;
};

}  // namespace plimsoll::collectives
