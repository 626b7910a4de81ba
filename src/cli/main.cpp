#include <exception>
#include <new>

#include <plimsoll/support/error.hpp>

#include "cli/command_line.hpp"
#include "cli/terminal/terminal.hpp"

int main(int argc, char** argv) {
  plimsoll::cli::Terminal terminal;
  try {
    const int status = plimsoll::cli::run(argc, argv, terminal);
    terminal.finish();
    return status;
  } catch (const plimsoll::Error& error) {
    terminal.show_error(to_string(error.diagnostic()));
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    terminal.show_error("out of memory; fewer --threads or --phases take less");
  } catch (const std::exception& error) {
    terminal.show_error(error.what());
  }
  return static_cast<int>(plimsoll::ErrorKind::system);
}
