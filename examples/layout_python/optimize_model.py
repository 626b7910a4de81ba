"""The base class of layouts in Python, as the documentation of CIME's load balancing tool has it (its section 4).

A layout is a class derived from OptimizeModel that says which components it has and how they share processors.
plimsoll_layout.py runs one for Plimsoll.
"""

import logging

import pulp

logger = logging.getLogger(__name__)


class ModelData:
    """What is known of one component.

    name          "ATM"
    ntasks, cost  points of its model, by ascending tasks; between them its cost is linear
    extrapolated  of each point, whether it is outside what was measured
    blocksize     its task count is a multiple of this
    nthrds        threads of each task
    """

    def __init__(self, name, data, points):
        self.name = name
        self.blocksize = data["blocksize"]
        self.nthrds = data["nthrds"][0]
        self.ntasks = [tasks for tasks, cost, extrapolated in points]
        self.cost = [cost for tasks, cost, extrapolated in points]
        self.extrapolated = [extrapolated for tasks, cost, extrapolated in points]


class OptimizeModel:
    """A layout. Derived classes have get_required_components() and optimize().

    models    a ModelData for each component, by its name
    maxtasks  how many tasks there are
    status    of the solution, one of PuLP's LpStatus*
    """

    def __init__(self):
        self.models = {}
        self.maxtasks = 0
        self.status = pulp.constants.LpStatusUndefined
        self.X = {}  # variables by name
        self.constraints = []  # pairs of a constraint and its name
        self.prob = None  # the pulp.LpProblem

    def get_required_components(self):
        """The components of this layout: ['ATM', 'OCN']."""
        raise NotImplementedError("get_required_components")

    def optimize(self):
        """Solves: fills self.X and self.prob, sets self.status, and returns the text of the status.

        The time of a component is the variable 'T' and its name in small letters, 'Tatm', its number of tasks 'Natm'.
        """
        raise NotImplementedError("optimize")

    def get_solution(self):
        """The solution: the variables and their values."""
        return {name: variable.varValue for name, variable in self.X.items()}

    def write_pe_file(self, pefilename):
        """Says where components run, by a call of self.write_pe_template(pefilename, ntasks, nthrds, roots)."""
        raise NotImplementedError("write_pe_file")

    def write_pe_template(self, pefilename, ntasks, nthrds, roots):
        """Takes numbers of tasks and of threads and first tasks by component, in small letters. Nothing is written
        here: Plimsoll does that."""
        self.pe_layout = {
            component: (int(round(tasks)), int(nthrds.get(component, 1)), int(round(roots.get(component, 0))))
            for component, tasks in ntasks.items()
        }

    def set_data(self, data):
        """Takes the problem that Plimsoll gives its solvers (docs/how-to/write-a-layout-solver.md)."""
        self.maxtasks = data["totaltasks"]
        self.models = {
            name: ModelData(name, data[name], models[0]["points"]) for name, models in data["models"].items()
        }
        self.check_requirements()

    def check_requirements(self):
        for name in self.get_required_components():
            if name not in self.models:
                raise ValueError("there are no data of component %s, only of %s" % (name, ", ".join(sorted(self.models))))

    def add_model_constraints(self):
        """Adds to self.constraints that each component costs no less than its model says: constraint (1) of the
        documentation's section 3, the line through each two neighbouring points."""
        for name in self.get_required_components():
            model = self.models[name]
            time, tasks = self.X["T" + name.lower()], self.X["N" + name.lower()]
            points = list(zip(model.ntasks, model.cost))
            for number, ((n0, c0), (n1, c1)) in enumerate(zip(points, points[1:])):
                slope = (c1 - c0) / (n1 - n0)
                self.constraints.append([time - slope * tasks >= c0 - slope * n0, "model_%s_%d" % (name, number)])
                if slope >= 0:  # as in CIME's tool: further points would be overestimated
                    if slope > 0:
                        logger.warning("the cost of %s rises from %d to %d tasks", name, n0, n1)
                    break
