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

/// A function of the interpreter's C interface, which remains the same between versions.
template <class Type>
struct PythonFunction {
  Type* call;

  explicit PythonFunction(const char* name) : call(reinterpret_cast<Type*>(dlsym(RTLD_DEFAULT, name))) {}
  PythonFunction(const char* name, bool& is_complete) : PythonFunction(name) {
    is_complete = is_complete && call != nullptr;
  }
  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    return call(arguments...);
  }
};

/// Finds the code segment that contains `begin`, and sets its bounds.
int find_segment(dl_phdr_info* module, std::size_t, void* python_code) {
  auto& [begin, end] = *static_cast<PythonCode*>(python_code);
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

/// The interpreter in this process. Its functions are called only if none is missing.
struct Interpreter {
  bool is_complete = true;
  PythonFunction<int()> is_initialised{"Py_IsInitialized", is_complete};
  PythonFunction<int()> is_finalising{
      dlsym(RTLD_DEFAULT, "_Py_IsFinalizing") ? "_Py_IsFinalizing" : "Py_IsFinalizing", is_complete};
  PythonFunction<void*()> first_interpreter{"PyInterpreterState_Head", is_complete};
  PythonFunction<void*(void*)> next_interpreter{"PyInterpreterState_Next", is_complete};
  PythonFunction<void*(void*)> first_thread{"PyInterpreterState_ThreadHead", is_complete};
  PythonFunction<void*(void*)> next_thread{"PyThreadState_Next", is_complete};
  PythonFunction<int()> pause_collector{"PyGC_Disable", is_complete};
  PythonFunction<int()> resume_collector{"PyGC_Enable", is_complete};
  PythonFunction<int()> lock{"PyGILState_Ensure", is_complete};
  PythonFunction<void(int)> unlock{"PyGILState_Release", is_complete};
  PythonFunction<void*()> pending_error{"PyErr_Occurred", is_complete};
  PythonFunction<void()> clear_error{"PyErr_Clear", is_complete};
  PythonFunction<void*()> thread{"PyGILState_GetThisThreadState", is_complete};
  PythonFunction<void*(void*)> frame_of{"PyThreadState_GetFrame", is_complete};
  PythonFunction<void*(void*)> outer_frame{"PyFrame_GetBack", is_complete};
  PythonFunction<void*(void*)> code_of{"PyFrame_GetCode", is_complete};
  PythonFunction<int(void*)> line_of{"PyFrame_GetLineNumber", is_complete};
  PythonFunction<int(void*)> instruction_of{"PyFrame_GetLasti"};  // from 3.11 on
  PythonFunction<void*(void*, const char*)> attribute{"PyObject_GetAttrString", is_complete};
  PythonFunction<const char*(void*)> text_of{"PyUnicode_AsUTF8", is_complete};
  PythonFunction<void(void*)> release{"Py_DecRef", is_complete};
  PythonCode code;

  Interpreter() {
    if (!is_complete) return;
    code = {reinterpret_cast<std::uintptr_t>(lock.call), 0};
    if (dl_iterate_phdr(find_segment, &code) == 0) code = {};
  }
};

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
  Reference code(python().code_of(frame));
  const int instruction =
      python().instruction_of.call ? python().instruction_of(frame) : python().line_of(frame);
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

const PythonCode& code_of_python() {
  return python().code;
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
