import type { Definition } from './checked-definition'
import type { EventFormField } from './definition'
import { type Condition, type Rules, withIds } from './definition-rules'
import antenatalVisit from './starter/antenatal-visit.json'
import asthmaAndCopd from './starter/asthma-copd-follow-up.json'
import childUnderFive from './starter/child-under-five.json'
import diabetes from './starter/diabetes-follow-up.json'
import epilepsy from './starter/epilepsy-follow-up.json'
import familyPlanning from './starter/family-planning.json'
import generalConsultation from './starter/general-consultation.json'
import hypertension from './starter/hypertension-follow-up.json'
import gad7 from './starter/gad-7.json'
import hiv from './starter/hiv-follow-up.json'
import malnutrition from './starter/malnutrition-follow-up.json'
import mentalHealth from './starter/mental-health-follow-up.json'
import phq2 from './starter/phq-2.json'
import phq9 from './starter/phq-9.json'
import postnatalVisit from './starter/postnatal-visit.json'
import referral from './starter/referral-discharge.json'
import shared from './starter/shared.json'
import triage from './starter/triage.json'
import tuberculosis from './starter/tuberculosis-follow-up.json'
import vaccination from './starter/vaccination.json'
import woundCare from './starter/wound-care.json'
import type { SharedFile, StarterFile } from './starter-file'
import { readStarter, type Starter } from './starter-read'

// the inferred type of JSON knows no tuples; starter-files.test.ts checks the shape
export const STARTER_FILES = [
  generalConsultation,
  triage,
  childUnderFive,
  antenatalVisit,
  postnatalVisit,
  vaccination,
  familyPlanning,
  diabetes,
  hypertension,
  asthmaAndCopd,
  tuberculosis,
  hiv,
  epilepsy,
  mentalHealth,
  malnutrition,
  woundCare,
  phq2,
  phq9,
  gad7,
  referral,
] as unknown as readonly StarterFile[] // TypeScript reads each text of a JSON file as any text
export const SHARED_FILE = shared as unknown as SharedFile // as above

/** Forms that a clinic can begin with, written for Sanad; the files name their clinical sources. */
export const STARTERS: readonly Starter[] = STARTER_FILES.map((file) =>
  readStarter(file, SHARED_FILE),
)

/** The form with new ids, because two clinics may install the same one. */
export function withOwnIds(form: Definition, makeId: (id: string) => string): Definition {
  const ids = new Map(form.form_fields.map(({ id }) => [id, makeId(id)]))
  const renamedFieldId = (id: string) => ids.get(id) ?? id
  return {
    ...form,
    form_fields: form.form_fields.map((field) => ({
      ...field,
      id: renamedFieldId(field.id),
      ...renamedRules(field, renamedFieldId),
    })),
    translations: form.translations.map((entry) => ({
      ...entry,
      fieldId: renamedFieldId(entry.fieldId),
    })),
  }
}

function renamedRules({ rules }: EventFormField, idOf: (id: string) => string): { rules?: Rules } {
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
