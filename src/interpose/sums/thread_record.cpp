#include "interpose/sums/thread_record.hpp"

#include <memory>
#include <mutex>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

using collectives::rank_sums::Kind;

/// Records of all threads. It is never destroyed, because threads may outlive the exit handlers.
struct Records {
  std::mutex mutex;
  collectives::SumsFile* file = nullptr;
  std::vector<std::unique_ptr<ThreadRecord>> all;
  std::vector<ThreadRecord*> unused;  ///< of threads that have ended
};

Records& records() {
  static Records* const records = new Records;
  return *records;
}

/// Returns the record of its thread when the thread ends.
class RecordOfThread {
 public:
  RecordOfThread() = default;
  RecordOfThread(const RecordOfThread&) = delete;
  RecordOfThread& operator=(const RecordOfThread&) = delete;
  ~RecordOfThread() {
    if (!detail::thread_record) return;
    detail::thread_record->end();
    const std::lock_guard lock(records().mutex);
    records().unused.push_back(detail::thread_record);  // take_record() has reserved its place
    detail::thread_record = nullptr;
  }
  void use(ThreadRecord* record) { detail::thread_record = record; }
};
thread_local RecordOfThread record_of_thread;

}  // namespace

ThreadRecord::ThreadRecord(collectives::SumsFile* file, std::uint32_t number)
    : sites_({file, Kind::sites, number}),
      functions_({file, Kind::calls, number}),
      messages_({file, Kind::messages, number}),
      callers_(number) {
  std::byte* const place = file ? file->allocate(sizeof(collectives::rank_sums::ThreadRecord)) : nullptr;
  if (!place) return;
  last_ns_ = reinterpret_cast<std::uint64_t*>(place);
  file->publish(place, Kind::thread, number);
}

void keep_records_in(collectives::SumsFile* file) {
  const std::lock_guard lock(records().mutex);
  records().file = file;
}

ThreadRecord& detail::take_record() {
  auto& [mutex, file, all, unused] = records();
  const std::lock_guard lock(mutex);
  if (unused.empty()) {
    unused.reserve(all.size() + 1);
    all.push_back(std::make_unique<ThreadRecord>(file, static_cast<std::uint32_t>(all.size())));
    unused.push_back(all.back().get());
  }
  record_of_thread.use(unused.back());
  unused.pop_back();
  return *thread_record;
}

std::vector<const ThreadRecord*> all_thread_records() {
  const std::lock_guard lock(records().mutex);
  std::vector<const ThreadRecord*> all;
  for (const auto& record : records().all) all.push_back(record.get());
  return all;
}

}  // namespace plimsoll::interpose
