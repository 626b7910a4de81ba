// What the views of a profile share: the profile read once, and how to open a call or a site.
import type { Collectives } from "../../data/report";
import type { ViewContext } from "../../page/view";
import { Profile, type CallId } from "./profile";

const profiles = new WeakMap<Collectives, Profile>();

export function profileOf({ section }: ViewContext<Collectives>): Profile {
  let profile = profiles.get(section);
  if (!profile) profiles.set(section, (profile = new Profile(section)));
  return profile;
}

export function openCall({ selection, open }: ViewContext<Collectives>, { job, lead, operation, call }: CallId): void {
  selection.select({ job, lead, operation, call });
  open("call");
}

/** The selected call; without one, the first of the calls that took longest or else moved most bytes. */
export function selectedCall({ selection }: ViewContext<Collectives>, profile: Profile): CallId | null {
  const operation = selection.text("operation");
  const call = selection.number("call");
  if (operation !== null && call !== null) {
    return { job: selection.number("job") ?? 0, lead: selection.number("lead") ?? 0, operation, call };
  }
  const heaviest = profile.heaviestRun();
  return heaviest ? { job: heaviest.job, lead: heaviest.lead, operation: heaviest.operation, call: heaviest.first_call } : null;
}

/** Name of a call for titles. */
export function callName(profile: Profile, { job, lead, operation, call }: CallId): string {
  const ofJob = profile.summary.communicators.some((communicator) => communicator.job !== job) ? ` of job ${job}` : "";
  return `Call ${call} of ${operation}, led by rank ${lead}${ofJob}`;
}
