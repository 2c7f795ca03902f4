import type { Definition, FormField } from './definition'
import { type Condition, type Rules, withIds } from './definition-rules'
import { wound, phq2 } from './starter-care'
import { childVisit } from './starter-children'
import { airways } from './starter-airways'
import { antenatal } from './starter-antenatal'
import { diabetes } from './starter-diabetes'
import { familyPlanning } from './starter-family-planning'
import { generalConsultation, referral } from './starter-general'
import { hypertension } from './starter-hypertension'
import type { Starter } from './starter-parts'
import { postnatal } from './starter-postnatal'
import { triage } from './starter-triage'

/** Forms that a clinic can begin with, written by us; what stems from outside names its source. */
export const STARTERS: readonly Starter[] = [
  generalConsultation,
  triage,
  childVisit,
  antenatal,
  postnatal,
  familyPlanning,
  diabetes,
  hypertension,
  airways,
  wound,
  phq2,
  referral,
]

/** The form with ids of its own, as two clinics may install the same one. `makeId` makes a field's out of the one it had. */
export function withOwnIds(form: Definition, makeId: (id: string) => string): Definition {
  const ids = new Map(form.form_fields.map(({ id }) => [id, makeId(id)]))
  const idOf = (id: string) => ids.get(id) ?? id
  return {
    ...form,
    form_fields: form.form_fields.map((field) => ({
      ...field,
      id: idOf(field.id),
      ...renamedRules(field, idOf),
    })),
    translations: form.translations.map((entry) => ({ ...entry, fieldId: idOf(entry.fieldId) })),
  }
}

function renamedRules({ rules }: FormField, idOf: (id: string) => string): { rules?: Rules } {
  if (!rules) return {}
  const renamed = (condition: Condition) => withIds(condition, idOf)
  const { compute, showIf, requiredIf, refuseIf } = rules
  return {
    rules: {
      ...rules,
      ...(showIf && { showIf: renamed(showIf) }),
      ...(requiredIf && { requiredIf: renamed(requiredIf) }),
      ...(refuseIf && { refuseIf: renamed(refuseIf) }),
      ...(compute && { compute: { ...compute, fields: compute.fields.map(idOf) } }),
    },
  }
}
