"""The base class of layouts in Python, as described in section 4 of the documentation of CIME's load balancing tool.

A layout is a class derived from OptimizeModel that specifies its components and how they share processors.
plimsoll_layout.py runs such a class for Plimsoll.
"""

import logging

import pulp

logger = logging.getLogger(__name__)


class ModelData:
    """Data about one component.

    name          "ATM"
    ntasks, cost  points of its model by ascending task count; the cost is linear between them
    extrapolated  for each point, whether it is outside the measured range
    blocksize     number of which its task count must be a multiple
    nthrds        threads per task
    """

    def __init__(self, name, data, points):
        self.name = name
        self.blocksize = data["blocksize"]
        self.nthrds = data["nthrds"][0]
        self.ntasks = [tasks for tasks, cost, extrapolated in points]
        self.cost = [cost for tasks, cost, extrapolated in points]
        self.extrapolated = [extrapolated for tasks, cost, extrapolated in points]


class OptimizeModel:
    """A layout. Derived classes define get_required_components() and optimize().

    models    one ModelData per component, by name
    maxtasks  total number of tasks
    status    status of the solution, one of PuLP's LpStatus*
    """

    def __init__(self):
        self.models = {}
        self.maxtasks = 0
        self.status = pulp.constants.LpStatusUndefined
        self.X = {}  # variables by name
        self.constraints = []  # pairs of a constraint and its name
        self.prob = None  # the pulp.LpProblem

    def get_required_components(self):
        """Returns the components of this layout, e.g. ['ATM', 'OCN']."""
        raise NotImplementedError("get_required_components")

    def optimize(self):
        """Solves the layout: fills self.X and self.prob, sets self.status, and returns the status as text.

        The name of a component's time variable is 'T' and its name in lower case, e.g. 'Tatm'; its task count is 'Natm'.
        """
        raise NotImplementedError("optimize")

    def get_solution(self):
        """Returns the solution: the variables and their values."""
        return {name: variable.varValue for name, variable in self.X.items()}

    def write_pe_file(self, pefilename):
        """Specifies where components run: calls self.write_pe_template(pefilename, ntasks, nthrds, roots)."""
        raise NotImplementedError("write_pe_file")

    def write_pe_template(self, pefilename, ntasks, nthrds, roots):
        """Stores the task count, thread count and first task of each component, by name in lower case. Writes no
        file: Plimsoll does that."""
        self.pe_layout = {
            component: (int(round(tasks)), int(nthrds.get(component, 1)), int(round(roots.get(component, 0))))
            for component, tasks in ntasks.items()
        }

    def set_data(self, data):
        """Stores the problem that Plimsoll passes to its solvers (docs/how-to/write-a-layout-solver.md)."""
        self.maxtasks = data["totaltasks"]
        self.models = {
            name: ModelData(name, data[name], models[0]["points"]) for name, models in data["models"].items()
        }
        self.check_requirements()

    def check_requirements(self):
        for name in self.get_required_components():
            if name not in self.models:
                raise ValueError("no data for component %s; use %s" % (name, ", ".join(sorted(self.models))))

    def add_model_constraints(self):
        """Adds constraints so that no component costs less than its model predicts: the lines through neighbouring
        points, constraint (1) in section 3 of the documentation."""
        for name in self.get_required_components():
            model = self.models[name]
            time, tasks = self.X["T" + name.lower()], self.X["N" + name.lower()]
            points = list(zip(model.ntasks, model.cost))
            for number, ((n0, c0), (n1, c1)) in enumerate(zip(points, points[1:])):
                slope = (c1 - c0) / (n1 - n0)
                self.constraints.append([time - slope * tasks >= c0 - slope * n0, "model_%s_%d" % (name, number)])
                if slope >= 0:  # as in CIME's tool, because further points would be overestimated
                    if slope > 0:
                        logger.warning("the cost of %s rises from %d to %d tasks", name, n0, n1)
                    break
