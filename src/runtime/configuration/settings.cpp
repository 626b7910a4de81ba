#include <fmt/format.h>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::string path_in(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : fmt::format("{}/{}", folder, name);
}

/// Replaces the first `placeholder`; returns whether it was found.
bool replace_first(std::string& text, std::string_view placeholder, std::string_view replacement) {
  const std::size_t position = text.find(placeholder);
  if (position == std::string::npos) return false;
  text.replace(position, placeholder.size(), replacement);
  return true;
}

/// Inserts `-number` before the suffix (`.json`, `.json.br`), unless the number is 1.
void insert_number(std::string& name, int number) {
  if (number == 1) return;
  const std::size_t end = name.ends_with(".br") ? name.size() - 3 : name.size();
  const std::size_t dot = end == 0 ? std::string::npos : name.rfind('.', end - 1);
  name.insert(dot == std::string::npos || dot == 0 ? end : dot, fmt::format("-{}", number));
}

void add_compressed_suffix(std::string& name) {
  if (!name.ends_with(".br")) name += ".br";
}

std::string data_file_name(const Settings& settings) {
  std::string name = settings.lb_data_file;
  if (name.find("%p") == std::string::npos) name += "%p";
  if (settings.lb_data_compress) add_compressed_suffix(name);
  return name;
}

}  // namespace

std::string data_file_pattern(const Settings& settings) {
  return path_in(settings.lb_data_dir, data_file_name(settings));
}

std::string data_file_path(const Settings& settings, int rank) {
  std::string name = data_file_name(settings);
  replace_first(name, "%p", std::to_string(rank));
  return path_in(settings.lb_data_dir, name);
}

std::string input_file_path(const Settings& settings, int rank) {
  std::string name = settings.lb_data_file_in;
  const std::string digits = std::to_string(rank);
  if (!replace_first(name, "%p", digits)) name += digits;
  return path_in(settings.lb_data_dir_in, name);
}

std::string statistics_file_path(const Settings& settings, std::string_view local_time, int number) {
  std::string name = settings.lb_statistics_file;
  replace_first(name, "%t", local_time);
  insert_number(name, number);
  if (settings.lb_statistics_compress) add_compressed_suffix(name);
  return path_in(settings.lb_statistics_dir, name);
}

}  // namespace plimsoll::runtime
