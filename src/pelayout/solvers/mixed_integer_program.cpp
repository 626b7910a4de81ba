#include "pelayout/solvers/mixed_integer_program.hpp"

#include <Cbc_C_Interface.h>

#include <utility>

#include <plimsoll/pelayout/internal/used_libraries.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// CBC, which is loaded when it is first used. Throws Error (system) if that fails.
struct Cbc {
  support::LoadedLibrary library{PLIMSOLL_CBC_LIBRARY, support::SymbolChoice::of_program};
  PLIMSOLL_LOADED_FUNCTION(Cbc_, getVersion);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, newModel);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, deleteModel);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, setLogLevel);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, setParameter);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, addCol);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, addRow);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, setObjCoeff);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, solve);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, isProvenInfeasible);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, isProvenOptimal);
  PLIMSOLL_LOADED_FUNCTION(Cbc_, getColSolution);

  Cbc() { library.expect_usable("CBC", "use dynamic programming (dp)"); }
};

const Cbc& cbc() {
  static const Cbc loaded;
  return loaded;
}

}  // namespace

support::UsedLibrary cbc_library() {
  return support::try_library("CBC",
                              [](support::UsedLibrary& library) { library.version = cbc().getVersion(); });
}

MixedIntegerProgram::MixedIntegerProgram() : model_(cbc().newModel(), cbc().deleteModel) {
  cbc().setLogLevel(model_.get(), 0);
  // Tighten CBC's tolerances: by default, values that differ by 1e-5 are equal, and values within 1e-6 of
  // an integer are integers. CBC's cuts lose solutions with such tight tolerances, and are therefore off.
  // The other disabled features cost more time than they save, and may trigger assertions in Clp.
  for (const auto& [name, value] : {std::pair{"seconds", "60"},
                                    {"allowableGap", "0"},
                                    {"ratioGap", "0"},
                                    {"increment", "1e-9"},
                                    {"integerTolerance", "1e-9"},
                                    {"primalTolerance", "1e-9"},
                                    {"dualTolerance", "1e-9"},
                                    {"preprocess", "off"},
                                    {"presolve", "off"},
                                    {"heuristicsOnOff", "off"},
                                    {"cutsOnOff", "off"}})
    cbc().setParameter(model_.get(), name, value);
}

int MixedIntegerProgram::add_variable(double minimum, double maximum, bool integer) {
  cbc().addCol(model_.get(), "x", minimum, maximum, 0, integer ? 1 : 0, 0, nullptr, nullptr);
  return n_variables_++;
}

void MixedIntegerProgram::add_constraint(const Terms& terms, Relation relation, double bound) {
  std::vector<int> columns;
  std::vector<double> factors;
  for (const Term& term : terms) {
    columns.push_back(term.variable);
    factors.push_back(term.factor);
  }
  cbc().addRow(model_.get(), "c", static_cast<int>(terms.size()), columns.data(), factors.data(),
               static_cast<char>(relation), bound);
}

std::optional<std::vector<double>> MixedIntegerProgram::minimise(const Terms& objective) {
  for (const Term& term : objective) cbc().setObjCoeff(model_.get(), term.variable, term.factor);
  cbc().solve(model_.get());
  if (cbc().isProvenInfeasible(model_.get())) return std::nullopt;
  if (!cbc().isProvenOptimal(model_.get()))
    throw Error(ErrorKind::system,
                {.what = "CBC failed to solve the layout", .suggestion = "use dynamic programming (dp)"});
  const double* const values = cbc().getColSolution(model_.get());
  return std::vector<double>(values, values + n_variables_);
}

}  // namespace plimsoll::pelayout
