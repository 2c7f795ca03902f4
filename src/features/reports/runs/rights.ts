import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { administerClinic, type ClinicRule, editHistory, readHistory } from '~/policy/rules'
import { type Actor, can } from '~/shared/actor'

/** Who may do what with reports (docs/rules.md, "Reports"). `clinicIds`: the clinics of one run. */
const inEvery = (rule: ClinicRule, actor: Actor, clinicIds: readonly string[]) =>
  clinicIds.every((id) => permitsIn(rule, actor, id))

/** Sees, prints, closes, amends and checks counts. */
export const mayCount = (actor: Actor, clinicIds: readonly string[]) =>
  can(actor, 'view_analytics') || inEvery(administerClinic, actor, clinicIds)
export const mayCountSomewhere = (actor: Actor) =>
  can(actor, 'view_analytics') || permitsSomewhere(administerClinic, actor)

/** Opens the people behind a count. Without it, small counts are masked. */
export const mayDrill = (actor: Actor, clinicIds: readonly string[]) =>
  mayCount(actor, clinicIds) && inEvery(readHistory.permissions, actor, clinicIds)

/** Enters manual values, and signs as the person who prepared the report. */
export const mayPrepare = (actor: Actor, clinicIds: readonly string[]) =>
  mayCount(actor, clinicIds) && inEvery(editHistory.permissions, actor, clinicIds)
