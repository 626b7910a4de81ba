import { figure } from "../../charts/figure";
import { valueScale } from "../../charts/scale";
import { objectsAt, phaseNumber, selectedPosition } from "../../data/lb-data";
import type { LbData, Quantity } from "../../data/report";
import { checkBox, choice, element } from "../../page/dom";
import { redrawOn } from "../../page/redraw";
import type { View, ViewContext } from "../../page/view";
import { phasePicker } from "./phase-picker";
import { spatialChart } from "./spatial-chart";
import type { Scene } from "./spatial-drawing";
import { defaultGrid, largestRadius, placeObjects, type Grid } from "./spatial-layout";
import { colouring, objectQuantities } from "./spatial-quantity";

export const spatial: View<LbData> = {
  id: "spatial",
  title: "Spatial",
  purpose: "Ranks on a grid, with their objects inside: circles can migrate, squares cannot; areas show loads.",
  render(host, context) {
    const { section, selection } = context;
    const controls = element("div", { class: "controls" });
    host.append(controls);
    phasePicker(host, section, selection);
    redrawOn(host, selection,
      () => ["grid", "rankcolour", "colour", "edges"].map((name) => selection.text(name)).join(" ") + selectedPosition(section, selection),
      (part) => {
        controls.replaceChildren(...controlsOf(context));
        drawSpatial(part, context);
      });
  },
};

function gridOf({ section, selection }: ViewContext<LbData>): Grid {
  const [x = 0, y = 0, z = 1] = (selection.text("grid") ?? "").split(",").map(Number);
  return x * y * z >= section.info.ranks && x > 0 && y > 0 && z > 0 ? { x, y, z } : defaultGrid(section.info.ranks);
}

function rankQuantity({ section, selection }: ViewContext<LbData>): Quantity | undefined {
  return section.quantities.find((each) => each.key === selection.text("rankcolour")) ?? section.quantities[0];
}

function controlsOf(context: ViewContext<LbData>): HTMLElement[] {
  const { section, selection } = context;
  const position = selectedPosition(section, selection);
  const grid = gridOf(context);
  const input = element("input", { type: "text", size: 9, value: `${grid.x},${grid.y},${grid.z}` });
  input.addEventListener("change", () => selection.select({ grid: input.value.replaceAll(/\s/g, "") }));
  const objects = objectsAt(section, position);
  const options = (list: { key: string; label: string }[]) => list.map((each) => ({ value: each.key, label: each.label }));
  return [
    choice("Colour ranks by", options(section.quantities), rankQuantity(context)?.key ?? "", (key) => selection.select({ rankcolour: key })),
    ...(objects ? [choice("Colour objects by", options(objectQuantities(objects, edgesAt(section, position))),
      selection.text("colour") ?? "load_s", (key) => selection.select({ colour: key }))] : []),
    element("label", { class: "control", title: "Ranks along x, y and z; their product must be at least the number of ranks" }, "Grid x,y,z", input),
    checkBox("Edges", selection.text("edges") !== "0", (show) => selection.select({ edges: show ? null : 0 })),
  ];
}

function edgesAt(section: LbData, position: number) {
  return section.edges.find((each) => each.phase === position);
}

function sceneOf(context: ViewContext<LbData>): Scene {
  const { section, selection } = context;
  const position = selectedPosition(section, selection);
  const grid = gridOf(context);
  const objects = objectsAt(section, position);
  const edges = edgesAt(section, position);
  const rankValues = rankQuantity(context)?.values[position] ?? [];
  const quantities = objects ? objectQuantities(objects, edges) : [];
  const places = objects ? placeObjects(objects, grid) : null;
  return {
    section, grid, rankValues, objects, edges, places,
    rankScale: valueScale(rankValues, false),
    colours: objects ? colouring(section, objects, edges, quantities.find((each) => each.key === selection.text("colour")) ?? quantities[0]!) : null,
    radiusPerRoot: objects && places ? largestRadius(objects.load_s, places) : 0,
    traffic: section.traffic.find((each) => each.phase === position),
    showEdges: selection.text("edges") !== "0",
  };
}

function drawSpatial(host: HTMLElement, context: ViewContext<LbData>): void {
  const { section, selection } = context;
  const scene = sceneOf(context);
  const phase = phaseNumber(section, selectedPosition(section, selection));
  figure(host, {
    title: `Ranks and objects in phase ${phase}`,
    caption: "Drag to move; zoom with the buttons, the keys + and −, or the wheel while Ctrl is pressed. "
      + "Click a rank or an object to see it in detail.",
  }, (body) => spatialChart(body, context, scene, rankQuantity(context)));
}
