"""Layout in Python: ICE and LND run concurrently, followed by ATM; OCN runs concurrently with all of them.

It is equivalent to `--layout '((ICE | LND) ; ATM) | OCN'`. Extend it if an expression is not enough.
"""

import optimize_model
import pulp


class MyNewLayout(optimize_model.OptimizeModel):
    def get_required_components(self):
        return ["ICE", "LND", "ATM", "OCN"]

    def optimize(self):
        components = [name.lower() for name in self.get_required_components()]
        X = self.X
        for name in ["TotalTime", "T1"] + ["T" + c for c in components]:
            X[name] = pulp.LpVariable(name, lowBound=0)
        for name in ["N" + c for c in components] + ["NB" + c for c in components]:
            X[name] = pulp.LpVariable(name, lowBound=1, cat=pulp.LpInteger)

        self.constraints = [
            [X["Tice"] <= X["T1"], "ice_within_first_part"],
            [X["Tlnd"] <= X["T1"], "lnd_within_first_part"],
            [X["T1"] + X["Tatm"] <= X["TotalTime"], "atm_after_first_part"],
            [X["Tocn"] <= X["TotalTime"], "ocn_concurrent"],
            [X["Nice"] + X["Nlnd"] <= X["Natm"], "first_part_on_processors_of_atm"],
            [X["Natm"] + X["Nocn"] <= self.maxtasks, "all_processors"],
        ]
        for name in self.get_required_components():
            c = name.lower()
            self.constraints.append([X["N" + c] == self.models[name].blocksize * X["NB" + c], "blocks_" + c])
        self.add_model_constraints()

        self.prob = pulp.LpProblem("MyNewLayout", pulp.LpMinimize)
        self.prob += X["TotalTime"]
        for constraint, name in self.constraints:
            self.prob += constraint, name
        self.prob.solve()
        self.set_state(self.prob.status)
        return self.state

    def get_solution(self):
        """Returns the values under the names that Plimsoll and CIME's tool print."""
        solution = {"COST_TOTAL": self.X["TotalTime"].varValue, "NTASKS_TOTAL": self.maxtasks}
        for name in self.get_required_components():
            c = name.lower()
            solution["COST_" + name] = self.X["T" + c].varValue
            solution["NBLOCKS_" + name] = self.X["NB" + c].varValue
            solution["NTASKS_" + name] = self.X["N" + c].varValue
        return solution

    def write_pe_file(self, pefilename):
        """Reports the processors of each component. Without it, Plimsoll knows only the task counts."""
        ntasks = {name.lower(): self.X["N" + name.lower()].varValue for name in self.get_required_components()}
        nthrds = {name.lower(): self.models[name].nthrds for name in self.get_required_components()}
        roots = {"ice": 0, "lnd": ntasks["ice"], "atm": 0, "ocn": ntasks["atm"]}
        self.write_pe_template(pefilename, ntasks, nthrds, roots)
