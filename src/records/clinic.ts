import { longText, optional, text } from '~/fields/field'
import { record } from './record'

export const clinicRecord = record('clinics', {
  name: { field: text('clinics.name', { requiredMessage: 'clinics.nameRequired' }) },
  address: {
    field: optional(longText('clinics.address', { max: 300, hint: 'clinics.printedHint' })),
    keptIfAbsent: true,
  },
  phone: {
    field: optional(text('clinics.phone', { max: 100, hint: 'clinics.printedHint' })),
    keptIfAbsent: true,
  },
})
