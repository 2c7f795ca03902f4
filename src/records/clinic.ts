import { longText, optional, text } from '~/fields/field'
import { languageField } from '~/fields/language-choice'
import { record } from './record'

export const clinicRecord = record('clinics', {
  name: {
    field: text('clinics.name', { requiredMessage: 'clinics.nameRequired' }),
    device: 'requiredText',
  },
  address: {
    field: optional(longText('clinics.address', { max: 300, hint: 'clinics.printedHint' })),
    keptIfAbsent: true,
  },
  phone: {
    field: optional(text('clinics.phone', { max: 100, hint: 'clinics.printedHint', isCode: true })),
    keptIfAbsent: true,
  },
  language: {
    field: languageField('clinics.language', 'clinics.languageHint'),
    keptIfAbsent: true,
  },
  is_archived: { device: 'boolean' },
})

/** How to reach a clinic, in the order in which it is printed below the clinic's name. */
const CONTACT = ['address', 'phone'] as const
type Contact = (typeof CONTACT)[number]
/** A label has room for one line. */
export const LABEL_CONTACT = ['phone'] as const

/**
 * Contact columns that another record selects from its clinic: `clinics.address as clinic_address`.
 */
export const contactColumns = <T extends string, C extends Contact = Contact>(
  clinics: T,
  columns: readonly C[] = CONTACT as readonly Contact[] as readonly C[],
) =>
  columns.map((column) => `${clinics}.${column} as clinic_${column}`) as {
    [K in C]: `${T}.${K} as clinic_${K}`
  }[C][]

/**
 * The contact values of a clinic, or of a record that selected `contactColumns`. Such a record can have a
 * `phone` of its own, which is the patient's.
 */
export const clinicContactValues = (
  row: Partial<Record<Contact | `clinic_${Contact}`, string | null>>,
): string[] => {
  const isOfRecord = CONTACT.some((column) => `clinic_${column}` in row)
  return CONTACT.flatMap((column) => (isOfRecord ? row[`clinic_${column}`] : row[column]) || [])
}
