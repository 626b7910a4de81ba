// A user's program: uses the installed libraries, through installed headers only.
#include <iostream>

#include <plimsoll/lbdata.hpp>
#include <plimsoll/support.hpp>

int main() {
  const auto category = plimsoll::lbdata::comm_category("SendRecv");
  if (category != plimsoll::lbdata::CommCategory::SendRecv) return 1;
  const plimsoll::Error error = plimsoll::support::bad_input("no such rank", "data.7.json");
  std::cout << to_string(*category) << "; " << error.what() << '\n';
}
