#include "pelayout/solvers/mixed_integer_program.hpp"

#include <plimsoll/support/error.hpp>

#ifdef PLIMSOLL_WITH_CBC

#include <Cbc_C_Interface.h>

#include <utility>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

class MixedIntegerProgram::Implementation {
 public:
  Implementation() : model_(Cbc_newModel()) {
    Cbc_setLogLevel(model_.get(), 0);
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
      Cbc_setParameter(model_.get(), name, value);
  }

  int add_variable(double minimum, double maximum, bool integer) {
    Cbc_addCol(model_.get(), "x", minimum, maximum, 0, integer ? 1 : 0, 0, nullptr, nullptr);
    return n_variables_++;
  }

  void add_constraint(const Terms& terms, Relation relation, double bound) {
    columns_.clear();
    factors_.clear();
    for (const Term& term : terms) {
      columns_.push_back(term.variable);
      factors_.push_back(term.factor);
    }
    const char sense = relation == Relation::at_most ? 'L' : relation == Relation::at_least ? 'G' : 'E';
    Cbc_addRow(model_.get(), "c", static_cast<int>(terms.size()), columns_.data(), factors_.data(), sense,
               bound);
  }

  std::optional<std::vector<double>> minimise(const Terms& objective) {
    for (const Term& term : objective) Cbc_setObjCoeff(model_.get(), term.variable, term.factor);
    Cbc_solve(model_.get());
    if (Cbc_isProvenInfeasible(model_.get())) return std::nullopt;
    if (!Cbc_isProvenOptimal(model_.get()))
      throw Error(ErrorKind::system,
                  {.what = "CBC failed to solve the layout", .suggestion = "use dynamic programming (dp)"});
    const double* const values = Cbc_getColSolution(model_.get());
    return std::vector<double>(values, values + n_variables_);
  }

 private:
  struct Delete {
    void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
  };
  std::unique_ptr<Cbc_Model, Delete> model_;
  int n_variables_ = 0;
  std::vector<int> columns_;
  std::vector<double> factors_;
};

bool MixedIntegerProgram::available() {
  return true;
}

MixedIntegerProgram::MixedIntegerProgram() : implementation_(std::make_unique<Implementation>()) {}

MixedIntegerProgram::~MixedIntegerProgram() = default;

int MixedIntegerProgram::add_variable(double minimum, double maximum) {
  return implementation_->add_variable(minimum, maximum, false);
}

int MixedIntegerProgram::add_integer(double minimum, double maximum) {
  return implementation_->add_variable(minimum, maximum, true);
}

void MixedIntegerProgram::add_constraint(const Terms& terms, Relation relation, double bound) {
  implementation_->add_constraint(terms, relation, bound);
}

std::optional<std::vector<double>> MixedIntegerProgram::minimise(const Terms& objective) {
  return implementation_->minimise(objective);
}

}  // namespace plimsoll::pelayout

#else

namespace plimsoll::PLIMSOLL_ABI::pelayout {

class MixedIntegerProgram::Implementation {};

bool MixedIntegerProgram::available() {
  return false;
}

MixedIntegerProgram::MixedIntegerProgram() {
  throw support::usage_error("Plimsoll was built without CBC", "use dynamic programming (dp)");
}

MixedIntegerProgram::~MixedIntegerProgram() = default;

int MixedIntegerProgram::add_variable(double, double) {
  return 0;
}

int MixedIntegerProgram::add_integer(double, double) {
  return 0;
}

void MixedIntegerProgram::add_constraint(const Terms&, Relation, double) {}

std::optional<std::vector<double>> MixedIntegerProgram::minimise(const Terms&) {
  return std::nullopt;
}

}  // namespace plimsoll::pelayout

#endif
