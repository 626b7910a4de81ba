#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands/layout/submit.hpp"

namespace plimsoll::testing {

namespace {

namespace fs = std::filesystem;

struct Curve {
  const char* component;
  double a, d;  // cost in seconds per day: a / tasks + d
};

constexpr Curve curves[] = {{"cpl", 100, 0.5},  {"atm", 12000, 2}, {"lnd", 900, 0.1},
                            {"ice", 2400, 0.5}, {"ocn", 6000, 1},  {"rof", 60, 0.05}};

// Common start of all scripts: records the call and runs the injected command. ROOT is a placeholder.
constexpr const char* beginning = R"sh(#!/bin/sh
name=${0##*/}
case $name in create_*) case=$2 ;; *) case=${PWD##*/} ;; esac
echo "$case: $name $*" >> 'ROOT/record'
[ -e "ROOT/interfere.$name.$case" ] && . "ROOT/interfere.$name.$case"
)sh";

constexpr const char* create_newcase = R"sh(
[ -e "$2" ] && { echo "ERROR: Case directory $2 already exists"; exit 1; }
mkdir "$2" && cp -P 'ROOT'/tools/* "$2"
echo "Creating Case directory $2"
)sh";

// A clone has the settings of the original, its build, and cannot be built again.
constexpr const char* create_clone = R"sh(
[ -e "$4/built" ] || { echo "ERROR: $4 is not built"; exit 1; }
mkdir "$2" && cp -P 'ROOT'/tools/* "$4/env" "$2" && rm "$2/case.build"
)sh";

// The last value wins, as in CIME. A stand-in for the driver CMEPS knows no COMP_RUN_BARRIERS.
constexpr const char* xmlchange = R"sh(
case $1 in COMP_RUN_BARRIERS=*)
  [ -e 'ROOT/cmeps' ] && { echo 'ERROR: No variable "COMP_RUN_BARRIERS" found'; exit 1; } ;;
esac
[ "$1" = --id ] && echo "$2=$4" >> env || echo "$1" >> env
)sh";

// Fails as in CIME if no variable has such a name.
constexpr const char* xmlquery = R"sh(
[ -e 'ROOT/rebuilds' ] || { echo "ERROR: No results found"; exit 1; }
echo "ICE_PE_CHANGE_REQUIRES_REBUILD: TRUE"
)sh";

constexpr const char* case_setup = R"sh(
grep -q ^NTASKS_ env || { echo "ERROR: no tasks are set"; exit 1; }
[ "$1" != --reset ] || echo BUILD_COMPLETE=FALSE >> env
)sh";

constexpr const char* case_build = R"sh(
echo "Building case in directory $PWD"
touch built
echo BUILD_COMPLETE=TRUE >> env
)sh";

constexpr const char* case_submit = R"sh(
[ "$(grep ^BUILD_COMPLETE= env | tail -n 1)" = BUILD_COMPLETE=TRUE ] ||
  { echo "ERROR: Build complete is not True please rebuild the model by calling case.build"; exit 1; }
mkdir -p timing
awk -F= -v "name=$case" '
  function value(key) { return (key in env) ? env[key] : 1 }
  { env[$1] = $2 }
  END {
    days = env["STOP_N"]
    count = split("CURVES", words, " ")
    for (i = 1; i <= count; i += 3) {
      tasks[i] = value("NTASKS_" toupper(words[i]))
      cost[i] = words[i + 1] / tasks[i] + words[i + 2]
      total += cost[i]
      if (tasks[i] > most) most = tasks[i]
    }
    print "---------------- TIMING PROFILE ---------------------"
    print "  Case        : " name
    print "  LID         : 261121-030826"
    print "  Machine     : stand-in"
    print "  grid        : a%stand_in"
    print "  compset     : STAND_IN"
    print "  run_type    : startup, continue_run = FALSE (inittype = TRUE)"
    print "  stop_option : " env["STOP_OPTION"] ", stop_n = " days
    print "  run_length  : " days " days (" days " for ocean)\n"
    print "  component       comp_pes    root_pe   tasks  x threads instances (stride) "
    print "  ---------        ------     -------   ------   ------  ---------  ------  "
    for (i = 1; i <= count; i += 3)
      printf "  %s = %-8s   %-6d      %-6d   %-6d x %-6d  %-6d (%-6d) \n",
             words[i], words[i], tasks[i], value("ROOTPE_" toupper(words[i])), tasks[i], 1, 1, 1
    printf "\n  total pes active           : %d \n", most
    print "  mpi tasks per node               : 8 "
    printf "  pe count for cost estimate : %d \n\n", most
    print "  Overall Metrics: "
    printf "    Model Cost:               %.2f   pe-hrs/simulated_year \n", total * 365 * most / 3600
    printf "    Model Throughput:        %.2f   simulated_years/day \n\n", 86400 / (365 * total)
    print "    Init Time   :       1.000 seconds "
    printf "    Run Time    :      %.3f seconds       %.3f seconds/day \n", total * days, total
    print "    Final Time  :       0.000 seconds \n"
    row = "    %s Run Time:  %10.3f seconds   %10.3f seconds/mday   %10.2f myears/wday \n"
    printf row, "TOT", total * days, total, 86400 / (365 * total)
    for (i = 1; i <= count; i += 3)
      printf row, toupper(words[i]), cost[i] * days, cost[i], 86400 / (365 * cost[i])
    print "    CPL COMM Time:      0.000 seconds        0.000 seconds/mday         0.00 myears/wday "
  }' env > "timing/cesm_timing.$case.261121-030826" || exit 1
echo "Submitted job id is 1"
)sh";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

std::string curve_words() {
  std::ostringstream words;
  for (const Curve& curve : curves) words << curve.component << ' ' << curve.a << ' ' << curve.d << ' ';
  return words.str();
}

}  // namespace

StandInCime::StandInCime(const std::string& folder) : root_(folder) {
  fs::create_directories(root_ + "/scripts");
  fs::create_directories(root_ + "/tools");
  write_script("scripts/create_newcase", create_newcase);
  write_script("tools/xmlchange", xmlchange);
  write_script("tools/xmlquery", xmlquery);
  write_script("tools/case.setup", case_setup);
  write_script("tools/case.build", case_build);
  write_script("tools/case.submit", replaced(case_submit, "CURVES", curve_words()));
}

void StandInCime::write_script(const std::string& name, const std::string& content) const {
  const std::string path = root_ + "/" + name;
  write_file(path, replaced(beginning + content, "ROOT", root_));
  fs::permissions(path, fs::perms::owner_all);
}

void StandInCime::allow_clones() const {
  write_script("scripts/create_clone", create_clone);
}

std::vector<std::string> StandInCime::record() const {
  std::vector<std::string> lines;
  std::ifstream file(root_ + "/record");
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void StandInCime::interfere(const std::string& script, const std::string& case_name,
                            const std::string& commands) const {
  write_file(root_ + "/interfere." + script + "." + case_name, commands + "\n");
}

void StandInCime::interfere_no_more(const std::string& script, const std::string& case_name) const {
  fs::remove(root_ + "/interfere." + script + "." + case_name);
}

double stand_in_seconds_per_day(const std::string& component, double tasks) {
  for (const Curve& curve : curves)
    if (component == curve.component) return curve.a / tasks + curve.d;
  return 0;
}

}  // namespace plimsoll::testing
