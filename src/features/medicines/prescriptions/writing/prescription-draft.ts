import type { ItemStatus } from '~/records/prescription'
import type { PrescriptionStatus, Priority } from '~/records/prescription-status'
import type { DosageForm, AdministrationRoute } from '~/shared/dosage'
import { newId } from '~/shared/id'
import { pickStrength, type Strong } from '~/records/strength'
import type { AmountUnit, Dose, Often } from './dose'
import type { Prescription } from '../prescriptions.server'

/** What the picker knows of a medicine; `quantity` is null if the stock is unknown. */
export type PickedDrug = Strong & {
  drug_id: string
  ingredients: readonly string[]
  generic_name: string
  brand_name: string | null
  form: DosageForm
  route: AdministrationRoute
  quantity: number | null
}

/** A dose while it is filled in; it counts once amount, unit and frequency are there, and every number is one. */
export type DoseDraft = Omit<Dose, 'amount' | 'unit' | 'often' | 'days' | 'max_per_day'> & {
  amount: number | ''
  unit: AmountUnit | null
  often: Often | null
  days: number | ''
  max_per_day: number | ''
}
export const noDose: DoseDraft = {
  amount: '',
  unit: null,
  often: null,
  days: '',
  as_needed: false,
  max_per_day: '',
  route: null,
  food: null,
}
export const doseDraft = (dose: Dose | null): DoseDraft =>
  dose ? { ...dose, days: dose.days ?? '', max_per_day: dose.max_per_day ?? '' } : noDose

/** The dose of the draft; null while it is free text, or not whole. */
export function toDose({
  amount,
  unit,
  often,
  days,
  max_per_day,
  ...rest
}: DoseDraft): Dose | null {
  if (amount === '' || !(amount > 0) || !unit || !often) return null
  if (Number.isNaN(days) || Number.isNaN(max_per_day)) return null
  return {
    ...rest,
    amount,
    unit,
    often,
    days: days === '' ? null : days,
    max_per_day: max_per_day === '' ? null : max_per_day,
  }
}
/** Something of it is filled in, but not enough to count. */
export const isHalfDose = (dose: DoseDraft) =>
  !toDose(dose) &&
  (dose.amount !== '' || dose.often !== null || dose.days !== '' || dose.max_per_day !== '')

export type DraftItem = {
  id: string
  drug: PickedDrug | null
  dosage_instructions: string
  dose: DoseDraft
  /** "" while the box is empty: 1 once it is left. NaN for a text that is no number. */
  quantity: number | ''
  refills: number | ''
  item_status: ItemStatus
  quantity_dispensed: number
  notes: string
}

export type PrescriptionDraft = {
  patient: { id: string; name: string } | null
  provider_id: string | null
  pickup_clinic_id: string | null
  visit_id: string | null
  problem_id: string | null
  priority: Priority
  status: PrescriptionStatus
  /** The earlier day of a new one; null: today. */
  day: string | null
  expiration_date: string | null
  notes: string
  items: DraftItem[]
}

/** The defaults of a new item. */
export const newItem = (): DraftItem => ({
  id: newId(),
  drug: null,
  dosage_instructions: '',
  dose: noDose,
  quantity: 1,
  refills: 0,
  item_status: 'active',
  quantity_dispensed: 0,
  notes: '',
})

const draftItem = (item: Prescription['items'][number]): DraftItem => ({
  id: item.id,
  drug: {
    drug_id: item.drug_id,
    ingredients: item.ingredients,
    generic_name: item.generic_name,
    brand_name: item.brand_name,
    form: item.form,
    route: item.route,
    ...pickStrength(item),
    quantity: null,
  },
  dosage_instructions: item.dosage_instructions,
  dose: doseDraft(item.dose),
  quantity: item.quantity_prescribed,
  refills: item.refills_authorized,
  item_status: item.item_status,
  quantity_dispensed: item.quantity_dispensed,
  notes: item.notes ?? '',
})

export const toPrescriptionDraft = (prescription: Prescription): PrescriptionDraft => ({
  patient: { id: prescription.patient_id, name: prescription.patient },
  provider_id: prescription.provider_id,
  pickup_clinic_id: prescription.pickup_clinic_id,
  visit_id: prescription.visit_id,
  problem_id: prescription.problem?.id ?? null,
  priority: prescription.priority,
  status: prescription.status,
  day: null,
  expiration_date: prescription.expiration_date,
  notes: prescription.notes,
  items: prescription.items.map(draftItem),
})

/** The same medicines for the same patient as a new prescription. */
export const repeatPrescription = (
  prescription: Prescription,
  providerId: string,
): PrescriptionDraft => ({
  ...toPrescriptionDraft(prescription),
  provider_id: providerId,
  visit_id: null,
  problem_id: prescription.problem?.is_deleted ? null : (prescription.problem?.id ?? null),
  status: 'pending',
  expiration_date: null,
  items: prescription.items
    .filter(({ item_status }) => item_status !== 'cancelled')
    .map((item) => ({
      ...draftItem(item),
      id: newId(),
      item_status: 'active',
      quantity_dispensed: 0,
    })),
})

/** As the operation reads it. */
export const toPrescriptionInput = (draft: PrescriptionDraft) => ({
  patient_id: draft.patient?.id ?? '',
  provider_id: draft.provider_id ?? '',
  pickup_clinic_id: draft.pickup_clinic_id ?? '',
  visit_id: draft.visit_id,
  problem_id: draft.problem_id,
  priority: draft.priority,
  status: draft.status,
  day: draft.day,
  expiration_date: draft.expiration_date,
  notes: draft.notes,
  items: draft.items.map((item) => ({
    id: item.id,
    drug_id: item.drug?.drug_id ?? '',
    dosage_instructions: item.dosage_instructions,
    dose: toDose(item.dose),
    // a box is never empty once it is left
    quantity_prescribed: item.quantity === '' ? Number.NaN : item.quantity,
    refills_authorized: item.refills === '' ? Number.NaN : item.refills,
    item_status: item.item_status,
    notes: item.notes,
  })),
})
