"""usage: vtk_reader_test.py PLIMSOLL

Reads the meshes of `plimsoll export --format vtk` with VTK, the library of ParaView. Ends with status 77 if VTK is not
installed for this Python.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    print("VTK is not installed: skipped")
    sys.exit(77)

PLIMSOLL = sys.argv.pop(1)


def task(number, load_s, **user_defined):
    record = {"entity": {"type": "object", "id": number, "home": 0, "migratable": True}, "node": 0,
              "resource": "cpu", "time": load_s}
    return record | ({"user_defined": user_defined} if user_defined else {})


def end(number):
    return {"type": "object", "id": number, "home": 0, "migratable": True}


class Meshes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        edge = {"type": "SendRecv", "from": end(1), "to": end(3), "bytes": 100.0, "messages": 2}
        phase = {"id": 0, "tasks": [task(1, 1.0, cost=2), task(2, 3.0), task(3, 4.5, cost=7, load=9)],
                 "communications": [edge]}
        document = {"type": "LBDatafile", "metadata": {"type": "LBDatafile", "rank": 0}, "phases": [phase]}
        (self.folder / "data.0.json").write_text(json.dumps(document))
        subprocess.run([PLIMSOLL, "export", self.folder, "--format", "vtk", "-o", self.folder / "meshes"],
                       check=True, capture_output=True, timeout=60)

    def read(self, name):
        reader = vtkXMLPolyDataReader()
        errors = []
        reader.AddObserver("ErrorEvent", lambda *_: errors.append(name))
        reader.SetFileName(str(self.folder / "meshes" / name))
        reader.Update()
        self.assertEqual(errors, [])
        return reader.GetOutput()

    def values(self, data, name):
        array = data.GetArray(name)
        return [array.GetValue(k) for k in range(array.GetNumberOfTuples())]

    def test_objects(self):
        mesh = self.read("data_object_mesh_0.vtp")
        self.assertEqual((mesh.GetNumberOfPoints(), mesh.GetNumberOfVerts(), mesh.GetNumberOfLines()), (3, 3, 1))
        points = mesh.GetPointData()
        self.assertEqual(self.values(points, "load"), [1.0, 3.0, 4.5])
        cost = self.values(points, "cost")
        self.assertEqual((cost[0], cost[2]), (2.0, 7.0))
        self.assertNotEqual(cost[1], cost[1])  # NaN where the task has no such number
        self.assertEqual(self.values(points, "user_load")[2], 9.0)
        self.assertEqual(self.values(mesh.GetCellData(), "bytes")[3], 100.0)

    def test_ranks(self):
        mesh = self.read("data_rank_mesh_0.vtp")
        self.assertEqual(mesh.GetNumberOfPoints(), 1)
        self.assertEqual(self.values(mesh.GetPointData(), "load"), [8.5])
        self.assertEqual(self.values(mesh.GetPointData(), "number_of_objects"), [3])


unittest.main()
