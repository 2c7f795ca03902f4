import { api, type OperationResult } from '~/client/api'
import {
  type DraftItem,
  newItem,
} from '~/features/medicines/prescriptions/writing/prescription-draft'
import type { Medicine } from '~/forms/answers'
import { medicineTexts } from '~/forms/answers-text'
import type { EventFormField } from '~/forms/definition'
import { typed } from '~/fields/kind'
import { latinDigits } from '~/fields/typed'
import type { Sayable } from '~/shared/say'

type Found = OperationResult<'drugs.search'>[number]
type ToPrescribe = { medicine: Medicine; field: EventFormField; drug: Found | null }

const tidy = (text: unknown) => typed(text).trim().toLowerCase()

/** The medicines of a filled-in form, each with its medicine of the catalogue where only one can be meant. */
export async function medicinesToPrescribe(eventId: string): Promise<ToPrescribe[]> {
  const { fields, answers } = await api.events.get({ id: eventId })
  const medicines = fields
    .filter(({ fieldType }) => fieldType === 'medicine')
    .flatMap((field) =>
      ((answers[field.id] ?? []) as Medicine[]).map((medicine) => ({ medicine, field })),
    )
  return Promise.all(medicines.map(async (one) => ({ ...one, drug: await onlyDrug(one.medicine) })))
}

/** Never a guess: another strength would be another dose. */
async function onlyDrug(medicine: Medicine): Promise<Found | null> {
  const name = tidy(medicine['name'])
  if (name === '') return null
  const found = await api.drugs.search({ searchQuery: name, limit: 50 })
  const named = found.filter((drug) =>
    [tidy(drug.generic_name), tidy(drug.brand_name)].includes(name),
  )
  const dose = Number(latinDigits(tidy(medicine['dose'])) || Number.NaN)
  const ofDose = named.filter(
    (drug) =>
      Number(drug.dosage_quantity) === dose &&
      tidy(drug.dosage_units) === tidy(medicine['doseUnits']),
  )
  const meant = Number.isNaN(dose) ? named : ofDose
  return meant.length === 1 ? meant[0]! : null
}

/** Items of a new prescription: how the medicine is taken as the form says it, and its name where nothing was found. */
export const itemsToPrescribe = (
  found: readonly ToPrescribe[],
  say: (what: Sayable) => string,
): DraftItem[] =>
  found.map(({ medicine, field, drug }) => {
    const [name = '', ...parts] = medicineTexts(medicine, say, field)
    const picked = drug && (({ id, ...more }) => ({ ...more, drug_id: id, quantity: null }))(drug)
    return {
      ...newItem(),
      drug: picked,
      dosage_instructions: parts.join(' · '),
      notes: picked ? '' : name,
    }
  })
