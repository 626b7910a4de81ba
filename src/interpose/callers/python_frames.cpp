#include "interpose/callers/python_frames.hpp"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/python_code.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// The interpreter in this process, by functions of its C interface that remain the same between versions.
struct Interpreter {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;  ///< equal to `begin` if there is none
  int (*is_initialised)() = nullptr;
  int (*is_finalising)() = nullptr;
  void* (*first_interpreter)() = nullptr;
  void* (*next_interpreter)(void*) = nullptr;
  void* (*first_thread)(void*) = nullptr;
  void* (*next_thread)(void*) = nullptr;
  int (*pause_collector)() = nullptr;
  int (*resume_collector)() = nullptr;
  int (*lock)() = nullptr;
  void (*unlock)(int) = nullptr;
  void* (*pending_error)() = nullptr;
  void (*clear_error)() = nullptr;
  void* (*thread)() = nullptr;
  void* (*frame_of)(void*) = nullptr;
  void* (*outer_frame)(void*) = nullptr;
  void* (*code_of)(void*) = nullptr;
  int (*line_of)(void*) = nullptr;
  int (*instruction_of)(void*) = nullptr;  ///< null before 3.11
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*text_of)(void*) = nullptr;
  void (*release)(void*) = nullptr;

  Interpreter();
};

template <class Function>
bool find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

/// Finds the code segment that contains `begin`, and sets its bounds.
int find_segment(dl_phdr_info* module, std::size_t, void* interpreter) {
  auto& [begin, end] = *static_cast<std::pair<std::uintptr_t, std::uintptr_t>*>(interpreter);
  for (int k = 0; k < module->dlpi_phnum; ++k) {
    const auto& segment = module->dlpi_phdr[k];
    const std::uintptr_t first = module->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || begin < first || begin >= first + segment.p_memsz) continue;
    begin = first;
    end = first + segment.p_memsz;
    return 1;
  }
  return 0;
}

Interpreter::Interpreter() {
  const bool is_complete =
      find(is_initialised, "Py_IsInitialized") &&
      (find(is_finalising, "_Py_IsFinalizing") || find(is_finalising, "Py_IsFinalizing")) &&
      find(first_interpreter, "PyInterpreterState_Head") &&
      find(next_interpreter, "PyInterpreterState_Next") &&
      find(first_thread, "PyInterpreterState_ThreadHead") && find(next_thread, "PyThreadState_Next") &&
      find(pause_collector, "PyGC_Disable") && find(resume_collector, "PyGC_Enable") &&
      find(lock, "PyGILState_Ensure") && find(unlock, "PyGILState_Release") &&
      find(pending_error, "PyErr_Occurred") && find(clear_error, "PyErr_Clear") &&
      find(thread, "PyGILState_GetThisThreadState") && find(frame_of, "PyThreadState_GetFrame") &&
      find(outer_frame, "PyFrame_GetBack") && find(code_of, "PyFrame_GetCode") &&
      find(line_of, "PyFrame_GetLineNumber") && find(attribute, "PyObject_GetAttrString") &&
      find(text_of, "PyUnicode_AsUTF8") && find(release, "Py_DecRef");
  if (!is_complete) return;
  find(instruction_of, "PyFrame_GetLasti");
  std::pair segment{reinterpret_cast<std::uintptr_t>(lock), std::uintptr_t{0}};
  if (dl_iterate_phdr(find_segment, &segment) != 0) std::tie(begin, end) = segment;
}

const Interpreter& python() {
  static const Interpreter interpreter;
  return interpreter;
}

/// Whether this thread is the only one that can hold the interpreter's lock. Then nobody else does, and
/// taking it does not wait for a thread that may wait for messages of this one.
bool is_only_thread() {
  void* const interpreter = python().first_interpreter();
  if (!interpreter || python().next_interpreter(interpreter)) return false;
  void* const thread = python().first_thread(interpreter);
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, Python is not asked
  return thread && thread == python().thread() && !python().next_thread(thread);
}

/// Holds the interpreter's lock, and lets the garbage collector run none of the program's code meanwhile,
/// which may call MPI.
class Lock {
 public:
  Lock() : state_(python().lock()), collected_(python().pause_collector() != 0) {}
  ~Lock() {
    if (collected_) python().resume_collector();
    python().unlock(state_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int state_;
  bool collected_;
};

/// A reference to an object of the interpreter.
class Reference {
 public:
  explicit Reference(void* object) : object_(object) {}
  ~Reference() {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, Python is not asked
    if (object_) python().release(object_);
  }
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  void* get() const { return object_; }
  /// Lets the object live for ever.
  void keep() { object_ = nullptr; }

 private:
  void* object_;
};

std::string text_of(void* code, const char* attribute) {
  const Reference value(python().attribute(code, attribute));
  const char* const text = value.get() ? python().text_of(value.get()) : nullptr;
  if (!text) python().clear_error();
  return text ? text : "";
}

/// The places of a program, which get the numbers 0, 1, 2, ... Their code objects are kept, so that no other
/// one gets the same address.
struct Places {
  std::mutex mutex;
  std::map<std::pair<void*, int>, std::size_t> numbers;  ///< by code object and instruction, or line
  std::vector<collectives::CodeAddress> codes;
};

Places& places() {
  static auto* const places = new Places;  // never freed, because threads may outlive the exit handlers
  return *places;
}

constexpr std::uintptr_t first_place = std::uintptr_t{1} << 63;  // no code of a process is there
constexpr std::size_t max_places = 2048;                         // whose code objects take memory

collectives::CodeAddress describe(void* frame, void* code, int instruction) {
  std::string function = text_of(code, "co_qualname");  // from 3.11 on
  if (function.empty()) function = text_of(code, "co_name");
  return {collectives::to_module({function, text_of(code, "co_filename"), python().line_of(frame)}),
          static_cast<std::uint64_t>(instruction)};
}

/// Returns the address of a frame's place; 0 beyond the largest number of places.
std::uintptr_t place_of(void* frame) {
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, Python is not asked
  Reference code(python().code_of(frame));
  const int instruction = python().instruction_of ? python().instruction_of(frame) : python().line_of(frame);
  Places& known = places();
  const std::lock_guard guard(known.mutex);
  const auto found = known.numbers.find({code.get(), instruction});
  if (found != known.numbers.end()) return first_place + found->second;
  if (known.codes.size() == max_places) return 0;
  known.codes.push_back(describe(frame, code.get(), instruction));
  known.numbers[{code.get(), instruction}] = known.codes.size() - 1;
  code.keep();
  return first_place + known.codes.size() - 1;
}

}  // namespace

bool is_in_python(std::uintptr_t address) {
  return python().begin <= address && address < python().end;
}

std::size_t read_python_frames(std::span<std::uintptr_t> places) {
  const Interpreter& interpreter = python();
  if (!interpreter.is_initialised() || interpreter.is_finalising() || !is_only_thread()) return 0;
  const Lock lock;
  if (interpreter.pending_error()) return 0;  // which asking for names would change
  std::size_t frames = 0;
  for (Reference frame(interpreter.frame_of(interpreter.thread())); frame.get() && frames < places.size();
       frame = Reference(interpreter.outer_frame(frame.get()))) {
    places[frames] = place_of(frame.get());
    if (places[frames] == 0) break;
    ++frames;
  }
  return frames;
}

std::optional<collectives::CodeAddress> python_code(std::uintptr_t place) {
  if (place < first_place) return std::nullopt;
  Places& known = places();
  const std::lock_guard guard(known.mutex);
  return known.codes.at(place - first_place);
}

}  // namespace plimsoll::interpose
