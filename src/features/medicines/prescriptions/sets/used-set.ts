import type { Sayable } from '~/shared/say'
import { doseText, proposedQuantity } from '../writing/dose'
import {
  doseDraft,
  toDose,
  type DraftItem,
  newItem,
  type PrescriptionDraft,
} from '../writing/prescription-draft'
import type { UsedSet } from './sets.server'

type Used = UsedSet['items'][number]
type Say = (what: Sayable) => string

/** The items of a used set as the form holds them; a medicine that left the catalogue is not among them. */
export const itemsOfSet = (items: readonly Used[], say: Say): DraftItem[] =>
  items.flatMap((used) => (used.drug ? [toDraftItem(used, say)] : []))

function toDraftItem(used: Extract<Used, { drug: object }>, say: Say): DraftItem {
  const drug = {
    ...used.drug,
    form: used.drug.form,
    route: used.drug.route,
    quantity: null,
  }
  const item = { ...newItem(), drug, notes: used.notes ?? '', quantity: used.quantity }
  if (used.note === null)
    return { ...item, dose: doseDraft(used.dose), dosage_instructions: used.dosage_instructions }
  const dose = {
    ...doseDraft(used.dose),
    amount: used.amount ?? ('' as const),
    unit: used.unit,
    often: used.often,
  }
  const whole = toDose(dose)
  return {
    ...item,
    dose,
    dosage_instructions: whole ? doseText(whole, drug, say) : '',
    quantity: (whole && proposedQuantity(whole, drug)) ?? used.quantity,
  }
}

/** What is said about each medicine of a used set; nothing where the set was taken over as it is. */
export const noteOfSet = ({ name, note }: Used): Sayable | null => {
  switch (note?.kind) {
    case undefined:
      return null
    case 'not_in_catalogue':
      return { key: 'prescriptionSets.notInCatalogue', values: { name } }
    case 'band':
      return {
        key: 'prescriptionSets.fromBand',
        values: { name, from: note.fromKg, under: note.underKg, source: note.source },
      }
    case 'no_dose':
      return { key: `prescriptionSets.noDose_${note.because}`, values: { name } }
  }
}

/** The items that stay for this patient: the doses of a set were filled in for the one before. */
export const itemsFor = (
  patient: PrescriptionDraft['patient'],
  draft: Pick<PrescriptionDraft, 'patient' | 'items'>,
  ofSets: readonly string[],
): DraftItem[] =>
  patient?.id === draft.patient?.id
    ? draft.items
    : draft.items.filter(({ id }) => !ofSets.includes(id))
